import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import {
  assertWorkflowUsable,
  decideMoves,
  findProtectionReason,
  findStatusOfDuplicates,
  presentMoves,
  type WorkflowStatus,
} from '../../../src/tracker/fields/workflow.ts'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { postFieldValue } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { expectFault, post, put, send } from '../../support/client.ts'
import { readBug } from '../../support/clients/bugs.ts'
import { readFields } from '../../support/clients/fields.ts'
import { execute } from '../../support/database/execute.ts'

const VALUES = '/rest/field/bug/status/values'

const step = (id: number, name: string, isOpen: boolean, isActive = true): WorkflowStatus => ({
  id,
  name,
  sortKey: id * 100,
  isOpen,
  isActive,
})
const STEPS = [
  step(1, 'UNCONFIRMED', true),
  step(2, 'NEW', true),
  step(3, 'GONE', false, false),
  step(4, 'DONE', false),
  step(5, 'SEEN', false),
]
const [unconfirmed, fresh, , done] = STEPS as [
  WorkflowStatus,
  WorkflowStatus,
  WorkflowStatus,
  WorkflowStatus,
  WorkflowStatus,
]

describe('the status of duplicates', () => {
  test('is the first closed one that is in use', () => {
    expect(findStatusOfDuplicates(STEPS)?.name).toBe('DONE')
    expect(findStatusOfDuplicates([...STEPS, { ...step(9, 'A', false), sortKey: 1 }])?.name).toBe(
      'A',
    )
    expect(findStatusOfDuplicates([unconfirmed])).toBeUndefined()
  })
})

describe('the moves out of a status', () => {
  test.each([
    ['no list', undefined, ['SEEN (with a comment)']],
    ['none', [], []],
    ['some', [{ name: 'seen' }, { name: 'Done', comment_required: true }], ['SEEN', 'DONE!']],
    ['itself, which is no move', [{ name: 'NEW' }], []],
    ['an unknown one', [{ name: 'nope' }], 51],
  ])('%s', (_, given, expected) => {
    const currentMoves = [{ toId: 5, commentRequired: true }]
    const moves = catchFaultCode(() => decideMoves(fresh, given, currentMoves, STEPS))
    const names = typeof moves === 'number' ? moves : presentMoves(moves, STEPS)
    const wanted =
      typeof expected === 'number'
        ? expected
        : expected.map((name) => name.replace('!', ' (with a comment)'))
    expect(Array.isArray(names) ? names.toSorted() : names).toEqual(
      Array.isArray(wanted) ? wanted.toSorted() : wanted,
    )
  })
})

describe('a workflow', () => {
  const attempt = (changed: WorkflowStatus, after: readonly WorkflowStatus[], initial: number[]) =>
    catchFaultCode(() => assertWorkflowUsable(changed, STEPS, after, new Set(initial)))
  const without = (id: number) => STEPS.filter((one) => one.id !== id)
  const altered = (id: number, more: Partial<WorkflowStatus>) =>
    STEPS.map((one) => (one.id === id ? { ...one, ...more } : one))

  test.each([
    ['keeps a confirmed start', fresh, STEPS, [1, 2], undefined],
    ['loses its start', fresh, STEPS, [1], 32_000],
    ['starts closed only', fresh, STEPS, [1, 4], 32_000],
    ['starts in what is out of use', fresh, altered(2, { isActive: false }), [1, 2], 32_000],
    ['loses the status of duplicates', done, without(4), [2], 32_000],
    ['opens it', done, altered(4, { isOpen: true }), [2], 32_000],
    ['puts it out of use', done, altered(4, { isActive: false }), [2], 32_000],
    ['renames it', done, altered(4, { name: 'CLOSED' }), [2], undefined],
    ['loses another', fresh, without(5), [2], undefined],
  ])('that %s', (_, changed, after, initial, expected) => {
    expect(attempt(changed, after, initial)).toBe(expected)
  })
})

test.each([
  ['bug_status', 'Unconfirmed', true],
  ['bug_status', 'RESOLVED', false],
  ['resolution', '', true],
  ['resolution', 'fixed', true],
  ['resolution', 'Duplicate', true],
  ['resolution', 'INVALID', false],
  ['priority', '--', true],
  ['priority', 'P1', false],
  ['bug_type', 'Defect', true],
  ['cf_x', '--', false],
])('of %s, %j is needed: %j', (field, name, expected) => {
  expect(findProtectionReason(field, name, readSettings({})) !== null).toBe(expected)
})

describe('over HTTP', () => {
  let admin: TestPerson
  const leftOver: number[] = []

  beforeAll(async () => {
    admin = await insertPerson({ roles: ['admin'] })
  })

  // every test file meets the same statuses
  afterAll(async () => {
    const ids = jsonList(leftOver)
    await execute(
      sql`UPDATE bugs SET resolution_id = (SELECT v.id FROM field_values v JOIN fields f
          ON f.id = v.field_id WHERE f.name = 'resolution' AND v.name = ''),
          status_id = (SELECT v.id FROM field_values v WHERE v.name = 'CONFIRMED')
        WHERE status_id IN ${ids}`,
      sql`DELETE FROM status_transitions WHERE from_id IN ${ids} OR to_id IN ${ids}`,
      sql`DELETE FROM field_values WHERE id IN ${ids}`,
    )
  })

  const statusNamed = async (name: string) =>
    (await readFields('/status'))[0].values.find((value: { name: string }) => value.name === name)
  const made = async (more: Record<string, unknown> = {}) => {
    const name = uniqueName('STATUS')
    leftOver.push(await postFieldValue(admin, 'status', name, more))
    return name
  }
  const remove = (name: string) => send(admin, 'DELETE', `${VALUES}/${name}`)
  const moved = (bug: number, status: string, more: Record<string, unknown> = {}) =>
    put(admin, `/rest/bug/${bug}`, { status, ...more })

  test('a new status is open, leads nowhere, and no bug gets there yet', async () => {
    const name = await made()
    const bug = await postBug(admin, await insertProduct())

    expect(await statusNamed(name)).toMatchObject({
      is_open: true,
      can_change_to: [],
    })
    expectFault(await moved(bug, name), 400, 123)
    expectFault(
      await post(admin, '/rest/bug', buildBugBody(await insertProduct(), { status: name })),
      400,
      123,
    )
    expect((await remove(name)).body).toEqual({ success: 1 })
  })

  test('the answer to a new status says that nothing leads there, unless new bugs start in it', async () => {
    const add = async (more: object) => {
      const answer = await post(admin, VALUES, { name: uniqueName('STATUS'), ...more })
      leftOver.push(answer.body.id)
      return answer.body
    }
    const { notice } = await add({ can_change_to: ['RESOLVED'] })
    expect(notice).toContain('Nothing leads to')
    expect(notice).toContain('can_change_to')
    const initial = await add({ can_be_initial: true })
    expect(Object.keys(initial)).toEqual(['id'])
    for (const id of leftOver.splice(-2)) {
      expect((await send(admin, 'DELETE', `${VALUES}/${id}`)).status).toBe(200)
    }
  })

  test('what a status leads to is shown at once, and bugs obey it', async () => {
    const last = await made({ is_open: false })
    const name = await made({
      can_be_initial: true,
      can_change_to: ['in_progress', { name: last, comment_required: true }],
    })
    expect((await statusNamed(name)).can_change_to).toEqual([
      { name: 'IN_PROGRESS', comment_required: false },
      { name: last, comment_required: true },
    ])
    const bug = await postBug(admin, await insertProduct(), { status: name })
    expect((await readBug(bug)).status).toBe(name)
    expectFault(await moved(bug, 'CONFIRMED'), 400, 123)
    expectFault(await moved(bug, last, { resolution: 'FIXED' }), 400, 32_000, last)
    const body = { resolution: 'FIXED', comment: { body: 'Because.' } }
    expect((await moved(bug, last, body)).status).toBe(200)
    expect(await readBug(bug)).toMatchObject({ status: last, resolution: 'FIXED', is_open: false })

    const answer = await put(admin, `${VALUES}/${name}`, {
      can_change_to: ['CONFIRMED'],
      can_be_initial: false,
    })
    expect(answer.body.values[0].changes).toEqual({
      can_change_to: { removed: `IN_PROGRESS, ${last} (with a comment)`, added: 'CONFIRMED' },
      can_be_initial: { removed: '1', added: '0' },
    })
    expectFault(
      await post(admin, '/rest/bug', buildBugBody(await insertProduct(), { status: name })),
      400,
      123,
    )
    expect((await remove(name)).status).toBe(200)
    expectFault(await remove(last), 400, 32_000, 'bugs have it')
  })

  test('a status may be reached once others lead there, until it is out of use', async () => {
    const [from, to] = [await made({ can_be_initial: true }), await made()]
    await put(admin, `${VALUES}/${from}`, { can_change_to: [to] })
    const [bug, other] = [
      await postBug(admin, await insertProduct(), { status: from }),
      await postBug(admin, await insertProduct(), { status: from }),
    ]
    expect((await moved(bug, to)).status).toBe(200)
    await put(admin, `${VALUES}/${to}`, { is_active: false })
    expectFault(await moved(other, to), 400, 123)
    expect((await readBug(bug)).status).toBe(to)
    expectFault(await put(admin, `${VALUES}/${to}`, { is_open: false }), 400, 32_000, to)
    await put(admin, `${VALUES}/${from}`, { can_be_initial: false })
  })

  test('whether bugs are open in a status may change while none has it', async () => {
    const name = await made()
    const answer = await put(admin, `${VALUES}/${name}`, { is_open: false })

    expect(answer.body.values[0].changes).toEqual({ is_open: { removed: '1', added: '0' } })
    expect(await statusNamed(name)).toMatchObject({ is_open: false })
    await remove(name)
  })

  test('bugs become duplicates wherever the workflow leads from their status', async () => {
    const name = await made({ can_be_initial: true })
    const place = await insertProduct()
    for (const more of [{}, { status: 'RESOLVED', resolution: 'DUPLICATE' }]) {
      const bug = await postBug(admin, place, { status: name })
      expectFault(await moved(bug, 'RESOLVED', { resolution: 'FIXED' }), 400, 123, 'none')
      const duplicate = { dupe_of: await postBug(admin, place), ...more }
      expect((await put(admin, `/rest/bug/${bug}`, duplicate)).status).toBe(200)
      expect(await readBug(bug)).toMatchObject({ status: 'RESOLVED', resolution: 'DUPLICATE' })
    }
    await put(admin, `${VALUES}/${name}`, { can_be_initial: false })
  })

  test('another order of closed statuses adds no move', async () => {
    const first = await made({ is_open: false, sort_key: 350 })
    const workflow = async () =>
      (await readFields('/status'))[0].values.map(
        ({ name, can_change_to }: { name: string; can_change_to: unknown }) => ({
          name,
          can_change_to,
        }),
      )
    const before = await workflow()
    await put(admin, `${VALUES}/${first}`, { sort_key: 900 })

    expect(await workflow()).toEqual([
      ...before.filter(({ name }: { name: string }) => name !== first),
      { name: first, can_change_to: [] },
    ])
    expect(JSON.stringify(before)).not.toContain(`{"name":"${first}","comment_required"`)
    await remove(first)
  })

  test('removing a status takes the moves to it away', async () => {
    const to = await made()
    const from = await made({ can_change_to: [to] })
    await remove(to)

    expect((await statusNamed(from)).can_change_to).toEqual([])
    await remove(from)
  })

  test('keeps one start when the last two are taken away in the same moment', async () => {
    const starts = ['CONFIRMED', 'IN_PROGRESS']
    const set = (name: string, isInitial: boolean) =>
      put(admin, `${VALUES}/${name}`, { can_be_initial: isInitial })
    const answers = await Promise.all(starts.map((name) => set(name, false)))
    const filing = await post(
      await insertPerson(),
      '/rest/bug',
      buildBugBody(await insertProduct()),
    )
    for (const name of starts) {
      await set(name, true)
    }

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expectFault(answers.find(({ status }) => status === 400) ?? filing, 400, 32_000, 'start')
    expect(filing.status).toBe(200)
  })

  test('refuses unknown statuses: 51, and what bugs cannot do without: 32000', async () => {
    const name = await made()
    expectFault(await put(admin, `${VALUES}/${name}`, { can_change_to: ['nope'] }), 404, 51, 'nope')
    const wrong = { name: uniqueName('S'), can_change_to: [{ name: 'nope' }] }
    expectFault(await post(admin, VALUES, wrong), 404, 51, 'nope')
    expectFault(await post(admin, VALUES, { ...wrong, can_change_to: [{}] }), 400, 50, 'name')
    for (const change of [{ is_active: false }, { is_open: true }]) {
      expectFault(await put(admin, `${VALUES}/RESOLVED`, change), 400, 32_000, 'RESOLVED')
    }
    expectFault(await remove('RESOLVED'), 400, 32_000, 'RESOLVED')
    expectFault(await remove('UNCONFIRMED'), 400, 32_000, 'UNCONFIRMED')
    await remove(name)
  })
})
