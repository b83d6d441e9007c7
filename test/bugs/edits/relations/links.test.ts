import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../src/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/bugs/change/input.ts'
import {
  buildBugBody,
  copyBug,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { type Answer, post, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { summarizeHistory } from '../../../support/database/history.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

let place: TestProduct
let editor: TestPerson
let assignee: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let member: TestPerson
let team: TestGroup
let bug: number
let one: number
let two: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  assignee = await insertPerson()
  reporter = await insertPerson()
  stranger = await insertPerson()
  member = await insertPerson({ roles: ['editbugs'] })
  team = await insertGroup([member])
  place = await insertProduct({ assignee })
})

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
  test('is added, removed and set, with its mirror on the other bug', async () => {
    const alias = uniqueName('alias')
    await execute(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias.toLowerCase()}
      WHERE id = ${two}`)
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

  test('moves the time of both bugs and is told to the people of both', async () => {
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

  test('of a new bug is told of on the other bug alone', async () => {
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

  test('of a new bug counts only from who has editbugs', async () => {
    const id = await postBug(reporter, place, { [field]: [one, 'nobody', 0] })
    expect((await readWholeBug(editor, id))[field]).toEqual([])
  })

  test.each<[string, unknown, number, number, string]>([
    ['an unknown alias', 'no-such-alias', 400, 100, 'no-such-alias'],
    ['nothing', 0, 400, 100, '0'],
    ['a number below zero', -1, 400, 100, '-1'],
    ['a number that nobody has', 2_000_000_000, 404, 101, '2000000000'],
  ])('refuses %s', async (_, given, status, code, naming) => {
    const path = `/rest/bug/${bug}`
    for (const part of ['add', 'set']) {
      const body = { [field]: { [part]: [one, given] } }
      await expectRefusal(() => put(stranger, path, body), status, code, naming)
    }
    const body = buildBugBody(place, { [field]: [one, given] })
    await expectRefusal(() => post(editor, '/rest/bug', body), status, code, naming)
    expect(await changeBug(editor, bug, { [field]: { remove: [given] } })).toEqual({})
  })

  test('hides bugs: they are not linked, and what links them stays', async () => {
    await changeBug(editor, bug, { [field]: { add: [one, two] } })
    await restrictBug(two, team)
    const contact = await insertPerson()
    await updateBugRow(bug, { qa_contact_id: contact.id })
    for (const edit of [{ add: [two] }, { set: [one, two] }]) {
      await expectRefusal(() => change({ [field]: edit }, bug, contact), 401, 102, `${two}`)
    }
    await expectRefusal(() => change({ [field]: { add: [two] } }, bug, stranger), 401, 115)
    expect(await changeBug(editor, bug, { [field]: { remove: [two] } })).toEqual({})
    expect(await changeBug(editor, bug, { [field]: { set: [] } })).toEqual({
      [field]: { removed: `${one}`, added: '' },
    })
    expect((await readWholeBug(editor, bug))[field]).toEqual([])
    expect((await readWholeBug(member, bug))[field]).toEqual([two])
    const body = buildBugBody(place, { [field]: [two] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 401, 102, `${two}`)
  })

  test('to a hidden bug is made by editors who know its number, and shown to none of them', async () => {
    const alias = uniqueName('alias')
    await execute(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias.toLowerCase()}
      WHERE id = ${two}`)
    await restrictBug(two, team)
    await expectRefusal(() => change({ [field]: { add: [alias] } }), 401, 102, alias)
    expect(await changeBug(editor, bug, { [field]: { add: [one, two] } })).toEqual({
      [field]: { removed: '', added: `${one}, ${two}` },
    })
    expect(await changeBug(editor, bug, { [field]: { add: [two] } })).toEqual({})
    expect((await readWholeBug(editor, bug))[field]).toEqual([one])
    expect((await readWholeBug(member, bug))[field]).toEqual([one, two])
    expect((await readWholeBug(member, two))[mirror]).toEqual([bug])
    await expectRefusal(() => change({ [mirror]: { add: [two] } }), 400, 116, mirror)
  })

  test('is for those who may change the bug', async () => {
    await expectRefusal(() => change({ [field]: { add: [one] } }, bug, stranger), 401, 115, field)
    await changeBug(editor, bug, { [field]: { add: [one] } })
    expect(await changeBug(stranger, bug, { [field]: { add: [one], remove: [two] } })).toEqual({})
    await changeBug(reporter, bug, { [field]: { add: [two] } })
    await changeBug(assignee, bug, { [field]: { set: [] } })
  })

  test('does not lead back to the bug', async () => {
    await expectRefusal(() => change({ [field]: { add: [bug] } }), 400, 116, `${bug}`)
    await changeBug(editor, one, { [field]: { add: [two] } })
    await changeBug(editor, two, { [field]: { add: [bug] } })
    await expectRefusal(() => change({ [field]: { add: [one] } }), 400, 116, field)
    await expectRefusal(() => change({ [field]: { set: [two] } }), 400, 116, field)
    const body = buildBugBody(place, { [field]: [one], [mirror]: [bug] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 400, 116)
    const same = buildBugBody(place, { [field]: [one], [mirror]: [one] })
    await expectRefusal(() => post(editor, '/rest/bug', same), 400, 116)
  })

  test('is turned round in one request', async () => {
    await changeBug(editor, bug, { [field]: { add: [one] } })
    expect(
      await changeBug(editor, bug, { [field]: { remove: [one] }, [mirror]: { add: [one] } }),
    ).toEqual({
      [field]: { removed: `${one}`, added: '' },
      [mirror]: { removed: '', added: `${one}` },
    })
  })
})

describe('relations', () => {
  test('are known by their internal names, on updates and on new bugs', async () => {
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

  test('of many bugs lead each to all', async () => {
    const { body } = await change({ ids: [one], blocks: { add: [two] } })
    expect(body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual([
      { blocks: { removed: '', added: `${two}` } },
      { blocks: { removed: '', added: `${two}` } },
    ])
    expect(await summarizeHistory(two)).toEqual([`depends_on:  > ${bug}, ${one}`])
  })

  test('of either pair do not hinder those of the other', async () => {
    await changeBug(editor, bug, { depends_on: { add: [one] } })
    await changeBug(editor, bug, { regressions: { add: [one] } })
    expect(await readWholeBug(editor, one)).toMatchObject({ blocks: [bug], regressed_by: [bug] })
  })
})

describe('two clients who close a loop at once', () => {
  test('do not both succeed: the second is told', async () => {
    const session = openInterruptedSession(2, () =>
      changeBug(editor, one, { depends_on: { add: [bug] } }),
    )
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      depends_on: { add: [one] },
      comment: 'It waits.',
    })
    await expect(changeBugs(buildCtx(editor, ['editbugs'], session), input)).rejects.toMatchObject({
      code: 116,
    })
    expect(await readWholeBug(editor, bug)).toMatchObject({ depends_on: [], blocks: [one] })
    expect(await loadRowsOfBug('comments', bug)).toHaveLength(1)
  })

  test('over many bugs leave none, whoever wins', async () => {
    const ring = [bug, ...(await copyBug(bug, 9))]
    const answers = await Promise.all(
      ring.map((id, i) => change({ depends_on: { add: [ring[(i + 1) % ring.length]] } }, id)),
    )
    const codes = answers.map(({ body }: Answer) => body.code)
    expect(codes.filter((code) => code === 116)).toHaveLength(1)
    expect(codes.filter((code) => code === undefined)).toHaveLength(ring.length - 1)
  })
})

test('fifty people link one bug at once: all links are there, told of once, without a second attempt', async () => {
  const others = await copyBug(bug, 50)
  const answers = await Promise.all(
    others.map((id) => change({ depends_on: { add: [id] }, blocks: { remove: [id] } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200))
  expect(new Set(answers.map(({ cost }) => cost.trips))).toEqual(new Set([2]))
  expect((await readWholeBug(editor, bug)).depends_on).toEqual(others)
  expect(await loadRowsOfBug('history', bug)).toHaveLength(50)
})

test('who has lost the role that the right rests on is decided about again', async () => {
  const session = openInterruptedSession(2, () =>
    execute(sql`UPDATE bugs SET assigned_to_id = ${editor.id} WHERE id = ${bug}`),
  )
  const input = changeBugInput.parse({ id_or_alias: String(bug), depends_on: { add: [one] } })
  await expect(changeBugs(buildCtx(assignee, [], session), input)).rejects.toMatchObject({
    code: 115,
  })
  expect((await readWholeBug(editor, bug)).depends_on).toEqual([])
})
