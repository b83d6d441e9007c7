import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import { FIELD_TYPE } from '../../src/platform/db/schema/fields.ts'
import { buildAttachmentBody } from '../support/builders/attachments.ts'
import { buildBugBody, insertBugs } from '../support/builders/bugs.ts'
import { insertCustomField } from '../support/builders/fields.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertAccountLink } from '../support/builders/later-work.ts'
import { insertPerson, insertSession } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, get, post, send } from '../support/client.ts'
import { fetchWith } from '../support/clients/service.ts'
import { insertBot } from '../support/codehost.ts'
import { execute } from '../support/database/execute.ts'
import { removeClassicStatuses } from '../support/database/preset-statuses.ts'
import {
  type BudgetWorld,
  buildCredentials,
  PASSWORD,
} from '../support/tables/trip-budgets/budget.ts'
import { BUG_BUDGETS } from '../support/tables/trip-budgets/bugs.ts'
import { CODEHOST_BUDGETS } from '../support/tables/trip-budgets/codehost.ts'
import { DISCUSSION_BUDGETS } from '../support/tables/trip-budgets/discussion.ts'
import { FIELD_BUDGETS } from '../support/tables/trip-budgets/fields.ts'
import { GROUP_BUDGETS } from '../support/tables/trip-budgets/groups.ts'
import { PEOPLE_BUDGETS } from '../support/tables/trip-budgets/people.ts'
import { PRODUCT_BUDGETS } from '../support/tables/trip-budgets/products.ts'
import { SEARCH_BUDGETS } from '../support/tables/trip-budgets/searches.ts'
import { WEBHOOK_BUDGETS } from '../support/tables/trip-budgets/webhooks.ts'

/** In this order: a change of a caller's own groups costs the next write of that caller two round trips more. */
const BUDGETS = {
  ...PEOPLE_BUDGETS,
  ...FIELD_BUDGETS,
  ...GROUP_BUDGETS,
  ...PRODUCT_BUDGETS,
  ...BUG_BUDGETS,
  ...SEARCH_BUDGETS,
  ...DISCUSSION_BUDGETS,
  ...WEBHOOK_BUDGETS,
  ...CODEHOST_BUDGETS,
}

async function buildWorld(): Promise<BudgetWorld> {
  const ann = await insertPerson({ password: PASSWORD })
  const editor = await insertPerson({ roles: ['editusers', 'editbugs', 'creategroups'] })
  const admin = await insertPerson({ roles: ['admin'] })
  const architect = await insertPerson({
    roles: ['editcomponents', 'editkeywords', 'editclassifications'],
  })
  const place = await insertProduct()
  const component = await get(ann, `/rest/component/${place.name}/${place.component}`)
  const { token } = (await get(ANYONE, `/rest/login?${buildCredentials(ann)}`)).body
  const key = await post(ann, '/rest/api_key', { description: 'x' })
  const bug = (await post(ann, '/rest/bug', buildBugBody(place, { description: 'It is.' }))).body.id
  const original = (await post(ann, '/rest/bug', buildBugBody(place))).body.id
  const goal = await insertProduct()
  const { bugs } = (await get(ann, `/rest/bug/${bug}/comment`)).body
  const comment = bugs[bug].comments[0].id
  for (const kind of ['version', 'milestone']) {
    await post(architect, `/rest/product/${place.name}/${kind}`, { name: 'spare' })
  }
  const groups = { group: await insertGroup(), controlled: await insertGroup() }
  const classification = uniqueName('Class')
  await post(architect, '/rest/classification', { name: classification })
  const keyword = uniqueName('keyword')
  await post(architect, '/rest/keyword', { name: keyword, description: 'x' })
  const field = uniqueName('cf_y').toLowerCase()
  await post(admin, '/rest/field/bug', { name: field, type: 2, values: ['a', 'spare'] })
  const made = await post(ann, `/rest/bug/${bug}/attachment`, buildAttachmentBody())
  const [attachment] = made.body.ids
  const saved = { name: 'saved', query: new URLSearchParams({ product: place.name }).toString() }
  const savedSearch = (await post(ann, '/rest/saved_search', saved)).body.id
  const due = { bug_id: bug, reminder_ts: '2099-12-24' }
  const reminder = (await post(ann, '/rest/reminder', due)).body.id
  const hook = { name: 'hook', url: 'https://hooks.example.com/', event: 'create' }
  const webhook = (await post(ann, '/rest/webhooks', hook)).body.id
  const { delivery } = (await post(ann, `/rest/webhooks/${webhook}/test`)).body
  const failedReminder = (await post(ann, '/rest/reminder', due)).body.id
  await execute(
    sql`UPDATE reminders SET done_at = 1, last_error = 'x' WHERE id = ${failedReminder}`,
  )
  await env.FILES.put('backups/2030-01-31/bugs.000001.ndjson', '{}')
  // one that is under way can be begun again
  await execute(
    sql`INSERT INTO imports (id, source, archive, is_first, user_id, began_at) VALUES (1, 'x', '1', 0, 0, 0)`,
  )
  const [passwordLink, emailLink] = [uniqueName('link'), uniqueName('link')]
  await insertAccountLink({}, editor, { token: passwordLink })
  const [moving, email] = [await insertPerson(), `${uniqueName('moved')}@example.test`]
  await insertAccountLink({}, moving, {
    ...{ token: emailLink, kind: 'email', login: email, loginFold: email },
  })
  const ids = {
    keyId: key.body.id,
    sessionId: await insertSession(ann),
    secret: (await post(ann, '/rest/account/totp', { current_password: PASSWORD })).body.secret,
    passwordLink,
    emailLink,
    componentId: component.body.id,
    bug,
    comment,
    attachment,
    savedSearch,
    reminder,
    webhook,
    delivery,
  }
  const people = {
    ann,
    editor,
    admin,
    architect,
    spare: await insertPerson(),
    bot: await insertBot(),
    failedReminder,
  }
  const { ids: crowd, place: crowded } = await insertBugs(editor, 101)
  const { name: flag } = await insertFlagType(
    {},
    [place, goal, crowded].map(({ id }) => ({ productId: id })),
  )
  const { name: custom } = await insertCustomField(FIELD_TYPE.freeText)
  const word = uniqueName('word')
  await post(architect, '/rest/keyword', { name: word, description: 'x' })
  const others = { crowd, custom, flag, word, original, goal }
  return { ...people, token, place, ...groups, keyword, field, classification, ...ids, ...others }
}

/** A path with the parts of the world in place of their names in braces. */
function fillPath(path: string, { ann, place, ...world }: BudgetWorld): string {
  const values: Record<string, string> = {
    credentials: buildCredentials(ann),
    login: encodeURIComponent(ann.login),
    product: encodeURIComponent(place.name),
    productId: String(place.id),
    component: encodeURIComponent(place.component),
    componentId: String(world.componentId),
    keyword: world.keyword,
    field: world.field,
    classification: world.classification,
    spare: String(world.spare.id),
    token: world.token,
    keyId: String(world.keyId),
    sessionId: String(world.sessionId),
    group: String(world.group.id),
    controlled: world.controlled.name,
    bug: String(world.bug),
    comment: String(world.comment),
    attachment: String(world.attachment),
    savedSearch: String(world.savedSearch),
    reminder: String(world.reminder),
    webhook: String(world.webhook),
    delivery: String(world.delivery),
    failedReminder: String(world.failedReminder),
    crowd: world.crowd.join(','),
  }
  return `/rest${path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')}`
}

/** Sends a request of somebody without credentials to a site with other settings. */
async function sendWith(settings: object, method: string, path: string, body: unknown) {
  const response = await fetchWith(settings, path, { method, body: JSON.stringify(body) })
  const trips = Number(/(\d+) trips/.exec(response.headers.get('server-timing') ?? '')?.[1])
  return { status: response.status, text: await response.text(), cost: { trips } }
}

describe('the number of D1 round trips', () => {
  let world: BudgetWorld

  afterAll(async () => {
    await removeClassicStatuses()
    await execute(sql`DELETE FROM imports`)
  })
  beforeAll(async () => {
    world = await buildWorld()
  })

  test.each(Object.entries(BUDGETS))(
    'of %s is exactly its budget',
    async (name, { trips, by, path, ...more }) => {
      const sender = typeof by === 'string' ? world[by] : by
      const [method = ''] = name.split(' ')
      const body = more.body?.(world)
      const headers = await more.headers?.(world, body)
      const answer =
        more.settings === undefined
          ? await send(sender, method, fillPath(path, world), body, headers)
          : await sendWith(more.settings, method, fillPath(path, world), body)
      expect(answer.status, answer.text).toBeLessThan(300)
      expect(answer.cost.trips).toBe(trips)
    },
  )
})

test('every operation has a round trip budget', () => {
  const named = new Set(Object.keys(BUDGETS).map((name) => /^\w+ [^ ,]+/.exec(name)?.[0]))
  const offered = operations.map(({ method, path }) => `${method} ${path}`)
  expect(offered.filter((operation) => !named.has(operation))).toEqual([])
})
