import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../src/bugs/change/change.ts'
import { changeBugInput } from '../../../src/bugs/change/input.ts'
import { postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { get, put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

let place: TestProduct
let insider: TestPerson
let editor: TestPerson
let bug: number
let ids: number[]

beforeAll(async () => {
  insider = await insertPerson({ roles: ['insider'] })
  editor = await insertPerson({ roles: ['editbugs'] })
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(editor, place, { description: 'It breaks.' })
  await changeBug(editor, bug, { comment: 'One.' })
  await changeBug(insider, bug, { comment: { body: 'Two.', is_private: true } })
  await updateBugRow(bug, { changed_at: 1000 })
  ids = (await loadRowsOfBug('comments', bug)).map(({ id }) => Number(id))
})

async function privateOnes(): Promise<unknown[]> {
  return (await loadRowsOfBug('comments', bug)).map((row) => row.is_private)
}

describe('switching the privacy of comments answers', () => {
  test('no change of a field, with history, counters, time and a notice', async () => {
    const [description, one, two] = ids
    const wanted = { [String(description)]: true, [String(one)]: '1', [String(two)]: false }
    expect(await changeBug(insider, bug, { comment_is_private: wanted })).toEqual({})
    expect(await privateOnes()).toEqual([1, 1, 0])
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

  test('nothing where it is so already', async () => {
    const wanted = { [String(ids[0])]: false, [String(ids[1])]: null, [String(ids[2])]: true }
    await changeBug(insider, bug, { comment_is_private: wanted })
    await changeBug(editor, bug, { comment_is_private: { [String(ids[1])]: false } })
    expect(await loadRowsOfBug('history', bug)).toEqual([])
    expect(await loadBugRow(bug)).toMatchObject({ changed_at: 1000 })
  })

  test('comments of several bugs', async () => {
    const other = await postBug(editor, place)
    const [row] = await loadRowsOfBug('comments', other)
    const wanted = { [String(ids[1])]: true, [String(row?.id)]: true }
    const answer = await put(insider, `/rest/bug/${bug}`, {
      ids: [other],
      comment_is_private: wanted,
    })
    expect(answer.status).toBe(200)
    expect((await loadRowsOfBug('comments', other))[0]).toMatchObject({ is_private: 1 })
    expect(await privateOnes()).toEqual([0, 1, 1])
  })

  test('what others have not done meanwhile', async () => {
    const body = { comment_is_private: { [String(ids[0])]: true, [String(ids[1])]: true } }
    const input = changeBugInput.parse({ id_or_alias: String(bug), ...body })
    const session = openInterruptedSession(2, () =>
      changeBug(insider, bug, { comment_is_private: { [String(ids[0])]: true } }),
    )
    await changeBugs(buildCtx(insider, ['insider'], session), input)
    expect(await privateOnes()).toEqual([1, 1, 1])
    expect((await loadRowsOfBug('history', bug)).map((row) => row.comment_id)).toEqual(
      ids.slice(0, 2),
    )
    expect(await loadBugRow(bug)).toMatchObject({ public_comment_count: 0 })
  })
})

describe('switching the privacy of comments refuses', () => {
  const attempt =
    (who: TestPerson, key: unknown, wanted: unknown = true) =>
    () =>
      put(who, `/rest/bug/${bug}`, { comment_is_private: { [String(key)]: wanted } })

  test('comments of other bugs, before rights', async () => {
    const [other] = await loadRowsOfBug('comments', await postBug(editor, place))
    await expectRefusal(attempt(insider, other?.id), 400, 117, String(other?.id))
    await expectRefusal(attempt(editor, other?.id), 400, 117)
  })

  test.each(['0', '-1', 'x', '2147483647', '9'.repeat(30)])('%s for a comment', async (key) => {
    await expectRefusal(attempt(insider, key), 400, 117)
  })

  test('outsiders', async () => {
    await expectRefusal(attempt(editor, ids[1]), 401, 113)
  })

  test('all of the request for the sake of one', async () => {
    const wanted = { [String(ids[1])]: true, 7777777: true }
    const body = { comment_is_private: wanted, cc: { add: [editor.login] }, comment: 'Also.' }
    await expectRefusal(() => put(insider, `/rest/bug/${bug}`, body), 400, 117)
  })
})

describe('switching the privacy of comments hides', () => {
  test('private comments from outsiders, as if they did not exist', async () => {
    const attempt = (wanted: boolean) => () =>
      put(editor, `/rest/bug/${bug}`, { comment_is_private: { [String(ids[2])]: wanted } })
    await expectRefusal(attempt(true), 400, 117)
    await expectRefusal(attempt(false), 400, 117)
  })

  test('what has become private', async () => {
    await changeBug(insider, bug, { comment_is_private: { [String(ids[0])]: true } })
    const seen = await get(editor, `/rest/bug/${bug}/comment`)
    expect(seen.body.bugs[bug].comments.map(({ id }: { id: number }) => id)).toEqual([ids[1]])
    expect(await readWholeBug(editor, bug)).toMatchObject({ comment_count: 1, description: '' })
  })
})
