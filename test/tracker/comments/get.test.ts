import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug, postBug } from '../../support/builders/bugs.ts'
import { insertBugWithComments } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, post } from '../../support/client.ts'
import { readComment, readComments, textsOf } from '../../support/clients/comments.ts'
import { execute } from '../../support/database/execute.ts'

const reporter = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const place = await insertProduct()

async function postComment(
  id: number,
  text: string,
  more: object = {},
  who = reporter,
): Promise<number> {
  const answer = await post(who, `/rest/bug/${id}/comment`, { comment: text, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

describe('GET /bug/:id/comment', () => {
  test('lists the comments of a bug, oldest first, with every field', async () => {
    const id = await postBug(reporter, place, { description: ' indented\nfirst' })
    const second = await postComment(id, 'second', { is_markdown: true }, insider)
    const [description, answer] = await readComments(id)

    expect(description).toEqual({
      id: expect.any(Number),
      bug_id: id,
      attachment_id: null,
      count: 0,
      text: ' indented\nfirst',
      raw_text: ' indented\nfirst',
      creator: reporter.login,
      author: reporter.login,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      creation_time: description?.time,
      is_private: false,
      is_markdown: expect.any(Boolean),
      tags: [],
    })
    expect(answer).toMatchObject({
      id: second,
      count: 1,
      text: 'second',
      creator: insider.login,
      is_markdown: true,
    })
  })

  test('lists each bug once under its number, even if it is requested by ID and alias', async () => {
    const alias = uniqueName('alias')
    const [one, two] = [await postBug(reporter, place), await postBug(reporter, place, { alias })]
    const keys = async (path: string) => {
      const { status, body } = await get(ANYONE, `/rest/bug/${path}`)
      expect(status).toBe(200)
      return Object.keys(body.bugs)
    }

    expect(await keys(`${alias}/comment`)).toEqual([String(two)])
    expect(await keys(`%23${one}/comment`)).toEqual([String(one)])
    expect(new Set(await keys(`${one}/comment?ids=${alias}&ids=${two},${one}`))).toEqual(
      new Set([String(one), String(two)]),
    )
  })

  test('answers an empty list for a bug without comments', async () => {
    const { about } = await insertBugWithComments(reporter)

    expect((await get(ANYONE, `/rest/bug/${about.id}/comment`)).body).toEqual({
      bugs: { [about.id]: { comments: [] } },
      comments: {},
    })
  })

  test('lists the comments after a moment, none of that moment', async () => {
    const { about, addComment } = await insertBugWithComments(reporter)
    for (const [i, body] of ['a', 'b', 'c'].entries()) {
      await addComment(body, { createdAt: 1_700_000_000 + i })
    }
    const since = async (moment: string) =>
      textsOf(
        await readComments(about.id, ANYONE, `?new_since=${encodeURIComponent(moment)}`),
      ).join('')

    expect(await since('2023-11-14T22:13:19Z')).toBe('abc')
    expect(await since('2023-11-14T22:13:20Z')).toBe('bc')
    expect(await since('2023-11-14T22:13:20')).toBe('bc')
    expect(await since('2023-11-14 22:13:21')).toBe('c')
    expect(await since('2023-11-14T23:13:21+01:00')).toBe('c')
    expect(await since('20231114T22:13:22')).toBe('')
    expect(await since('2023-11-14')).toBe('abc')
    expect(await since('2023-11-15')).toBe('')
    expect(await since('')).toBe('abc')
  })

  test('selects fields of each comment, not of the envelope', async () => {
    const id = await postBug(reporter, place, { description: 'first' })
    const [own] = await readComments(id)

    expect(await readComments(id, ANYONE, '?include_fields=text,creator')).toEqual([
      { text: 'first', creator: reporter.login },
    ])
    expect(await readComments(id, ANYONE, '?include_fields=id&include_fields=text')).toEqual([
      { id: own?.id, text: 'first' },
    ])
    expect(await readComments(id, ANYONE, '?include_fields=nonsense')).toEqual([{}])
    expect(await readComments(id, ANYONE, '?exclude_fields=text,raw_text')).toEqual([
      expect.not.objectContaining({ text: 'first' }),
    ])
    expect(await readComment(Number(own?.id), ANYONE, '?include_fields=count')).toEqual({
      count: 0,
    })
  })

  test('lists tags in order', async () => {
    const { about, addComment } = await insertBugWithComments(reporter)
    const id = await addComment('tagged')
    await execute(sql`INSERT INTO comment_tags (comment_id, name, name_fold)
      VALUES (${id}, 'spam', 'spam'), (${id}, 'Later', 'later')`)

    expect((await readComments(about.id))[0]?.tags).toEqual(['Later', 'spam'])
  })

  test('finds one comment by its ID', async () => {
    const id = await postBug(reporter, place, { description: 'first' })
    const [own] = await readComments(id)

    expect(await readComment(Number(own?.id))).toEqual(own)
    expect(await readComment(`00${own?.id}`)).toEqual(own)
    expect(await readComment(`%20${own?.id}`)).toEqual(own)
  })

  test.each([
    ['attachment_created', 'words', 'Created attachment {a}\nA patch\n\nwords'],
    ['attachment_created', '', 'Created attachment {a}\nA patch'],
    ['attachment_updated', 'words', 'Comment on attachment {a}\nA patch\n\nwords'],
  ] as const)(
    'answers the lead-in of a comment of the kind %s on %j',
    async (kind, body, expected) => {
      const { about, addComment } = await insertBugWithComments(reporter)
      const attachmentId = await insertAttachment(about, reporter, { summary: 'A patch' })
      const id = await addComment(body, { kind, attachmentId })

      expect(await readComment(id)).toMatchObject({
        attachment_id: attachmentId,
        raw_text: body,
        text: expected.replace('{a}', String(attachmentId)),
      })
    },
  )

  test.each([
    ['duplicate_of', '', '*** This bug has been marked as a duplicate of bug {b} ***'],
    [
      'duplicate_of',
      'Same.',
      'Same.\n\n*** This bug has been marked as a duplicate of bug {b} ***',
    ],
    ['has_duplicate', '', '*** Bug {b} has been marked as a duplicate of this bug. ***'],
  ] as const)(
    'answers the notice of a comment of the kind %s on %j',
    async (kind, body, expected) => {
      const { addComment } = await insertBugWithComments(reporter)
      const other = await insertBug()
      const id = await addComment(body, { kind, relatedBugId: other.id })

      expect(await readComment(id)).toMatchObject({
        attachment_id: null,
        raw_text: body,
        text: expected.replace('{b}', String(other.id)),
      })
    },
  )

  test('costs one round trip, and one more for a caller seen for the first time', async () => {
    const id = await postBug(reporter, place)
    const [own] = await readComments(id)

    for (const path of [`/rest/bug/${id}/comment`, `/rest/bug/comment/${own?.id}`]) {
      expect((await get(ANYONE, path)).cost.trips).toBe(1)
      expect((await get(reporter, path)).cost.trips).toBe(1)
      expect((await get(await insertPerson(), path)).cost.trips).toBe(2)
    }
  })

  test('reads the comments of the requested bugs and of no other', async () => {
    const { about, addComment } = await insertBugWithComments(reporter)
    for (let i = 0; i < 3; i += 1) {
      await addComment('x')
    }
    const other = await insertBugWithComments(reporter)
    await other.addComment('x')
    const cost = async () => (await get(ANYONE, `/rest/bug/${about.id}/comment`)).cost.read
    const before = await cost()
    for (let i = 0; i < 20; i += 1) {
      await other.addComment('x')
    }

    expect(await cost()).toBe(before)
  })
})
