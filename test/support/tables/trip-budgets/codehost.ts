import { sign } from '@octokit/webhooks-methods'
import { buildPullRequest, buildPush } from '../../builders/codehost-events.ts'
import { ANYONE } from '../../client.ts'
import { type BudgetWorld, budget, type TripBudget } from './budget.ts'

/** The headers of an event that the bot has signed. */
const signedBy = (event: string) => async (world: BudgetWorld, body: unknown) => ({
  'x-codehost-event': event,
  'x-codehost-delivery': crypto.randomUUID(),
  'x-codehost-signature': await sign(world.bot.key, JSON.stringify(body)),
})

/** One trip reads the keys, one the state, one writes. */
export const CODEHOST_BUDGETS: Readonly<Record<string, TripBudget>> = {
  'POST /codehost/pull_request': {
    ...budget(3, ANYONE, '/codehost/pull_request', ({ bug }) => buildPullRequest(`Bug ${bug}`)),
    headers: signedBy('pull_request'),
  },
  'POST /codehost/push_comment': {
    ...budget(3, ANYONE, '/codehost/push_comment', ({ bug, original }) =>
      buildPush([`Bug ${bug}`, `Bug ${original}`]),
    ),
    headers: signedBy('push'),
  },
  'POST /codehost/push_comment, ping': {
    ...budget(1, ANYONE, '/codehost/push_comment', () => ({ zen: 'Mind your words.' })),
    headers: signedBy('ping'),
  },
}
