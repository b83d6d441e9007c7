import { beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { get, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

let bug: number
let ids: number[]

const insider = await insertPerson({ roles: ['insider'] })
const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(editor, place, { description: 'It breaks.' })
  await changeBug(editor, bug, { comment: 'One.' })
  await changeBug(insider, bug, { comment: { body: 'Two.', is_private: true } })
  await updateBugRow(bug, { changed_at: 1000 })
  ids = (await loadRowsOfBug('comments', bug)).map(({ id }) => Number(id))
})

async function loadPrivacy(): Promise<unknown[]> {
  return (await loadRowsOfBug('comments', bug)).map((row) => row.is_private)
}

describe('PUT /bug with comment_is_private', () => {
  test('returns no change of a field, but writes history, counters, the time of the bug and a notice', async () => {
    const [description, one, two] = ids
    const privacy = { [String(description)]: true, [String(one)]: '1', [String(two)]: false }
    expect(await changeBug(insider, bug, { comment_is_private: privacy })).toEqual({})
    expect(await loadPrivacy()).toEqual([1, 1, 0])
    expect(await loadBugRow(bug)).toMatchObject({ comment_count: 3, public_comment_count: 1 })
    const notice = (await loadRowsOfBug('notices', bug)).at(-1)
    const common = { field: 'longdescs.isprivate', author_id: insider.id, notice_id: notice?.id }
    expect(await loadRowsOfBug('history', bug)).toMatchObject([
      { ...common, comment_id: description, removed: '0', added: '1' },
      { ...common, comment_id: one, removed: '0', added: '1' },
      { ...common, comment_id: two, removed: '1', added: '0' },
    ])
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(1000)
  })

  test('writes nothing when the comments are private or public already', async () => {
    const privacy = { [String(ids[0])]: false, [String(ids[1])]: null, [String(ids[2])]: true }
    await changeBug(insider, bug, { comment_is_private: privacy })
    await changeBug(editor, bug, { comment_is_private: { [String(ids[1])]: false } })
    expect(await loadRowsOfBug('history', bug)).toEqual([])
    expect(await loadBugRow(bug)).toMatchObject({ changed_at: 1000 })
  })

  test('changes comments of several bugs', async () => {
    const other = await postBug(editor, place)
    const [row] = await loadRowsOfBug('comments', other)
    const privacy = { [String(ids[1])]: true, [String(row?.id)]: true }
    const answer = await put(insider, `/rest/bug/${bug}`, {
      ids: [other],
      comment_is_private: privacy,
    })
    expect(answer.status).toBe(200)
    expect((await loadRowsOfBug('comments', other))[0]).toMatchObject({ is_private: 1 })
    expect(await loadPrivacy()).toEqual([0, 1, 1])
  })

  test('changes only comments that did not change meanwhile', async () => {
    const body = { comment_is_private: { [String(ids[0])]: true, [String(ids[1])]: true } }
    const input = changeBugInput.parse({ id_or_alias: String(bug), ...body })
    const session = openInterruptedSession(2, () =>
      changeBug(insider, bug, { comment_is_private: { [String(ids[0])]: true } }),
    )
    await changeBugs.run(buildCtx(insider, ['insider'], session), input)
    expect(await loadPrivacy()).toEqual([1, 1, 1])
    expect((await loadRowsOfBug('history', bug)).map((row) => row.comment_id)).toEqual(
      ids.slice(0, 2),
    )
    expect(await loadBugRow(bug)).toMatchObject({ public_comment_count: 0 })
  })
})

describe('PUT /bug with a wrong comment_is_private', () => {
  const setPrivacy =
    (who: TestPerson, key: unknown, privacy: unknown = true) =>
    () =>
      put(who, `/rest/bug/${bug}`, { comment_is_private: { [String(key)]: privacy } })

  test('rejects comments of other bugs with 117 before it checks rights', async () => {
    const [other] = await loadRowsOfBug('comments', await postBug(editor, place))
    await expectRefusal(setPrivacy(insider, other?.id), 117, String(other?.id))
    await expectRefusal(setPrivacy(editor, other?.id), 117)
  })

  test.each(['0', '-1', 'x', '2147483647', '9'.repeat(30)])(
    'rejects the comment ID %s with 117',
    async (key) => {
      await expectRefusal(setPrivacy(insider, key), 117)
    },
  )

  test('rejects people who are no insiders with 113', async () => {
    await expectRefusal(setPrivacy(editor, ids[1]), 113)
  })

  test('rejects the whole request when one comment is unknown', async () => {
    const privacy = { [String(ids[1])]: true, 7777777: true }
    const body = { comment_is_private: privacy, cc: { add: [editor.login] }, comment: 'Also.' }
    await expectRefusal(() => put(insider, `/rest/bug/${bug}`, body), 117)
  })
})

describe('the visibility of comment_is_private', () => {
  test('answers 117 for private comments to people who are no insiders, as if the comments did not exist', async () => {
    const setPrivacy = (privacy: boolean) => () =>
      put(editor, `/rest/bug/${bug}`, { comment_is_private: { [String(ids[2])]: privacy } })
    await expectRefusal(setPrivacy(true), 117)
    await expectRefusal(setPrivacy(false), 117)
  })

  test('hides comments that have become private', async () => {
    await changeBug(insider, bug, { comment_is_private: { [String(ids[0])]: true } })
    const comments = await get(editor, `/rest/bug/${bug}/comment`)
    expect(comments.body.bugs[bug].comments.map(({ id }: { id: number }) => id)).toEqual([ids[1]])
    expect(await readWholeBug(editor, bug)).toMatchObject({ comment_count: 1, description: '' })
  })
})
