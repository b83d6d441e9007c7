import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { get, put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { summarizeHistory } from '../../support/database/history.ts'

type Body = Record<string, unknown>

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let team: TestGroup
let bug: number
let original: number

const MARKED = {
  status: { removed: 'CONFIRMED', added: 'RESOLVED' },
  resolution: { removed: '', added: 'DUPLICATE' },
}

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  reporter = await insertPerson()
  stranger = await insertPerson()
  team = await insertGroup()
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await changeBug(editor, bug, { status: 'CONFIRMED' })
  original = await postBug(editor, place)
  for (const id of [bug, original]) {
    await updateBugRow(id, { changed_at: 1000 })
    await execute(
      sql`DELETE FROM history WHERE bug_id = ${id}`,
      sql`DELETE FROM notices WHERE bug_id = ${id}`,
    )
  }
})

const linkTo = (id: number | null, from: number | null = null) => ({
  removed: from === null ? '' : String(from),
  added: id === null ? '' : String(id),
})

async function textsOf(who: TestPerson, id: number): Promise<[string, string][]> {
  const { body } = await get(who, `/rest/bug/${id}/comment`)
  return body.bugs[id].comments
    .slice(1)
    .map(({ text, raw_text }: { text: string; raw_text: string }) => [text, raw_text])
}

describe('marking a duplicate answers', () => {
  test('with status, resolution and the other bug, from its number alone', async () => {
    expect(await changeBug(editor, bug, { dupe_of: original })).toEqual({
      ...MARKED,
      dupe_of: linkTo(original),
    })
    expect(await readWholeBug(editor, bug)).toMatchObject({
      status: 'RESOLVED',
      resolution: 'DUPLICATE',
      dupe_of: original,
      is_confirmed: true,
    })
    expect(await readWholeBug(editor, original)).toMatchObject({
      duplicates: [bug],
      cc: [reporter.login],
    })
  })

  test.each<[string, () => Body]>([
    ['an alias', () => ({ dupe_of: alias })],
    ['a text', () => ({ dupe_of: String(original) })],
    [
      'status and resolution besides',
      () => ({ status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: original }),
    ],
    ['the resolution besides', () => ({ resolution: 'duplicate', dupe_of: original })],
    [
      'another resolution, which counts for less',
      () => ({ status: 'RESOLVED', resolution: 'FIXED', dupe_of: original }),
    ],
  ])('from %s', async (_, body) => {
    alias = uniqueName('alias')
    await updateBugRow(original, { alias, alias_fold: alias.toLowerCase() })
    expect(await changeBug(editor, bug, body())).toEqual({ ...MARKED, dupe_of: linkTo(original) })
  })
  let alias: string

  test('with a comment on both bugs', async () => {
    await changeBug(editor, bug, { dupe_of: original, comment: 'Seen before.' })
    expect(await textsOf(editor, bug)).toEqual([
      [
        `Seen before.\n\n*** This bug has been marked as a duplicate of bug ${original} ***`,
        'Seen before.',
      ],
    ])
    expect(await textsOf(editor, original)).toEqual([
      [`*** Bug ${bug} has been marked as a duplicate of this bug. ***`, ''],
    ])
    const [comment] = (await loadRowsOfBug('comments', original)).slice(1)
    expect(comment).toMatchObject({ author_id: editor.id, is_private: 0, related_bug_id: bug })
  })

  test('with a comment that holds nothing else when none came along', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    const notice = `*** This bug has been marked as a duplicate of bug ${original} ***`
    expect(await textsOf(editor, bug)).toEqual([[notice, '']])
  })

  test('with history, time and notice of both bugs', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    expect((await summarizeHistory(bug)).sort()).toEqual([
      `dupe_of:  > ${original}`,
      'resolution:  > DUPLICATE',
      'status: CONFIRMED > RESOLVED',
    ])
    expect((await summarizeHistory(original)).sort()).toEqual([
      `cc:  > ${reporter.login}`,
      `duplicates:  > ${bug}`,
    ])
    const { changed_at: moment } = await loadBugRow(bug)
    expect(moment).toBeGreaterThan(1000)
    expect((await loadBugRow(original)).changed_at).toBe(moment)
    for (const id of [bug, original]) {
      const [notice] = await loadRowsOfBug('notices', id)
      expect(notice).toMatchObject({ kind: 'changed', author_id: editor.id })
      expect(
        (await loadRowsOfBug('history', id)).every((row) => row.notice_id === notice?.id),
      ).toBe(true)
      expect((await loadRowsOfBug('comments', id)).at(-1)?.notice_id).toBe(notice?.id)
    }
  })

  test('with nothing that remains to be done, closed before or not', async () => {
    await updateBugRow(bug, { remaining_time: 2 })
    const hours = { removed: '2', added: '0' }
    expect(await changeBug(editor, bug, { dupe_of: original })).toHaveProperty(
      'remaining_time',
      hours,
    )
    const closed = await postBug(editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
    await updateBugRow(closed, { remaining_time: 2 })
    expect(await changeBug(editor, closed, { dupe_of: original })).toEqual({
      resolution: { removed: 'FIXED', added: 'DUPLICATE' },
      dupe_of: linkTo(original),
      remaining_time: hours,
    })
  })

  test('from a verified bug as a resolved one, and of a duplicate with its status', async () => {
    await changeBug(editor, bug, { status: 'RESOLVED', resolution: 'FIXED' })
    await changeBug(editor, bug, { status: 'VERIFIED' })
    expect(await changeBug(editor, bug, { dupe_of: original })).toMatchObject({
      status: { removed: 'VERIFIED', added: 'RESOLVED' },
    })
    await changeBug(editor, bug, { status: 'VERIFIED' })
    const other = await postBug(editor, place)
    expect(await changeBug(editor, bug, { dupe_of: other })).toEqual({
      dupe_of: linkTo(other, original),
    })
    expect((await summarizeHistory(original)).filter((row) => row.startsWith('dup'))).toEqual([
      `duplicates:  > ${bug}`,
      `duplicates: ${bug} > `,
    ])
    expect(await summarizeHistory(other)).toContain(`duplicates:  > ${bug}`)
  })

  test('nothing where it is so already, or where the bug is to be open', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    expect(await changeBug(stranger, bug, { dupe_of: original })).toEqual({})
    expect(await loadRowsOfBug('comments', original)).toHaveLength(2)
    expect(await changeBug(editor, bug, { status: 'CONFIRMED', dupe_of: 'no-such-bug' })).toEqual({
      status: { removed: 'RESOLVED', added: 'CONFIRMED' },
      resolution: { removed: 'DUPLICATE', added: '' },
      dupe_of: linkTo(null, original),
    })
  })

  test.each<[string, () => Promise<unknown>, () => Body]>([
    [
      'who reported both is not put on the CC list',
      () => updateBugRow(original, { reporter_id: reporter.id }),
      () => ({}),
    ],
    ['who does not see the original is not either', () => restrictBug(original, team), () => ({})],
    [
      'who is there already is left there',
      () => changeBug(editor, original, { cc: { add: [reporter.login] } }),
      () => ({ cc: [reporter.login] }),
    ],
  ])('%s', async (_, prepare, expected) => {
    await prepare()
    const before = (await loadRowsOfBug('bug_cc', original)).length
    await changeBug(await allSeeing(), bug, { dupe_of: original })
    expect(await loadRowsOfBug('bug_cc', original)).toHaveLength(before)
    expect(await readWholeBug(editor, original)).toMatchObject(expected())
  })
})

/** Somebody with editbugs who is in the team. */
function allSeeing(): Promise<TestPerson> {
  return insertPerson({ roles: ['editbugs'], groups: [team] })
}

describe('a bug is no duplicate any more', () => {
  test.each<[string, Body]>([
    ['when it is opened again', { status: 'UNCONFIRMED' }],
    ['when it gets another resolution', { resolution: 'INVALID' }],
    ['when another status brings one', { status: 'VERIFIED', resolution: 'FIXED' }],
  ])('%s', async (_, body) => {
    await changeBug(editor, bug, { dupe_of: original })
    await updateBugRow(original, { changed_at: 2000 })
    const notices = await loadRowsOfBug('notices', original)
    expect(await changeBug(editor, bug, body)).toHaveProperty('dupe_of', linkTo(null, original))
    expect(await readWholeBug(editor, bug)).toMatchObject({ dupe_of: null })
    expect(await readWholeBug(editor, original)).toMatchObject({ duplicates: [] })
    const lost = (await loadRowsOfBug('history', original)).at(-1)
    const moment = (await loadBugRow(bug)).changed_at
    expect(lost).toMatchObject({
      field: 'duplicates',
      removed: String(bug),
      added: '',
      changed_at: moment,
      notice_id: null,
    })
    expect((await loadBugRow(original)).changed_at, 'its time stays').toBe(2000)
    expect(await loadRowsOfBug('notices', original)).toEqual(notices)
  })

  test('with others at once', async () => {
    const other = await postBug(editor, place)
    await changeBug(editor, bug, { dupe_of: original })
    await changeBug(editor, other, { dupe_of: original })
    const { body } = await put(editor, `/rest/bug/${bug}`, { ids: [other], status: 'UNCONFIRMED' })
    expect(body.bugs.map(({ changes }: { changes: Body }) => changes.dupe_of)).toEqual([
      linkTo(null, original),
      linkTo(null, original),
    ])
    expect((await summarizeHistory(original)).filter((row) => row.endsWith('> '))).toHaveLength(2)
  })

  test('keeps what it is a duplicate of while only its status moves', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    await changeBug(editor, bug, { status: 'VERIFIED' })
    expect(await readWholeBug(editor, bug)).toMatchObject({
      dupe_of: original,
      resolution: 'DUPLICATE',
    })
  })
})
