import { sign } from '@octokit/webhooks-methods'
import { buildPullRequest, buildPush } from '../../builders/codehost-events.ts'
import { ANYONE } from '../../client.ts'
import type { BudgetWorld, TripBudget } from './budget.ts'

/** The headers of an event that the bot has signed. */
const signedBy = (event: string) => async (world: BudgetWorld, body: unknown) => ({
  'x-codehost-event': event,
  'x-codehost-delivery': crypto.randomUUID(),
  'x-codehost-signature': await sign(world.bot.key, JSON.stringify(body)),
})

/** One trip reads the keys, one the state, one writes. */
export const CODEHOST_BUDGETS: Readonly<Record<string, TripBudget>> = {
  'POST /codehost/pull_request': {
    trips: 3,
    by: ANYONE,
    path: '/codehost/pull_request',
    body: ({ bug }) => buildPullRequest(`Bug ${bug}`),
    headers: signedBy('pull_request'),
  },
  'POST /codehost/push_comment': {
    trips: 3,
    by: ANYONE,
    path: '/codehost/push_comment',
    body: ({ bug, original }) => buildPush([`Bug ${bug}`, `Bug ${original}`]),
    headers: signedBy('push'),
  },
  'POST /codehost/push_comment, ping': {
    trips: 1,
    by: ANYONE,
    path: '/codehost/push_comment',
    body: () => ({ zen: 'Mind your words.' }),
    headers: signedBy('ping'),
  },
}
