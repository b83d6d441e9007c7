import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseCommentTags } from '../../../src/tracker/comments/tagging.ts'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { get, post, put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { readHistory } from '../../support/clients/history.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

describe('tags', () => {
  test.each<[string[], string[]]>([
    [[], []],
    [['spam'], ['spam']],
    [
      ['Spam', 'spam', 'SPAM', 'ham'],
      ['Spam', 'ham'],
    ],
    [
      ['a.b', '1-2', '___'],
      ['a.b', '1-2', '___'],
    ],
    [['ｓｐａｍ', 'spam'], ['ｓｐａｍ']],
  ])('%j are stored as %j', (given, names) => {
    expect(parseCommentTags('add', given).map(({ name }) => name)).toEqual(names)
  })

  test.each<[string, number]>([
    ['', 127],
    ['ab', 127],
    ['a'.repeat(25), 128],
    ['a b', 126],
    ['a\tb', 126],
    ["a'b", 126],
    ['a\0b', 126],
    ['emoji😀', 126],
  ])('%j is refused with %d', (tag, code) => {
    expect(catchFaultCode(() => parseCommentTags('add', ['fine', tag]))).toBe(code)
  })
})

describe('the comment of a new bug or of an update', () => {
  let place: TestProduct
  let tagger: TestPerson
  let other: TestPerson

  beforeAll(async () => {
    place = await insertProduct()
    tagger = await insertPerson({ roles: ['editbugs'] })
    other = await insertPerson()
  })

  async function tagsOf(bug: number): Promise<string[][]> {
    const rows =
      await execute(sql`SELECT coalesce((SELECT group_concat(t.name, ' ' ORDER BY t.name_fold)
        FROM comment_tags t WHERE t.comment_id = c.id), '') AS tags
      FROM comments c WHERE c.bug_id = ${bug} ORDER BY c.number`)
    return rows.map(({ tags }) => String(tags).split(' ').filter(Boolean))
  }

  test('is tagged only by people who may tag', async () => {
    const bug = await postBug(tagger, place, { comment_tags: ['first', 'FIRST', 'telemetry'] })
    expect(await tagsOf(bug)).toEqual([['first', 'telemetry']])
    await changeBug(tagger, bug, { comment: 'Again.', comment_tags: 'again' })
    await changeBug(other, bug, { comment: 'Mine.', comment_tags: ['mine', '!'] })
    expect(await tagsOf(bug)).toEqual([['first', 'telemetry'], ['again'], []])
    expect(await tagsOf(await postBug(other, place, { comment_tags: '!' }))).toEqual([[]])
    const { body } = await get(tagger, `/rest/bug/${bug}/comment`)
    expect(body.bugs[bug].comments[0].tags).toEqual(['first', 'telemetry'])
  })

  test('is tagged on each bug, while older comments are not', async () => {
    const bugs = [await postBug(tagger, place), await postBug(tagger, place)]
    const body = { ids: bugs, comment: { body: 'Both.' }, comment_tags: ['both'] }
    expect((await put(tagger, `/rest/bug/${bugs[0]}`, body)).status).toBe(200)
    expect(await Promise.all(bugs.map(tagsOf))).toEqual([
      [[], ['both']],
      [[], ['both']],
    ])
  })

  test('is tagged where it marks a duplicate, which leaves the one on the original alone', async () => {
    const [one, original] = [await postBug(tagger, place), await postBug(tagger, place)]
    await changeBug(tagger, one, { dupe_of: original, comment_tags: ['twin'] })
    expect([await tagsOf(one), await tagsOf(original)]).toEqual([
      [[], ['twin']],
      [[], []],
    ])
  })

  test('has its tags in the history, like tags that are given later', async () => {
    const bug = await postBug(tagger, place, { comment_tags: ['zeta', 'Alpha', 'ALPHA'] })
    await changeBug(tagger, bug, { comment: 'Again.', comment_tags: ['again'], whiteboard: '[x]' })
    const posted = { comment: 'Once more.', comment_tags: ['more'] }
    expect((await post(tagger, `/rest/bug/${bug}/comment`, posted)).status).toBe(201)

    expect(await readHistory(bug)).toEqual([
      'comment_tag:  > Alpha, zeta',
      'whiteboard:  > [x]',
      'comment_tag:  > again',
      'comment_tag:  > more',
    ])
    const rows = await loadRowsOfBug('history', bug)
    expect(rows.filter(({ field }) => field === 'comment_tag')).toMatchObject(
      (await loadRowsOfBug('comments', bug)).map(({ id }) => ({ comment_id: id, notice_id: null })),
    )
  })

  test('hides the tags of a private comment in the history', async () => {
    const insider = await insertPerson({ roles: ['editbugs', 'insider'] })
    const bug = await postBug(insider, place)
    const comment = { body: 'Hush.', is_private: true }
    await changeBug(insider, bug, { comment, comment_tags: ['hushed'] })
    expect(await readHistory(bug, tagger)).toEqual([])
    expect(await readHistory(bug, insider)).toEqual(['comment_tag:  > hushed'])
  })

  test('has to be there: tags alone change nothing', async () => {
    const bug = await postBug(tagger, place)
    expect(await changeBug(tagger, bug, { comment_tags: ['alone'] })).toEqual({})
    expect(await tagsOf(bug)).toEqual([[]])
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(1)
  })

  test.each([
    ['ab', 127],
    ['x'.repeat(25), 128],
    ['no blanks', 126],
  ])('is not tagged %j', async (tag, code) => {
    const bug = await postBug(tagger, place)
    const comment_tags = ['fine', tag]
    const body = { comment: 'No.', whiteboard: '[no]', comment_tags }
    await expectRefusal(() => put(tagger, `/rest/bug/${bug}`, body), code)
    await expectRefusal(
      () => post(tagger, '/rest/bug', buildBugBody(place, { comment_tags })),
      code,
    )
  })

  test('is no Markdown while that is switched off, even on request', async () => {
    const send = (method: string, path: string, body: object) =>
      fetchWith({ USE_MARKDOWN: 'off' }, `/rest${path}`, {
        method,
        headers: { 'x-tracker-api-key': tagger.key },
        body: JSON.stringify(body),
      })
    const plain = await send('POST', '/bug', buildBugBody(place, { description: '*plain*' }))
    const { id } = await plain.json<{ id: number }>()
    const before = await loadRowsOfBug('comments', id)
    const path = `/bug/${id}`
    const edits = { comment: { body: '*bold*', is_markdown: true }, whiteboard: '[x]' }
    const refused = await send('PUT', path, edits)
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 140 }])
    expect(await loadRowsOfBug('comments', id)).toEqual(before)
    expect((await send('PUT', path, { comment: { body: '*plain*' } })).status).toBe(200)
    expect((await send('PUT', path, { comment: { body: '', is_markdown: true } })).status).toBe(200)
    expect((await loadRowsOfBug('comments', id)).map((row) => row.is_markdown)).toEqual([0, 0])
    await changeBug(tagger, id, { comment: { body: '*bold*' } })
    expect((await loadRowsOfBug('comments', id)).map((row) => row.is_markdown)).toEqual([0, 0, 1])
  })
})
