import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../../src/tracker/bugs/change/input.ts'
import {
  buildBugBody,
  copyBug,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../../support/builders/bugs.ts'
import { buildCtx } from '../../../../support/builders/callers.ts'
import { insertGroup } from '../../../../support/builders/groups.ts'
import { insertPerson } from '../../../../support/builders/people.ts'
import { insertProduct } from '../../../../support/builders/products.ts'
import { uniqueName } from '../../../../support/builders/unique.ts'
import { type Answer, post, put } from '../../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../../support/database/bugs.ts'
import { execute } from '../../../../support/database/execute.ts'
import { summarizeHistory } from '../../../../support/database/history.ts'
import { openInterruptedSession } from '../../../../support/fakes/sessions.ts'

let bug: number
let one: number
let two: number

const editor = await insertPerson({ roles: ['editbugs'] })
const assignee = await insertPerson()
const reporter = await insertPerson()
const stranger = await insertPerson()
const member = await insertPerson({ roles: ['editbugs'] })
const team = await insertGroup([member])
const place = await insertProduct({ assignee })

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[one = 0, two = 0] = await copyBug(bug, 2)
})

const change = (body: object, id = bug, who = editor) => put(who, `/rest/bug/${id}`, body)

describe.each([
  ['depends_on', 'blocks'],
  ['blocks', 'depends_on'],
  ['regressed_by', 'regressions'],
  ['regressions', 'regressed_by'],
])('%s', (field, mirror) => {
  test('is added, removed and set together with its mirror on the other bug', async () => {
    const alias = uniqueName('alias')
    await updateBugRow(two, { alias, alias_fold: alias.toLowerCase() })
    expect(
      await changeBug(editor, bug, { [field]: { add: `${alias.toUpperCase()}, ${one}` } }),
    ).toEqual({
      [field]: { removed: '', added: `${two}, ${one}` },
    })
    expect((await readWholeBug(editor, bug))[field]).toEqual([one, two])
    expect((await readWholeBug(editor, one))[mirror]).toEqual([bug])
    expect(await summarizeHistory(one)).toEqual([`${mirror}:  > ${bug}`])

    expect(
      await changeBug(editor, bug, { [field]: { add: [one], remove: [two, 'nobody'] } }),
    ).toEqual({
      [field]: { removed: `${two}`, added: '' },
    })
    expect((await readWholeBug(editor, two))[mirror]).toEqual([])

    expect(await changeBug(editor, bug, { [field]: { set: [two], add: ['nobody'] } })).toEqual({
      [field]: { removed: `${one}`, added: `${two}` },
    })
    expect(await changeBug(editor, bug, { [field]: { set: [] } })).toEqual({
      [field]: { removed: `${two}`, added: '' },
    })
    expect(await summarizeHistory(one)).toEqual([`${mirror}:  > ${bug}`, `${mirror}: ${bug} > `])
    expect((await readWholeBug(editor, bug))[field]).toEqual([])
  })

  test('moves the time of both bugs and records a notice for both', async () => {
    const before = await loadBugRow(one)
    await execute(sql`UPDATE bugs SET changed_at = 1000 WHERE id IN (${one}, ${two})`)
    await changeBug(editor, bug, { [field]: { add: [one] } })
    const now = await loadBugRow(bug)
    expect((await loadBugRow(one)).changed_at).toBe(now.changed_at)
    expect((await loadBugRow(two)).changed_at).toBe(1000)
    const notices = await loadRowsOfBug('notices', one)
    expect(notices).toMatchObject([{ kind: 'changed', author_id: editor.id }])
    expect(await loadRowsOfBug('history', one)).toMatchObject([{ notice_id: notices[0]?.id }])
    expect(before.revision).toBe((await loadBugRow(one)).revision)
  })

  test('of a new bug is recorded on the other bug alone', async () => {
    const id = await postBug(editor, place, { [field]: [one, `${two}`, one] })
    expect((await readWholeBug(editor, id))[field]).toEqual([one, two])
    expect((await readWholeBug(editor, one))[mirror]).toEqual([id])
    expect([await summarizeHistory(id), await summarizeHistory(one)]).toEqual([
      [],
      [`${mirror}:  > ${id}`],
    ])
    expect(await loadRowsOfBug('notices', one)).toMatchObject([{ kind: 'changed' }])
    expect(await loadRowsOfBug('notices', id)).toMatchObject([{ kind: 'created' }])
  })

  test('of a new bug is ignored from people without editbugs', async () => {
    const id = await postBug(reporter, place, { [field]: [one, 'nobody', 0] })
    expect((await readWholeBug(editor, id))[field]).toEqual([])
  })

  test.each<[string, number, unknown, string]>([
    ['an unknown alias', 100, 'no-such-alias', 'no-such-alias'],
    ['zero', 100, 0, '0'],
    ['a number below zero', 100, -1, '-1'],
    ['an unknown number', 101, 2_000_000_000, '2000000000'],
  ])('rejects %s with %i', async (_, code, item, naming) => {
    const path = `/rest/bug/${bug}`
    for (const part of ['add', 'set']) {
      const body = { [field]: { [part]: [one, item] } }
      await expectRefusal(() => put(stranger, path, body), code, naming)
    }
    const body = buildBugBody(place, { [field]: [one, item] })
    await expectRefusal(() => post(editor, '/rest/bug', body), code, naming)
    expect(await changeBug(editor, bug, { [field]: { remove: [item] } })).toEqual({})
  })

  test('hides bugs: a caller cannot link hidden bugs, and existing links to them stay', async () => {
    await changeBug(editor, bug, { [field]: { add: [one, two] } })
    await restrictBug(two, team)
    const contact = await insertPerson()
    await updateBugRow(bug, { qa_contact_id: contact.id })
    for (const edit of [{ add: [two] }, { set: [one, two] }]) {
      await expectRefusal(() => change({ [field]: edit }, bug, contact), 102, `${two}`)
    }
    await expectRefusal(() => change({ [field]: { add: [two] } }, bug, stranger), 115)
    expect(await changeBug(editor, bug, { [field]: { remove: [two] } })).toEqual({})
    expect(await changeBug(editor, bug, { [field]: { set: [] } })).toEqual({
      [field]: { removed: `${one}`, added: '' },
    })
    expect((await readWholeBug(editor, bug))[field]).toEqual([])
    expect((await readWholeBug(member, bug))[field]).toEqual([two])
    const body = buildBugBody(place, { [field]: [two] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 102, `${two}`)
  })

  test('to a hidden bug can be made by an editor who knows its number, but is not shown to them', async () => {
    const alias = uniqueName('alias')
    await updateBugRow(two, { alias, alias_fold: alias.toLowerCase() })
    await restrictBug(two, team)
    await expectRefusal(() => change({ [field]: { add: [alias] } }), 102, alias)
    expect(await changeBug(editor, bug, { [field]: { add: [one, two] } })).toEqual({
      [field]: { removed: '', added: `${one}, ${two}` },
    })
    expect(await changeBug(editor, bug, { [field]: { add: [two] } })).toEqual({})
    expect((await readWholeBug(editor, bug))[field]).toEqual([one])
    expect((await readWholeBug(member, bug))[field]).toEqual([one, two])
    expect((await readWholeBug(member, two))[mirror]).toEqual([bug])
    await expectRefusal(() => change({ [mirror]: { add: [two] } }), 116, mirror)
  })

  test('is rejected with 115 from people who may not change the bug', async () => {
    await expectRefusal(() => change({ [field]: { add: [one] } }, bug, stranger), 115, field)
    await changeBug(editor, bug, { [field]: { add: [one] } })
    expect(await changeBug(stranger, bug, { [field]: { add: [one], remove: [two] } })).toEqual({})
    await changeBug(reporter, bug, { [field]: { add: [two] } })
    await changeBug(assignee, bug, { [field]: { set: [] } })
  })

  test('is rejected with 116 when it closes a loop', async () => {
    await expectRefusal(() => change({ [field]: { add: [bug] } }), 116, 'from a bug back')
    await changeBug(editor, one, { [field]: { add: [two] } })
    await changeBug(editor, two, { [field]: { add: [bug] } })
    await expectRefusal(() => change({ [field]: { add: [one] } }), 116, field)
    await expectRefusal(() => change({ [field]: { set: [two] } }), 116, field)
    const body = buildBugBody(place, { [field]: [one], [mirror]: [bug] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 116)
    const same = buildBugBody(place, { [field]: [one], [mirror]: [one] })
    await expectRefusal(() => post(editor, '/rest/bug', same), 116)
  })

  test('is reversed in one request', async () => {
    await changeBug(editor, bug, { [field]: { add: [one] } })
    expect(
      await changeBug(editor, bug, { [field]: { remove: [one] }, [mirror]: { add: [one] } }),
    ).toEqual({
      [field]: { removed: `${one}`, added: '' },
      [mirror]: { removed: '', added: `${one}` },
    })
  })
})

describe('the relations of a bug', () => {
  test('are accepted by their legacy names in PUT /bug and POST /bug', async () => {
    await changeBug(editor, bug, { dependson: { add: [one] }, blocked: { add: [two] } })
    const id = await postBug(editor, place, {
      dependson: [one],
      blocked: `${two}`,
      regresses: [bug],
    })
    expect(await readWholeBug(editor, bug)).toMatchObject({ depends_on: [one], blocks: [two] })
    expect(await readWholeBug(editor, id)).toMatchObject({
      depends_on: [one],
      blocks: [two],
      regressions: [bug],
    })
  })

  test('of a new bug are those under both names of a field', async () => {
    const id = await postBug(editor, place, { dependson: [one], depends_on: [], blocks: [two] })
    expect(await readWholeBug(editor, id)).toMatchObject({ depends_on: [one], blocks: [two] })

    const both = await postBug(editor, place, { blocked: [one, two], blocks: [two, bug] })
    expect((await readWholeBug(editor, both)).blocks).toEqual([bug, one, two])
  })

  test('link each bug of a request to all bugs that it names', async () => {
    const { body } = await change({ ids: [one], blocks: { add: [two] } })
    expect(body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual([
      { blocks: { removed: '', added: `${two}` } },
      { blocks: { removed: '', added: `${two}` } },
    ])
    expect(await summarizeHistory(two)).toEqual([`depends_on:  > ${bug}, ${one}`])
  })

  test('of one pair do not conflict with those of the other pair', async () => {
    await changeBug(editor, bug, { depends_on: { add: [one] } })
    await changeBug(editor, bug, { regressions: { add: [one] } })
    expect(await readWholeBug(editor, one)).toMatchObject({ blocks: [bug], regressed_by: [bug] })
  })
})

describe('two clients that close a loop at the same time', () => {
  test('do not both succeed: the second is rejected with 116', async () => {
    // in an isolate of its own, because those of one take turns
    const session = openInterruptedSession(2, () =>
      execute(sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES (${one}, ${bug})`),
    )
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      depends_on: { add: [one] },
      comment: 'It waits.',
    })
    await expect(
      changeBugs.run(buildCtx(editor, ['editbugs'], session), input),
    ).rejects.toMatchObject({
      code: 116,
    })
    expect(await readWholeBug(editor, bug)).toMatchObject({ depends_on: [], blocks: [one] })
    expect(await loadRowsOfBug('comments', bug)).toHaveLength(1)
  })

  test('leave no loop over many bugs, in any order of commits', async () => {
    const ring = [bug, ...(await copyBug(bug, 9))]
    const answers = await Promise.all(
      ring.map((id, i) => change({ depends_on: { add: [ring[(i + 1) % ring.length]] } }, id)),
    )
    const codes = answers.map(({ body }: Answer) => body.code)
    expect(codes.filter((code) => code === 116)).toHaveLength(1)
    expect(codes.filter((code) => code === undefined)).toHaveLength(ring.length - 1)
  })
})

test('fifty clients link one bug at once: every link is there and recorded once, without a second attempt', async () => {
  const others = await copyBug(bug, 50)
  const answers = await Promise.all(
    others.map((id) => change({ depends_on: { add: [id] }, blocks: { remove: [id] } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200))
  expect(new Set(answers.map(({ cost }) => cost.trips))).toEqual(new Set([2]))
  expect((await readWholeBug(editor, bug)).depends_on).toEqual(others)
  expect(await loadRowsOfBug('history', bug)).toHaveLength(50)
})

test('PUT /bug rejects a caller with 115 who meanwhile lost the role that the right depends on', async () => {
  const session = openInterruptedSession(2, () => updateBugRow(bug, { assigned_to_id: editor.id }))
  const input = changeBugInput.parse({ id_or_alias: String(bug), depends_on: { add: [one] } })
  await expect(changeBugs.run(buildCtx(assignee, [], session), input)).rejects.toMatchObject({
    code: 115,
  })
  expect((await readWholeBug(editor, bug)).depends_on).toEqual([])
})
