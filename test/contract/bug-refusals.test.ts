import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildBugBody, copyBug, postBug, restrictBug } from '../support/builders/bugs.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, type Answer, errorShape, type Sender, send } from '../support/client.ts'
import { fetchWith } from '../support/clients/service.ts'
import { execute } from '../support/database/execute.ts'
import { loadFootprint } from '../support/database/footprint.ts'

/**
 * Every number with which reading, filing and changing bugs can refuse, each by a request that gets it
 * and changes nothing.
 */

type Body = Record<string, unknown>
type Request = readonly [code: number, body: (world: World) => Body, more?: More]
type More = {
  readonly who?: 'reporter' | 'editor' | 'stranger' | 'anyone'
  readonly on?: 'bug' | 'ducky' | 'locked' | 'hidden' | 'absent' | 'unnamed' | 'open'
  readonly under?: Record<string, string>
}

type World = Awaited<ReturnType<typeof makeWorld>>
type Flags = Awaited<ReturnType<typeof makeFlags>>

const STATUS_OF: Record<number, number> = { 51: 404, 101: 404 }
const DENIALS = [102, 106, 109, 113, 115, 120, 410, 504]

const always = (body: Body) => Object.assign(() => body, { toString: () => JSON.stringify(body) })
const flagged = (kind: keyof Flags, more: Body) => (world: World) => ({
  flags: [{ name: world.flags[kind], ...more }],
})

const FLAGS: Request[] = [
  [51, always({ flags: [{ name: 'no such flag', status: '?' }] })],
  [129, flagged('plain', { status: '!' })],
  [130, flagged('guarded', { status: '+' }), { who: 'stranger' }],
  [
    131,
    ({ flags, editor }) => ({
      flags: [{ name: flags.plain, status: '?', requestee: editor.login }],
    }),
  ],
  [133, flagged('twin', { status: '?' })],
  [134, flagged('retired', { status: '?' })],
  [32000, ({ flags, away }) => ({ flags: [{ name: flags.open, status: '?', requestee: away }] })],
  [50, always({ flags: [{ status: '?' }] })],
]

const CREATE: Request[] = [
  [50, always({ version: ' ' })],
  [50, always({ priority: '' })],
  [51, always({ component: 'No such' })],
  [51, always({ version: 'No such' })],
  [51, always({ target_milestone: 'No such' })],
  [51, always({ keywords: ['no-such'] })],
  [51, always({ status: 'SLEEPING' }), { who: 'editor' }],
  [51, always({ status: 'RESOLVED', resolution: 'DONE' }), { who: 'editor' }],
  [52, always({ estimated_time: 'much' }), { who: 'editor' }],
  [53, always({ colour: 'red' })],
  [53, always({ cf_no_such: 'x' })],
  [53, always({ summary: ['x'] })],
  [54, always({ estimated_time: 100_000 }), { who: 'editor' }],
  [55, always({ remaining_time: -1 }), { who: 'editor' }],
  [56, always({ deadline: '2027-02-30' }), { who: 'editor' }],
  [100, always({ depends_on: ['no-such-alias'] }), { who: 'editor' }],
  [101, always({ blocks: [2_147_483_647] }), { who: 'editor' }],
  [102, ({ hidden }) => ({ regressed_by: [hidden] }), { who: 'editor' }],
  [102, ({ hidden }) => ({ see_also: [String(hidden)] })],
  [103, always({ alias: '12' })],
  [103, ({ alias }) => ({ alias: alias.toUpperCase() })],
  [104, always({ severity: 'Dreadful' })],
  [104, always({ summary: 'x'.repeat(256) })],
  [105, always({ component: '' })],
  [106, always({ product: '' })],
  [106, always({ product: 'No such' })],
  [106, ({ secret }) => ({ product: secret })],
  [107, always({ summary: ' ' })],
  [109, ({ locked }) => ({ see_also: [String(locked)] })],
  [112, always({ url: 'javascript:alert(1)' })],
  [112, always({ see_also: ['ftp://elsewhere.test/1'] })],
  [113, always({ comment_is_private: true })],
  [114, always({ description: 'x'.repeat(65_536) })],
  [116, ({ other }) => ({ depends_on: [other], blocks: [other] }), { who: 'editor' }],
  [119, always({ status: 'RESOLVED', resolution: 'DUPLICATE' }), { who: 'editor' }],
  [120, ({ crew }) => ({ groups: [crew] })],
  [120, always({ groups: ['no such group'] })],
  [121, always({ status: 'RESOLVED' }), { who: 'editor' }],
  [122, always({ resolution: 'FIXED' }), { who: 'editor' }],
  [123, always({ status: 'VERIFIED' }), { who: 'editor' }],
  [135, always({ type: '--' }), { under: { REQUIRE_BUG_TYPE: 'on' } }],
  [135, always({}), { under: { REQUIRE_BUG_TYPE: 'on' } }],
  [410, always({}), { who: 'anyone' }],
  [504, always({ cc: ['nobody@nowhere.test'] })],
  [504, always({ assigned_to: 'nobody@nowhere.test' }), { who: 'editor' }],
  [504, always({ qa_contact: 'nobody@nowhere.test' }), { who: 'editor' }],
  ...FLAGS,
]

const UPDATE: Request[] = [
  [50, always({ version: '' })],
  [50, always({ status: null })],
  [50, always({ assigned_to: null }), { who: 'editor' }],
  [50, always({ dupe_of: '' })],
  [51, always({ target_milestone: 'No such' }), { who: 'editor' }],
  [51, always({ keywords: { remove: ['no-such'] } })],
  [51, always({ status: 'SLEEPING' })],
  [51, always({ resolution: 'DONE' })],
  [51, always({ component: 'No such' })],
  [51, always({ flags: [{ id: 999_999_999, status: 'X' }] })],
  [52, always({ work_time: 'much' }), { who: 'editor' }],
  [53, always({ cc: 'somebody' })],
  [53, always({ ids: Array.from({ length: 501 }, (_, i) => i + 1) })],
  [54, always({ work_time: 100_000 }), { who: 'editor' }],
  [55, always({ estimated_time: -1 }), { who: 'editor' }],
  [56, always({ deadline: '2027' }), { who: 'editor' }],
  [100, always({}), { on: 'unnamed' }],
  [100, always({ ids: ['0'] })],
  [101, always({}), { on: 'absent' }],
  [101, always({ dupe_of: 2_147_483_647 })],
  [102, always({}), { on: 'hidden' }],
  [102, ({ hidden }) => ({ ids: [hidden], whiteboard: 'x' }), { who: 'editor' }],
  [102, ({ hidden }) => ({ dupe_of: hidden }), { who: 'editor' }],
  [102, ({ hidden }) => ({ blocks: { add: [hidden] } })],
  [103, ({ alias }) => ({ alias })],
  [103, ({ other }) => ({ ids: [other], alias: 'unused-alias' }), { who: 'editor' }],
  [104, always({ priority: 'P99' })],
  [104, always({ summary: 'x'.repeat(256) })],
  [104, always({ tags: { add: ['x'.repeat(65)] } })],
  [105, always({ component: '' })],
  [106, always({ product: '' })],
  [106, ({ secret }) => ({ product: secret })],
  [107, always({ summary: null })],
  [109, always({ comment: 'x' }), { on: 'locked' }],
  [109, ({ locked }) => ({ ids: [locked], comment: 'x' }), { who: 'editor' }],
  [109, ({ locked }) => ({ see_also: { add: [locked] } })],
  [112, always({ url: 'data:text/html,x' })],
  [112, ({ bug }) => ({ see_also: { add: [bug] } })],
  [113, always({ comment: { body: 'x', is_private: true } })],
  [113, ({ comment }) => ({ comment_is_private: { [comment]: true } })],
  [114, always({ comment: { body: 'x'.repeat(65_536) } })],
  [115, always({ whiteboard: 'x' }), { who: 'stranger' }],
  [115, ({ reporter }) => ({ assigned_to: reporter.login })],
  [115, always({ work_time: 1 })],
  [115, ({ other }) => ({ ids: [other], whiteboard: 'x' })],
  [115, ({ crowd }) => ({ cc: { remove: [crowd] } })],
  [116, ({ bug }) => ({ depends_on: { add: [bug] } })],
  [116, ({ other }) => ({ regressed_by: { add: [other] }, regressions: { add: [other] } })],
  [117, always({ comment_is_private: { 999999999: true } })],
  [117, ({ whisper }) => ({ comment_is_private: { [whisper]: false } })],
  [118, ({ bug }) => ({ dupe_of: bug })],
  [118, ({ duplicate }) => ({ dupe_of: duplicate })],
  [119, always({ status: 'RESOLVED', resolution: 'DUPLICATE' })],
  [120, ({ crew }) => ({ groups: { add: [crew] } })],
  [120, ({ crew }) => ({ groups: { remove: [crew] } })],
  [120, always({ groups: { remove: ['no such group'] } })],
  [121, always({ status: 'RESOLVED' })],
  [121, always({ resolution: '' }), { on: 'ducky' }],
  [122, always({ resolution: 'FIXED' })],
  [123, always({ status: 'VERIFIED' })],
  [123, always({ status: 'CONFIRMED' }), { who: 'stranger' }],
  [132, flagged('several', { status: '+' })],
  [140, always({ comment: { body: 'x', is_markdown: true } }), { under: { USE_MARKDOWN: 'off' } }],
  [410, always({}), { who: 'anyone' }],
  [410, always({}), { who: 'anyone', on: 'hidden' }],
  [504, always({ qa_contact: 'nobody@nowhere.test' }), { who: 'editor' }],
  [504, always({ cc: { remove: ['nobody@nowhere.test'] } })],
  [32000, ({ ducky, other }) => ({ ids: [other], dupe_of: ducky }), { who: 'editor' }],
  ...FLAGS,
]

const READ: Request[] = [
  [100, always({}), { on: 'unnamed' }],
  [101, always({}), { on: 'absent' }],
  [102, always({}), { on: 'hidden' }],
  [102, always({}), { on: 'hidden', who: 'anyone' }],
  [56, always({ new_since: 'lately' })],
]

/** What the contract, and what is documented beside it, lets each operation refuse with. */
const NUMBERS: Record<string, { readonly requests: Request[]; readonly numbers: number[] }> = {
  'GET /bug/{bug}': { requests: READ, numbers: [100, 101, 102, 56] },
  'GET /bug/{bug}/history': { requests: READ, numbers: [100, 101, 102, 56] },
  'POST /bug': {
    requests: CREATE,
    numbers: [
      ...[51, 103, 104, 105, 106, 107, 116, 120, 129, 130, 131, 133, 134, 135, 504],
      ...[50, 52, 53, 54, 55, 56, 100, 101, 102, 109, 112, 113, 114, 119, 121, 122, 123, 410],
      32000,
    ],
  },
  'PUT /bug/{bug}': {
    requests: UPDATE,
    numbers: [
      ...[50, 51, 52, 53, 54, 55, 56, 100, 101, 102, 103, 104, 105, 106, 107, 109, 112, 113, 114],
      ...[115, 116, 117, 118, 119, 120, 121, 122, 123, 129, 130, 131, 132, 133, 134, 140, 410],
      ...[504, 32000],
    ],
  },
}

let world: World

beforeAll(async () => {
  world = await makeWorld()
})

async function makeWorld() {
  const [editor, reporter, stranger, insider, crowd, away] = [
    await insertPerson({ roles: ['editbugs', 'timetracking'] }),
    await insertPerson(),
    await insertPerson(),
    await insertPerson({ roles: ['insider'] }),
    await insertPerson(),
    await insertPerson({ loginDeniedText: 'Gone.' }),
  ]
  const crew = await insertGroup([insider])
  const place = await insertProduct({
    controls: [{ group: crew, memberControl: 1, otherControl: 0 }],
  })
  const secret = await insertProduct({
    controls: [{ group: crew, memberControl: 3, otherControl: 3, entry: true }],
  })
  const fort = await insertProduct()
  const locked = await postBug(reporter, fort)
  await execute(sql`INSERT INTO group_controls (product_id, group_id, canedit, membercontrol)
    VALUES (${fort.id}, ${crew.id}, 1, 1)`)
  const alias = uniqueName('alias')
  const bug = await postBug(reporter, place, { description: 'It is.', groups: [] })
  await postBug(reporter, place, { alias })
  const [other = 0] = await copyBug(await postBug(editor, place), 1)
  const hidden = await postBug(insider, place)
  await restrictBug(hidden, crew)
  const duplicate = await postBug(reporter, place)
  await send(reporter, 'PUT', `/rest/bug/${duplicate}`, { dupe_of: bug })
  const ducky = await postBug(editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
  await execute(
    sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${bug}, ${crowd.id})`,
    sql`UPDATE bugs SET reporter_id = ${reporter.id} WHERE id = ${ducky}`,
  )
  const flags = await makeFlags(place.id, (await insertGroup()).id)
  const several = { name: flags.several, status: '?' }
  await send(editor, 'PUT', `/rest/bug/${bug}`, { flags: [several, { ...several, new: true }] })
  const comments = (await execute(
    sql`SELECT id FROM comments WHERE bug_id = ${bug} AND number = 0`,
  )) as { id: number }[]
  await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    VALUES (${bug}, 9, ${insider.id}, 1, 'Hush.', 1)`)
  const [whisper] = await execute(sql`SELECT max(id) AS id FROM comments WHERE bug_id = ${bug}`)
  return {
    ...{ editor, reporter, stranger, place, alias, bug, other, hidden, locked },
    ...{ duplicate, ducky, secret: secret.name, crew: crew.name },
    crowd: crowd.login,
    comment: String(comments[0]?.id),
    whisper: String(whisper?.id),
    flags,
    away: away.login,
  }
}

async function makeFlags(productId: number, groupId: number) {
  const here = [{ productId }]
  const guard = { grantGroupId: groupId, requestGroupId: groupId }
  const twin = await insertFlagType({}, here)
  await insertFlagType({ name: twin.name }, here)
  return {
    twin: twin.name,
    open: (await insertFlagType({}, here)).name,
    guarded: (await insertFlagType(guard, here)).name,
    plain: (await insertFlagType({ isRequesteeble: false }, here)).name,
    retired: (await insertFlagType({ isActive: false }, here)).name,
    several: (await insertFlagType({}, here)).name,
  }
}

/** The address of a request, with what it says in the query where it has no body. */
function addressed(operation: string, body: Body, on: More['on'] = 'bug'): [string, string] {
  const [method = '', path = ''] = operation.split(' ')
  const bugs = { absent: 2_147_483_647, unnamed: 'no-such-alias', open: world.other, ...world }
  const query = method === 'GET' ? `?${new URLSearchParams(body as Record<string, string>)}` : ''
  return [method, `/rest${path.replace('{bug}', String(bugs[on]))}${query}`]
}

async function refused(operation: string, [, make, more = {}]: Request): Promise<Answer> {
  const { who = 'reporter', on, under } = more
  const sender: Sender = who === 'anyone' ? ANYONE : world[who]
  const [method, path] = addressed(operation, make(world), on)
  const body = method === 'POST' ? buildBugBody(world.place, make(world)) : make(world)
  if (under !== undefined) {
    return refusedUnder(under, { method, path, sender, body })
  }
  return send(sender, method, path, method === 'GET' ? undefined : body)
}

async function refusedUnder(
  under: Record<string, string>,
  { method, path, sender, body }: { method: string; path: string; sender: Sender; body: Body },
): Promise<Answer> {
  const headers = { 'x-tracker-api-key': sender.key ?? '' }
  const response = await fetchWith(under, path, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), text } as Answer
}

describe.each(Object.entries(NUMBERS))('%s refuses', (operation, { requests, numbers }) => {
  test.each(requests.map((request) => [request[0], words(request), request] as const))(
    'with %i: %s',
    async (code, _, request) => {
      const before = await loadFootprint()
      const answer = await refused(operation, request)
      const status = STATUS_OF[code] ?? (DENIALS.includes(code) ? 401 : 400)
      expect([answer.status, answer.body?.code], answer.text).toEqual([status, code])
      expect(errorShape.parse(answer.body).message).not.toMatch(
        /SQL|D1_|\$\{|undefined|object Object/,
      )
      expect(await loadFootprint(), 'nothing is written').toEqual(before)
    },
  )

  test('with every number that it can refuse with', () => {
    const produced = new Set(requests.map(([code]) => code))
    expect(numbers.filter((code) => !produced.has(code))).toEqual([])
  })
})

/** What a request says, before anybody knows in which world. */
function words([, make, { who = 'reporter', on = 'bug' } = {}]: Request): string {
  const said = make.toString().replace(/\s+/g, ' ').slice(0, 80)
  return `${who}, ${on}, ${said}`
}
