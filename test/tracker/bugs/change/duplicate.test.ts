import { beforeEach, describe, expect, test } from 'vitest'
import {
  forgetChanges,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { readBothTexts } from '../../../support/clients/comments.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { summarizeHistory } from '../../../support/database/history.ts'

type Body = Record<string, unknown>

let bug: number
let original: number

const MARKED = {
  status: { removed: 'CONFIRMED', added: 'RESOLVED' },
  resolution: { removed: '', added: 'DUPLICATE' },
}

const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const reporter = await insertPerson()
const stranger = await insertPerson()
const team = await insertGroup()
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await changeBug(editor, bug, { status: 'CONFIRMED' })
  original = await postBug(editor, place)
  await forgetChanges(bug)
  await forgetChanges(original)
})

const linkTo = (id: number | null, from: number | null = null) => ({
  removed: from === null ? '' : String(from),
  added: id === null ? '' : String(id),
})

describe('PUT /bug with dupe_of', () => {
  test('sets status, resolution and original from the number of the original alone', async () => {
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
    ['a number as a string', () => ({ dupe_of: String(original) })],
    [
      'dupe_of together with status and resolution',
      () => ({ status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: original }),
    ],
    [
      'dupe_of together with the resolution',
      () => ({ resolution: 'duplicate', dupe_of: original }),
    ],
    [
      'dupe_of together with another resolution, which it overrides',
      () => ({ status: 'RESOLVED', resolution: 'FIXED', dupe_of: original }),
    ],
  ])('marks a duplicate from %s', async (_, body) => {
    alias = uniqueName('alias')
    await updateBugRow(original, { alias, alias_fold: alias.toLowerCase() })
    expect(await changeBug(editor, bug, body())).toEqual({ ...MARKED, dupe_of: linkTo(original) })
  })
  let alias: string

  test('adds a comment to both bugs', async () => {
    await changeBug(editor, bug, { dupe_of: original, comment: 'Seen before.' })
    expect(await readBothTexts(editor, bug)).toEqual([
      [
        `Seen before.\n\n*** This bug has been marked as a duplicate of bug ${original} ***`,
        'Seen before.',
      ],
    ])
    expect(await readBothTexts(editor, original)).toEqual([
      [`*** Bug ${bug} has been marked as a duplicate of this bug. ***`, ''],
    ])
    const [comment] = (await loadRowsOfBug('comments', original)).slice(1)
    expect(comment).toMatchObject({ author_id: editor.id, is_private: 0, related_bug_id: bug })
  })

  test('adds a comment without a text of its own when the request has no comment', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    const notice = `*** This bug has been marked as a duplicate of bug ${original} ***`
    expect(await readBothTexts(editor, bug)).toEqual([[notice, '']])
  })

  test('writes the history, the time and a notice of both bugs', async () => {
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

  test('sets the remaining time to zero whether the bug was closed before or not', async () => {
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

  test('turns a verified bug into a resolved one, and keeps the status of a duplicate that gets another original', async () => {
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

  test('changes nothing for the same original, and ignores dupe_of when the bug is opened', async () => {
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
      'does not add the reporter of both bugs to the CC list of the original',
      () => updateBugRow(original, { reporter_id: reporter.id }),
      () => ({}),
    ],
    [
      'does not add a reporter who does not see the original to its CC list',
      () => restrictBug(original, team),
      () => ({}),
    ],
    [
      'keeps a reporter on the CC list of the original who is there already',
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

describe('a bug stops being a duplicate', () => {
  test.each<[string, Body]>([
    ['when it is reopened', { status: 'UNCONFIRMED' }],
    ['when it gets another resolution', { resolution: 'INVALID' }],
    [
      'when it moves to another status with another resolution',
      { status: 'VERIFIED', resolution: 'FIXED' },
    ],
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
    expect((await loadBugRow(original)).changed_at, 'the time of the original stays').toBe(2000)
    expect(await loadRowsOfBug('notices', original)).toEqual(notices)
  })

  test('together with other duplicates in one request', async () => {
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

  test('only when its resolution changes, and not when its status alone moves', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    await changeBug(editor, bug, { status: 'VERIFIED' })
    expect(await readWholeBug(editor, bug)).toMatchObject({
      dupe_of: original,
      resolution: 'DUPLICATE',
    })
  })
})
