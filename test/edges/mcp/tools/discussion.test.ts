import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { put } from '../../../support/client.ts'
import { buildToolCall, readRefusal, readTool, sendMessage } from '../../../support/clients/mcp.ts'
import { execute } from '../../../support/database/execute.ts'

const author = await insertPerson()
const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
const place = await insertProduct()
const bug = await postBug(author, place, { description: 'First' })

describe('add_comment', () => {
  test('adds a comment, also a private one, that list_comments shows', async () => {
    const { id } = await readTool(author, 'add_comment', { bug, comment: 'Second' })
    await readTool(insider, 'add_comment', { bug, comment: 'Among us', is_private: true })
    const { comments } = await readTool(author, 'list_comments', { bug })
    expect(comments).toMatchObject([
      { count: 0, text: 'First', creator: author.login },
      { count: 1, text: 'Second', id },
    ])
    expect((await readTool(insider, 'list_comments', { bug })).comments).toHaveLength(3)
  })

  test('is refused without a text', async () => {
    expect(await readRefusal(author, 'add_comment', { bug, comment: ' ' })).toContain('(error 50)')
  })
})

describe('list_comments', () => {
  test('reads pages from either end', async () => {
    const given = { bug, newest_first: true, limit: 1 }
    const { comments, note } = await readTool(author, 'list_comments', given)
    expect(comments).toMatchObject([{ text: 'Second' }])
    expect(note).toBe('1 of 2 comments. For more, call again with offset 1.')
    const rest = await readTool(author, 'list_comments', { ...given, offset: 1 })
    expect(rest.comments).toMatchObject([{ text: 'First' }])
  })

  test('reads every comment once in either direction, and no more than a page of them', async () => {
    const long = await postBug(author, await insertProduct(), { description: 'Number 0' })
    for (let n = 1; n < 12; n += 1) {
      const comment = { bug: long, comment: `Number ${n}`, is_private: n % 4 === 3 }
      await readTool(insider, 'add_comment', comment)
    }
    const upwards = await readPages(author, { bug: long, limit: 2 })
    expect(upwards).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10])
    const downwards = await readPages(author, { bug: long, limit: 2, newest_first: true })
    expect(downwards).toEqual(upwards.toReversed())
    expect(await readPages(insider, { bug: long, limit: 5, newest_first: 'true' })).toHaveLength(12)
    const given = { bug: String(long), limit: 2 }
    const [few, all] = [
      await sendMessage(insider, buildToolCall('list_comments', { ...given, newest_first: true })),
      await sendMessage(insider, buildToolCall('list_comments', { ...given, limit: 100 })),
    ]
    expect(few.cost.read).toBeLessThan(all.cost.read / 2)
  })

  test('goes on behind a text that filled a result', async () => {
    const long = await postBug(author, await insertProduct(), { description: 'a'.repeat(30_000) })
    await readTool(author, 'add_comment', { bug: long, comment: 'b'.repeat(30_000) })
    const given = { bug: long, text_length: 60_000 }
    const { note } = await readTool(author, 'list_comments', given)
    expect(note).toBe('1 of 2 comments. For more, call again with offset 1.')
    expect(await readPages(author, given)).toEqual([0, 1])
    expect(await readPages(author, { ...given, newest_first: true })).toEqual([1, 0])
  })

  test('reads ten comments at a time where texts are to be whole', async () => {
    const long = await postBug(author, await insertProduct(), { description: 'Number 0' })
    for (let n = 1; n < 12; n += 1) {
      await readTool(author, 'add_comment', { bug: long, comment: `Number ${n}` })
    }
    const given = { bug: long, limit: 100, text_length: 65_535 }
    const { comments, note } = await readTool(author, 'list_comments', given)
    expect(comments).toHaveLength(10)
    expect(note).toBe('10 of 12 comments. For more, call again with offset 10.')
    expect(await readPages(author, given)).toHaveLength(12)
  })

  test('reads comments after a moment', async () => {
    const given = { bug, new_since: '2199-01-01T00:00:00Z' }
    expect(await readTool(author, 'list_comments', given)).toEqual({ comments: [] })
    expect(await readRefusal(author, 'list_comments', { bug, new_since: 'x' })).toContain('error 5')
  })
})

/** The numbers of the comments on all pages, as the notes lead. */
async function readPages(reader: TestPerson, given: Record<string, unknown>): Promise<number[]> {
  const numbers: number[] = []
  for (let offset: string | undefined = '0'; offset !== undefined; ) {
    const { comments, note = '' } = await readTool(reader, 'list_comments', { ...given, offset })
    numbers.push(...(comments as { count: number }[]).map(({ count }) => count))
    offset = /call again with offset (\d+)/.exec(note)?.[1]
  }
  return numbers
}

describe('get_history', () => {
  test('reads changes from either end', async () => {
    const change = (who: TestPerson, whiteboard: string) =>
      put(who, `/rest/bug/${bug}`, { whiteboard })
    expect((await change(insider, 'one')).status).toBe(200)
    expect((await change(author, 'two')).status).toBe(200)
    const { history } = await readTool(author, 'get_history', { bug })
    expect(history).toMatchObject([
      { who: insider.login, changes: [{ field_name: 'whiteboard', removed: '', added: 'one' }] },
      { who: author.login, changes: [{ removed: 'one', added: 'two' }] },
    ])
    const newest = await readTool(author, 'get_history', { bug, newest_first: true, limit: 1 })
    expect(newest.history).toEqual(history.slice(1))
    expect(newest.note).toMatch(/^For more, call again with position \S+\.$/)
  })

  test.each([false, true])('names its own argument in a refusal of it', async (newest_first) => {
    const given = { bug, newest_first, position: 'nowhere' }
    expect(await readRefusal(author, 'get_history', given)).toMatch(
      /^The parameter 'position' must/,
    )
  })

  test.each([
    ['oldest', false, 'whiteboard', 7],
    ['newest', true, 'whiteboard', 7],
    ['oldest', false, 'url', 20],
    ['newest', true, 'url', 20],
  ])('leads through all changes of a bug once, %s first', async (_, newest_first, field, limit) => {
    const own = await postBug(author, place)
    // results end ahead of long values, pages behind a number of changes
    const texts = Array.from(
      { length: 25 },
      (_, n) => `${n} ${'x'.repeat(field === 'url' ? 2_500 : 5)}`,
    )
    for (const value of texts) {
      expect((await put(author, `/rest/bug/${own}`, { [field]: value })).status).toBe(200)
    }
    // changes of one second are one entry
    await execute(sql`UPDATE history SET changed_at = changed_at + id WHERE bug_id = ${own}`)
    const seen: string[] = []
    for (let position: string | undefined = ''; position !== undefined; ) {
      const result = await readTool(author, 'get_history', {
        bug: own,
        newest_first,
        limit,
        position,
      })
      const pieces = result.history as { changes: { added: string }[] }[]
      seen.push(...pieces.flatMap(({ changes }) => changes.map(({ added }) => added)))
      position = /call again with position (\S+)\./.exec(String(result.note))?.[1]
    }
    const numbers = seen.map((text) => Number.parseInt(text, 10))
    const all = texts.map((_, n) => n)
    expect(numbers).toEqual(newest_first ? all.reverse() : all)
  })
})
