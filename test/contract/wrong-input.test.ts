import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildBugBody } from '../support/builders/bugs.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertApiKey, insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../support/builders/types.ts'
import { NOW, uniqueName } from '../support/builders/unique.ts'
import { ANYONE, expectFault, post, type Sender, send } from '../support/client.ts'

/** What the requests below are made of; filled in before they are sent. */
type World = {
  reporter: TestPerson
  place: TestProduct
  closed: TestProduct
  secret: TestProduct
  bug: number
  hidden: number
  revoked: Sender
  expired: Sender
}

type Request = [
  what: string,
  status: number,
  code: number,
  naming: string,
  make: (world: World) => Parameters<typeof send>,
]

const asReporter =
  (method: string, path: (world: World) => string, body?: (world: World) => unknown) =>
  (world: World): Parameters<typeof send> => [world.reporter, method, path(world), body?.(world)]

const filing = (change: (world: World) => Record<string, unknown>) =>
  asReporter(
    'POST',
    () => '/rest/bug',
    (world) => buildBugBody(world.place, change(world)),
  )

const changing = (body: Record<string, unknown>) =>
  asReporter(
    'PUT',
    (world) => `/rest/bug/${world.bug}`,
    () => body,
  )

const commenting = (body: unknown) =>
  asReporter(
    'POST',
    (world) => `/rest/bug/${world.bug}/comment`,
    () => body,
  )

const REQUESTS: Request[] = [
  [
    'broken JSON',
    400,
    32000,
    'JSON',
    asReporter(
      'POST',
      () => '/rest/bug',
      () => '{"product": ',
    ),
  ],
  [
    'an array for a body',
    400,
    32000,
    'object',
    asReporter(
      'POST',
      () => '/rest/bug',
      () => [1],
    ),
  ],
  ['an unknown path', 404, 32614, '/rest/bugs', asReporter('GET', () => '/rest/bugs')],
  ['a method that is not offered', 404, 32614, 'DELETE', asReporter('DELETE', () => '/rest/bug/1')],

  [
    'nobody filing',
    401,
    410,
    '',
    ({ place }) => [ANYONE, 'POST', '/rest/bug', buildBugBody(place)],
  ],
  ['nobody changing', 401, 410, '', ({ bug }) => [ANYONE, 'PUT', `/rest/bug/${bug}`, { url: 'x' }]],
  [
    'nobody changing what is hidden',
    401,
    410,
    '',
    ({ hidden }) => [ANYONE, 'PUT', `/rest/bug/${hidden}`, {}],
  ],
  [
    'nobody commenting',
    401,
    410,
    '',
    ({ bug }) => [ANYONE, 'POST', `/rest/bug/${bug}/comment`, { comment: 'x' }],
  ],
  ['nobody asking who they are', 401, 410, '', () => [ANYONE, 'GET', '/rest/whoami']],
  [
    'an unknown key',
    400,
    306,
    'API key',
    ({ bug }) => [{ key: 'nonsense' }, 'GET', `/rest/bug/${bug}`],
  ],
  [
    'a revoked key',
    400,
    306,
    'API key',
    ({ revoked, place }) => [revoked, 'POST', '/rest/bug', buildBugBody(place)],
  ],
  [
    'an expired key',
    400,
    306,
    'API key',
    ({ expired, place }) => [expired, 'POST', '/rest/bug', buildBugBody(place)],
  ],
  ['an unknown token', 400, 307, '', () => [ANYONE, 'GET', '/rest/whoami?token=1-nonsense']],
  ['a login without a password', 400, 50, 'password', () => [ANYONE, 'GET', '/rest/login?login=x']],
  ['a password without a login', 400, 50, 'login', () => [ANYONE, 'GET', '/rest/login?password=x']],

  ['no product', 401, 106, '', filing(() => ({ product: undefined }))],
  ['a blank product', 401, 106, '', filing(() => ({ product: ' ' }))],
  ['an unknown product', 401, 106, 'no such', filing(() => ({ product: 'no such' }))],
  ['a product that is closed', 401, 106, '', filing(({ closed }) => ({ product: closed.name }))],
  ['a product that is hidden', 401, 106, '', filing(({ secret }) => ({ product: secret.name }))],
  ['no component', 400, 105, '', filing(() => ({ component: '' }))],
  ['an unknown component', 404, 51, 'no such', filing(() => ({ component: 'no such' }))],
  ['no summary', 400, 107, '', filing(() => ({ summary: null }))],
  ['a summary of blanks', 400, 107, '', filing(() => ({ summary: ' \t ' }))],
  [
    'a summary of 256 characters',
    400,
    104,
    'summary',
    filing(() => ({ summary: 'é'.repeat(256) })),
  ],
  ['no version', 400, 50, 'version', filing(() => ({ version: undefined }))],
  ['an unknown version', 404, 51, 'no such', filing(() => ({ version: 'no such' }))],
  ['an unknown milestone', 404, 51, 'M99', filing(() => ({ target_milestone: 'M99' }))],
  ['an unknown severity', 400, 104, 'severity', filing(() => ({ severity: 'huge' }))],
  ['a blank priority', 400, 50, 'priority', filing(() => ({ priority: '' }))],
  ['an unknown platform', 400, 104, 'platform', filing(() => ({ platform: 'Abacus' }))],
  [
    'an unknown CC',
    401,
    504,
    'nobody@example.test',
    filing(() => ({ cc: ['nobody@example.test'] })),
  ],
  ['an unknown key in a new bug', 400, 53, 'colour', filing(() => ({ colour: 'red' }))],
  ['an object for a summary', 400, 53, 'summary', filing(() => ({ summary: { text: 'x' } }))],
  ['an unknown group', 401, 120, 'no such', filing(() => ({ groups: ['no such'] }))],
  ['an unknown keyword', 404, 51, 'no-such', filing(() => ({ keywords: ['no-such'] }))],
  ['a numeric alias', 400, 103, '1234', filing(() => ({ alias: '1234' }))],
  ['an alias with a blank', 400, 103, 'a b', filing(() => ({ alias: 'a b' }))],
  ['a script for an address', 400, 112, 'url', filing(() => ({ url: 'javascript:alert(1)' }))],
  ['a private description', 401, 113, '', filing(() => ({ comment_is_private: true }))],
  [
    'a description of 65,536 characters',
    400,
    114,
    '',
    filing(() => ({ description: 'x'.repeat(65_536) })),
  ],

  [
    'an unknown alias',
    400,
    100,
    'no-such-bug',
    asReporter(
      'PUT',
      () => '/rest/bug/no-such-bug',
      () => ({}),
    ),
  ],
  ['bug zero', 400, 100, '', asReporter('GET', () => '/rest/bug/0')],
  ['a negative bug', 400, 100, '', asReporter('GET', () => '/rest/bug/-1')],
  [
    'a bug that does not exist',
    404,
    101,
    '2147483647',
    asReporter('GET', () => '/rest/bug/2147483647'),
  ],
  ['a bug that is hidden', 401, 102, '', asReporter('GET', (world) => `/rest/bug/${world.hidden}`)],
  [
    'a change to a hidden bug',
    401,
    102,
    '',
    asReporter(
      'PUT',
      (world) => `/rest/bug/${world.hidden}`,
      () => ({ whiteboard: 'x' }),
    ),
  ],
  [
    'a comment on a hidden bug',
    401,
    102,
    '',
    asReporter(
      'POST',
      (world) => `/rest/bug/${world.hidden}/comment`,
      () => ({ comment: 'x' }),
    ),
  ],
  [
    'one of several bugs that is hidden',
    401,
    102,
    '',
    asReporter(
      'PUT',
      (world) => `/rest/bug/${world.bug}`,
      (world) => ({ ids: [world.hidden], whiteboard: 'x' }),
    ),
  ],
  ['an unknown status', 404, 51, 'SLEEPING', changing({ status: 'SLEEPING' })],
  ['a status that cannot be reached', 400, 123, 'VERIFIED', changing({ status: 'VERIFIED' })],
  ['closing without a resolution', 400, 121, '', changing({ status: 'RESOLVED' })],
  ['a resolution on an open bug', 400, 122, 'FIXED', changing({ resolution: 'FIXED' })],
  ['an unknown resolution', 404, 51, 'DONE', changing({ status: 'RESOLVED', resolution: 'DONE' })],
  [
    'a duplicate of nothing',
    400,
    119,
    'dupe_of',
    changing({ status: 'RESOLVED', resolution: 'DUPLICATE' }),
  ],
  [
    'an assignee that the reporter may not set',
    401,
    115,
    'assigned_to',
    (world) => [
      world.reporter,
      'PUT',
      `/rest/bug/${world.bug}`,
      { assigned_to: world.reporter.login },
    ],
  ],
  [
    'an unknown assignee',
    401,
    504,
    'assigned_to',
    changing({ assigned_to: 'nobody@example.test' }),
  ],
  ['no assignee', 400, 50, 'assigned_to', changing({ assigned_to: '' })],
  [
    'an unknown member of the CC list',
    401,
    504,
    'cc',
    changing({ cc: { add: ['nobody@example.test'] } }),
  ],
  ['a list where edits are wanted', 400, 53, 'cc', changing({ cc: 'x@example.test' })],
  ['an empty summary', 400, 107, '', changing({ summary: '' })],
  ['a flag without a status', 400, 129, 'x', changing({ flags: [{ name: 'x' }] })],
  ['an unknown original', 404, 101, '2147483647', changing({ dupe_of: 2147483647 })],
  ['a product that does not exist', 401, 106, 'Nowhere', changing({ product: 'Nowhere' })],

  ['a comment without text', 400, 50, 'comment', commenting({})],
  ['a comment of blanks', 400, 50, 'comment', commenting({ comment: ' \n ' })],
  [
    'a private comment by an outsider',
    401,
    113,
    '',
    commenting({ comment: 'x', is_private: true }),
  ],
  ['a comment that is too long', 400, 114, '65535', commenting({ comment: 'x'.repeat(65_536) })],
  [
    'an unknown comment',
    400,
    111,
    '999999999',
    asReporter('GET', () => '/rest/bug/comment/999999999'),
  ],
  [
    'a comment that is no number',
    400,
    111,
    'first',
    asReporter('GET', () => '/rest/bug/comment/first'),
  ],
  [
    'comments since no date',
    400,
    56,
    'new_since',
    asReporter('GET', (world) => `/rest/bug/${world.bug}/comment?new_since=yesterday`),
  ],

  ['a search for nothing', 400, 1000, '', asReporter('GET', () => '/rest/bug')],
  ['a search for blanks', 400, 1000, '', asReporter('GET', () => '/rest/bug?product=&limit=5')],
  [
    'an offset without a limit',
    400,
    50,
    'limit',
    asReporter('GET', () => '/rest/bug?status=RESOLVED&offset=5'),
  ],
  [
    'a limit that is no number',
    400,
    52,
    'limit',
    asReporter('GET', () => '/rest/bug?status=RESOLVED&limit=few'),
  ],
  [
    'a body over a megabyte',
    413,
    58,
    '1024',
    filing(() => ({ description: 'x'.repeat(1_100_000) })),
  ],
]

describe('wrong input', () => {
  let world: World

  beforeAll(async () => {
    const reporter = await insertPerson()
    const insider = await insertGroup()
    const place = await insertProduct()
    const secret = await insertProduct({
      controls: [{ group: insider, entry: true, memberControl: 3, otherControl: 3 }],
    })
    const member = await insertPerson({ groups: [insider] })
    const hidden = await post(member, '/rest/bug', buildBugBody(secret))
    const mine = await post(reporter, '/rest/bug', buildBugBody(place))
    world = {
      reporter,
      place,
      secret,
      closed: await insertProduct({ isActive: false }),
      bug: mine.body.id,
      hidden: hidden.body.id,
      revoked: await insertApiKey(reporter, { revoked: true }),
      expired: await insertApiKey(reporter, { expiresAt: NOW - 10 }),
    }
  })

  test.each(REQUESTS)('%s answers %i with %i', async (_, status, code, naming, make) => {
    const before = await footprint()
    const answer = await send(...make(world))
    expectFault(answer, status, code, naming)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await footprint(), 'nothing is written').toEqual(before)
  })

  test('a query over 10 KB is sent to the home page and writes nothing', async () => {
    const before = await footprint()
    const path = `/rest/bug?id=${'1,'.repeat(5_600)}`
    for (const method of ['GET', 'POST']) {
      const answer = await send(world.reporter, method, path)
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toBe('https://tracker.test/')
    }
    expect(await footprint()).toEqual(before)
  })

  test('a wrong login is counted, and nothing else is written', async () => {
    const before = await footprint()
    const login = `${uniqueName('nobody')}@example.test`
    expectFault(await send(ANYONE, 'GET', `/rest/login?login=${login}&password=x`), 401, 300)
    expect(await footprint()).toEqual(before)
  })
})

/** How much there is of everything that requests can write. */
async function footprint(): Promise<unknown> {
  const { results } = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM bugs) AS bugs, (SELECT sum(revision) FROM bugs) AS revisions,
      (SELECT max(changed_at) FROM bugs) AS changed, (SELECT count(*) FROM bug_cc) AS cc,
      (SELECT count(*) FROM comments) AS comments, (SELECT count(*) FROM history) AS history,
      (SELECT count(*) FROM notices) AS notices, (SELECT count(*) FROM tokens) AS tokens,
      (SELECT count(*) FROM bug_groups) AS groups, (SELECT count(*) FROM api_keys) AS keys`,
  ).all()
  return results[0]
}
