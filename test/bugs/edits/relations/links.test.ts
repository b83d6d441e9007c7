import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../src/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/bugs/change/input.ts'
import { type Answer, post, put } from '../../../support/client.ts'
import { changesOf, expectRefusal, readBug, rowsOf, storedBug } from '../../../support/filing.ts'
import { write } from '../../../support/happening.ts'
import { alter, copies, filed, restrict } from '../../../support/reading.ts'
import { ctxOf, interrupted } from '../../../support/sessions.ts'
import {
  group,
  newBug,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
  unique,
} from '../../../support/world.ts'

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
  editor = await person({ roles: ['editbugs'] })
  assignee = await person()
  reporter = await person()
  stranger = await person()
  member = await person({ roles: ['editbugs'] })
  team = await group([member])
  place = await product({ assignee })
})

beforeEach(async () => {
  bug = await filed(reporter, place)
  ;[one = 0, two = 0] = await copies(bug, 2)
})

const change = (body: object, id = bug, who = editor) => put(who, `/rest/bug/${id}`, body)

async function told(id: number): Promise<string[]> {
  const rows = await rowsOf('history', id)
  return rows.map(({ field, removed, added }) => `${field}: ${removed} > ${added}`)
}

describe.each([
  ['depends_on', 'blocks'],
  ['blocks', 'depends_on'],
  ['regressed_by', 'regressions'],
  ['regressions', 'regressed_by'],
])('%s', (field, mirror) => {
  test('is added, removed and set, with its mirror on the other bug', async () => {
    const alias = unique('alias')
    await write(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias.toLowerCase()}
      WHERE id = ${two}`)
    expect(
      await changesOf(editor, bug, { [field]: { add: `${alias.toUpperCase()}, ${one}` } }),
    ).toEqual({
      [field]: { removed: '', added: `${two}, ${one}` },
    })
    expect((await readBug(editor, bug))[field]).toEqual([one, two])
    expect((await readBug(editor, one))[mirror]).toEqual([bug])
    expect(await told(one)).toEqual([`${mirror}:  > ${bug}`])

    expect(
      await changesOf(editor, bug, { [field]: { add: [one], remove: [two, 'nobody'] } }),
    ).toEqual({
      [field]: { removed: `${two}`, added: '' },
    })
    expect((await readBug(editor, two))[mirror]).toEqual([])

    expect(await changesOf(editor, bug, { [field]: { set: [two], add: ['nobody'] } })).toEqual({
      [field]: { removed: `${one}`, added: `${two}` },
    })
    expect(await changesOf(editor, bug, { [field]: { set: [] } })).toEqual({
      [field]: { removed: `${two}`, added: '' },
    })
    expect(await told(one)).toEqual([`${mirror}:  > ${bug}`, `${mirror}: ${bug} > `])
    expect((await readBug(editor, bug))[field]).toEqual([])
  })

  test('moves the time of both bugs and is told to the people of both', async () => {
    const before = await storedBug(one)
    await write(sql`UPDATE bugs SET changed_at = 1000 WHERE id IN (${one}, ${two})`)
    await changesOf(editor, bug, { [field]: { add: [one] } })
    const now = await storedBug(bug)
    expect((await storedBug(one)).changed_at).toBe(now.changed_at)
    expect((await storedBug(two)).changed_at).toBe(1000)
    const notices = await rowsOf('notices', one)
    expect(notices).toMatchObject([{ kind: 'changed', author_id: editor.id }])
    expect(await rowsOf('history', one)).toMatchObject([{ notice_id: notices[0]?.id }])
    expect(before.revision).toBe((await storedBug(one)).revision)
  })

  test('of a new bug is told of on the other bug alone', async () => {
    const id = await filed(editor, place, { [field]: [one, `${two}`, one] })
    expect((await readBug(editor, id))[field]).toEqual([one, two])
    expect((await readBug(editor, one))[mirror]).toEqual([id])
    expect([await told(id), await told(one)]).toEqual([[], [`${mirror}:  > ${id}`]])
    expect(await rowsOf('notices', one)).toMatchObject([{ kind: 'changed' }])
    expect(await rowsOf('notices', id)).toMatchObject([{ kind: 'created' }])
  })

  test('of a new bug counts only from who has editbugs', async () => {
    const id = await filed(reporter, place, { [field]: [one, 'nobody', 0] })
    expect((await readBug(editor, id))[field]).toEqual([])
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
    const body = newBug(place, { [field]: [one, given] })
    await expectRefusal(() => post(editor, '/rest/bug', body), status, code, naming)
    expect(await changesOf(editor, bug, { [field]: { remove: [given] } })).toEqual({})
  })

  test('hides bugs: they are not linked, and what links them stays', async () => {
    await changesOf(editor, bug, { [field]: { add: [one, two] } })
    await restrict(two, team)
    const contact = await person()
    await alter(bug, { qa_contact_id: contact.id })
    for (const edit of [{ add: [two] }, { set: [one, two] }]) {
      await expectRefusal(() => change({ [field]: edit }, bug, contact), 401, 102, `${two}`)
    }
    await expectRefusal(() => change({ [field]: { add: [two] } }, bug, stranger), 401, 115)
    expect(await changesOf(editor, bug, { [field]: { remove: [two] } })).toEqual({})
    expect(await changesOf(editor, bug, { [field]: { set: [] } })).toEqual({
      [field]: { removed: `${one}`, added: '' },
    })
    expect((await readBug(editor, bug))[field]).toEqual([])
    expect((await readBug(member, bug))[field]).toEqual([two])
    const body = newBug(place, { [field]: [two] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 401, 102, `${two}`)
  })

  test('to a hidden bug is made by editors who know its number, and shown to none of them', async () => {
    const alias = unique('alias')
    await write(sql`UPDATE bugs SET alias = ${alias}, alias_fold = ${alias.toLowerCase()}
      WHERE id = ${two}`)
    await restrict(two, team)
    await expectRefusal(() => change({ [field]: { add: [alias] } }), 401, 102, alias)
    expect(await changesOf(editor, bug, { [field]: { add: [one, two] } })).toEqual({
      [field]: { removed: '', added: `${one}, ${two}` },
    })
    expect(await changesOf(editor, bug, { [field]: { add: [two] } })).toEqual({})
    expect((await readBug(editor, bug))[field]).toEqual([one])
    expect((await readBug(member, bug))[field]).toEqual([one, two])
    expect((await readBug(member, two))[mirror]).toEqual([bug])
    await expectRefusal(() => change({ [mirror]: { add: [two] } }), 400, 116, mirror)
  })

  test('is for those who may change the bug', async () => {
    await expectRefusal(() => change({ [field]: { add: [one] } }, bug, stranger), 401, 115, field)
    await changesOf(editor, bug, { [field]: { add: [one] } })
    expect(await changesOf(stranger, bug, { [field]: { add: [one], remove: [two] } })).toEqual({})
    await changesOf(reporter, bug, { [field]: { add: [two] } })
    await changesOf(assignee, bug, { [field]: { set: [] } })
  })

  test('does not lead back to the bug', async () => {
    await expectRefusal(() => change({ [field]: { add: [bug] } }), 400, 116, `${bug}`)
    await changesOf(editor, one, { [field]: { add: [two] } })
    await changesOf(editor, two, { [field]: { add: [bug] } })
    await expectRefusal(() => change({ [field]: { add: [one] } }), 400, 116, field)
    await expectRefusal(() => change({ [field]: { set: [two] } }), 400, 116, field)
    const body = newBug(place, { [field]: [one], [mirror]: [bug] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 400, 116)
    const same = newBug(place, { [field]: [one], [mirror]: [one] })
    await expectRefusal(() => post(editor, '/rest/bug', same), 400, 116)
  })

  test('is turned round in one request', async () => {
    await changesOf(editor, bug, { [field]: { add: [one] } })
    expect(
      await changesOf(editor, bug, { [field]: { remove: [one] }, [mirror]: { add: [one] } }),
    ).toEqual({
      [field]: { removed: `${one}`, added: '' },
      [mirror]: { removed: '', added: `${one}` },
    })
  })
})

describe('relations', () => {
  test('are known by their internal names, on updates and on new bugs', async () => {
    await changesOf(editor, bug, { dependson: { add: [one] }, blocked: { add: [two] } })
    const id = await filed(editor, place, { dependson: [one], blocked: `${two}`, regresses: [bug] })
    expect(await readBug(editor, bug)).toMatchObject({ depends_on: [one], blocks: [two] })
    expect(await readBug(editor, id)).toMatchObject({
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
    expect(await told(two)).toEqual([`depends_on:  > ${bug}, ${one}`])
  })

  test('of either pair do not hinder those of the other', async () => {
    await changesOf(editor, bug, { depends_on: { add: [one] } })
    await changesOf(editor, bug, { regressions: { add: [one] } })
    expect(await readBug(editor, one)).toMatchObject({ blocks: [bug], regressed_by: [bug] })
  })
})

describe('two clients who close a loop at once', () => {
  test('do not both succeed: the second is told', async () => {
    const session = interrupted(2, () => changesOf(editor, one, { depends_on: { add: [bug] } }))
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      depends_on: { add: [one] },
      comment: 'It waits.',
    })
    await expect(changeBugs(ctxOf(editor, ['editbugs'], session), input)).rejects.toMatchObject({
      code: 116,
    })
    expect(await readBug(editor, bug)).toMatchObject({ depends_on: [], blocks: [one] })
    expect(await rowsOf('comments', bug)).toHaveLength(1)
  })

  test('over many bugs leave none, whoever wins', async () => {
    const ring = [bug, ...(await copies(bug, 9))]
    const answers = await Promise.all(
      ring.map((id, i) => change({ depends_on: { add: [ring[(i + 1) % ring.length]] } }, id)),
    )
    const codes = answers.map(({ body }: Answer) => body.code)
    expect(codes.filter((code) => code === 116)).toHaveLength(1)
    expect(codes.filter((code) => code === undefined)).toHaveLength(ring.length - 1)
  })
})

test('fifty people link one bug at once: all links are there, told of once, without a second attempt', async () => {
  const others = await copies(bug, 50)
  const answers = await Promise.all(
    others.map((id) => change({ depends_on: { add: [id] }, blocks: { remove: [id] } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200))
  expect(new Set(answers.map(({ cost }) => cost.trips))).toEqual(new Set([2]))
  expect((await readBug(editor, bug)).depends_on).toEqual(others)
  expect(await rowsOf('history', bug)).toHaveLength(50)
})

test('who has lost the role that the right rests on is decided about again', async () => {
  const session = interrupted(2, () =>
    write(sql`UPDATE bugs SET assigned_to_id = ${editor.id} WHERE id = ${bug}`),
  )
  const input = changeBugInput.parse({ id_or_alias: String(bug), depends_on: { add: [one] } })
  await expect(changeBugs(ctxOf(assignee, [], session), input)).rejects.toMatchObject({ code: 115 })
  expect((await readBug(editor, bug)).depends_on).toEqual([])
})
