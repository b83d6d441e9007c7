import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, post } from '../../support/client.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const LONG_AGO = NOW - 1_000_000

let bug: number

const author = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const member = await insertPerson()
const team = await insertGroup([member])
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(author, place)
  await execute(
    sql`UPDATE bugs SET changed_at = ${LONG_AGO}, remaining_time = 5 WHERE id = ${bug}`,
    sql`DELETE FROM notices WHERE bug_id = ${bug}`,
  )
})

const sendComment = (who: TestPerson, body: unknown, id: number | string = bug) =>
  post(who, `/rest/bug/${id}/comment`, body)

describe('POST /bug/:id/comment', () => {
  test('answers 201 and the ID of the comment, in two round trips', async () => {
    const answer = await sendComment(author, { comment: '  Well.\r\n\r\nSo.  \n' })
    expect(answer).toMatchObject({ status: 201, cost: { trips: 2 } })
    expect(answer.body).toEqual({ id: expect.any(Number) })
    const stored = await loadBugRow(bug)
    const [notice, ...others] = await loadRowsOfBug('notices', bug)
    expect(notice).toMatchObject({
      kind: 'changed',
      author_id: author.id,
      happened_at: stored.changed_at,
    })
    expect(others).toEqual([])
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({
      id: answer.body.id,
      number: 1,
      body: '  Well.\n\nSo.',
      author_id: author.id,
      created_at: stored.changed_at,
      is_private: 0,
      is_markdown: 0,
      work_time: 0,
      notice_id: notice?.id,
    })
    expect(stored.changed_at).toBeGreaterThan(LONG_AGO)
    expect(await loadRowsOfBug('history', bug)).toEqual([])
    const [row] = await execute(sql`SELECT last_activity_at FROM users WHERE id = ${author.id}`)
    expect(row?.last_activity_at).toBe(stored.changed_at)
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['Markdown on request', { is_markdown: true }, { is_markdown: 1 }],
    ['a private one', { is_private: 'true' }, { is_private: 1 }],
    ['a private one by the older name', { private: 1 }, { is_private: 1 }],
    ['a public one by both names', { is_private: false, private: true }, { is_private: 0 }],
    ['a number', { comment: 17 }, { body: '17' }],
    ['65,535 characters', { comment: '😀'.repeat(65_535) }, { body: '😀'.repeat(65_535) }],
    ['what else a client sends along', { id: 5, colour: 'red', comment_tags: [] }, { number: 1 }],
  ])('answers %s', async (_, more, stored) => {
    expect((await sendComment(insider, { comment: 'Well.', ...more })).status).toBe(201)
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject(stored)
  })

  test('costs no read for tags when none are given', async () => {
    const plain = await sendComment(author, { comment: 'Well.' })
    const tagged = await sendComment(author, { comment: 'Well.', comment_tags: ['tagged'] })
    expect([plain.status, tagged.status]).toEqual([201, 201])
    expect(tagged.cost.statements).toBe(plain.cost.statements + 1)
  })

  test('returns the comment on the bug of the path when there are others', async () => {
    const alias = uniqueName('alias')
    const other = await postBug(author, place, { alias })
    const answer = await sendComment(
      author,
      { ids: [bug, `#${other}`, bug], comment: 'Both.' },
      alias,
    )
    const [onOther, onBug] = [
      await loadRowsOfBug('comments', other),
      await loadRowsOfBug('comments', bug),
    ]
    expect(onOther.map(({ id, body }) => [id, body]).slice(1)).toEqual([[answer.body.id, 'Both.']])
    expect(onBug.map(({ body }) => body).slice(1)).toEqual(['Both.'])
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(1)
  })

  test('numbers fifty concurrent comments without a gap', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => sendComment(author, { comment: `Comment ${i}` })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const numbers = (await loadRowsOfBug('comments', bug)).map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 51 }, (_, i) => i))
  })
})

describe('POST /bug/:id/comment', () => {
  const tagsOf = async (id: number) =>
    (await get(ANYONE, `/rest/bug/comment/${id}`)).body.comments[id].tags

  test('tags every comment that it adds, for those who may tag', async () => {
    const tagger = await insertPerson({ roles: ['editbugs'] })
    const other = await postBug(author, place)
    const body = { ids: [other], comment: 'Words.', comment_tags: ['Later', 'spam', 'LATER'] }
    const answer = await sendComment(tagger, body)
    const [, second] = await loadRowsOfBug('comments', other)

    expect(answer.cost.trips).toBe(3)
    expect(await tagsOf(answer.body.id)).toEqual(['Later', 'spam'])
    expect(await tagsOf(Number(second?.id))).toEqual(['Later', 'spam'])
    const [description] = await loadRowsOfBug('comments', bug)
    expect(await tagsOf(Number(description?.id))).toEqual([])
  })

  test('accepts a single tag that is no list', async () => {
    const tagger = await insertPerson({ roles: ['editbugs'] })
    const { body } = await sendComment(tagger, { comment: 'Words.', comment_tags: 'later' })

    expect(await tagsOf(body.id)).toEqual(['later'])
  })

  test('adds no tags for others', async () => {
    const { status, body } = await sendComment(author, {
      comment: 'Words.',
      comment_tags: ['x', 'spam'],
    })

    expect(status).toBe(201)
    expect(await tagsOf(body.id)).toEqual([])
  })

  test.each<[string, number]>([
    ['ab', 127],
    ['a'.repeat(25), 128],
    ['a b', 126],
  ])('refuses %j', async (tag, code) => {
    const tagger = await insertPerson({ roles: ['editbugs'] })
    await expectRefusal(
      () => sendComment(tagger, { comment: 'x', comment_tags: ['fine', tag] }),
      code,
    )
  })
})

describe('commenting where Markdown is switched off', () => {
  const postWithoutMarkdown = (body: object) =>
    fetchWith({ USE_MARKDOWN: 'off' }, `/rest/bug/${bug}/comment`, {
      method: 'POST',
      headers: { 'x-tracker-api-key': author.key },
      body: JSON.stringify({ comment: 'Words.', ...body }),
    })

  test('refuses to make Markdown, and nothing else', async () => {
    const refused = await postWithoutMarkdown({ is_markdown: true })
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 140 }])
    expect(await loadRowsOfBug('comments', bug)).toHaveLength(1)
    for (const body of [{}, { is_markdown: false }]) {
      expect((await postWithoutMarkdown(body)).status).toBe(201)
    }
  })
})

describe('POST /bug/:id/comment', () => {
  test('rejects anonymous callers with 410, before anything else', async () => {
    await expectRefusal(() => post(ANYONE, '/rest/bug/2147483647/comment', { comment: '' }), 410)
  })

  test('rejects more bugs than one request may write to', async () => {
    const ids = Array.from({ length: 501 }, (_, i) => i + 1)
    await expectRefusal(() => sendComment(author, { ids, comment: 'To all.' }), 53)
  })

  test('rejects all bugs for the sake of one', async () => {
    const hidden = await postBug(author, place)
    await execute(sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${hidden}, ${team.id})`)
    const stranger = await insertPerson()
    for (const [id, code] of [
      [hidden, 102],
      ['no-such-alias', 100],
      [2147483647, 101],
    ] as const) {
      await expectRefusal(() => sendComment(stranger, { ids: [id], comment: 'x' }), code)
    }
  })

  test('rejects bugs of a product that the caller may not edit, before the comment’s own rules', async () => {
    const home = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const guarded = await postBug(author, home)
    const body = { ids: [guarded], comment: 'x', is_private: true }
    await expectRefusal(() => sendComment(author, body), 109, home.name)
    expect((await sendComment(member, { comment: 'Mine.' }, guarded)).status).toBe(201)
  })
})

describe('POST /bug/:id/comment', () => {
  test('hides a private comment from everybody but insiders', async () => {
    await sendComment(insider, { comment: 'Hush.', is_private: true })
    const seenBy = async (who: { key?: string }) =>
      (await get(who, `/rest/bug/${bug}/comment`)).body.bugs[bug].comments.length
    expect([await seenBy(insider), await seenBy(author), await seenBy(ANYONE)]).toEqual([2, 1, 1])
  })
})
