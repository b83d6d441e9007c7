import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { openSession } from '../../../src/platform/db/session.ts'
import { countReader } from '../../../src/platform/load/readers.ts'
import { getBugComments } from '../../../src/tracker/comments/get.ts'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import { openFailingSession, openInterruptedSession } from '../../support/fakes/sessions.ts'

type Comment = { id: number; count: number; text: string; is_private: boolean }
type Lists = Record<string, { comments: Comment[] }>

const author = await insertPerson()

/** A bug with so many comments, each a second after the last, every tenth of them private. */
async function discussed(count: number, body = `'words'`): Promise<number> {
  const { id } = await insertBug({ reporter: author })
  await execute(sql`WITH RECURSIVE n(i) AS (
      SELECT 0 WHERE ${count} > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    SELECT ${id}, i, ${author.id}, ${NOW} + i, ${sql.raw(body)}, i % 10 = 9 FROM n`)
  return id
}

/** Reads comments in a session that counts the cost up to the end of the answer. */
async function readComments(ids: number[], more: object = {}, roles: 'insider'[] = []) {
  const session = openSession(env.DB, 'first-primary')
  const [first = 0, ...others] = ids
  const input = { id_or_alias: String(first), ids: others.map(String), ...more }
  const answer = await getBugComments.run(buildCtx(author, roles, session), input as never)
  const whole = answer instanceof Response ? await answer.json() : answer
  const { bugs } = whole as { bugs: Lists }
  return { isStreamed: answer instanceof Response, bugs, whole, cost: session.cost }
}

/** A body of which a hundred are read at once. */
const LONG = `hex(zeroblob(30000))`

const counts = (bugs: Lists, id: number) => bugs[id]?.comments.map(({ count }) => count) ?? []
const upTo = (end: number) => Array.from({ length: end }, (_, i) => i)

describe('a list of comments', () => {
  test.each([
    [0, false, 1],
    [1900, false, 1],
    [2000, true, 1],
    [5000, true, 1],
  ])('of %d is complete, streamed: %s, in %d round trips', async (count, isStreamed, trips) => {
    const id = await discussed(count)
    const read = await readComments([id], {}, ['insider'])

    expect([read.isStreamed, read.cost.trips]).toEqual([isStreamed, trips])
    expect(counts(read.bugs, id)).toEqual(upTo(count))
    expect(read.whole).toEqual({ bugs: { [id]: { comments: expect.any(Array) } }, comments: {} })
  })

  test.each([
    [100, 3],
    [101, 3],
    [250, 4],
  ])(
    'of %d long ones is complete, in %d round trips with one for their length',
    async (count, trips) => {
      const id = await discussed(count, LONG)
      const read = await readComments([id], {}, ['insider'])

      expect([read.isStreamed, read.cost.trips]).toEqual([true, trips])
      expect(counts(read.bugs, id)).toEqual(upTo(count))
    },
  )

  test('of 5,000 costs three rows for each, in one round trip', async () => {
    const id = await discussed(5000)
    const read = await readComments([id], {}, ['insider'])

    expect(counts(read.bugs, id)).toEqual(upTo(5000))
    expect(read.cost.trips).toBe(1)
    expect(read.cost.rowsRead).toBeLessThan(3 * 5000 + 20)
  })

  test.each([200, 750])('of %d long ones costs thirteen rows for each at most', async (count) => {
    const { cost } = await readComments([await discussed(count, LONG)], {}, ['insider'])

    expect(cost.rowsRead / count).toBeLessThan(13)
  })

  test('of a hundred comments of full length is never in memory as a whole', async () => {
    const id = await discussed(100, `replace(hex(zeroblob(32767)), '0', '\u{1F600}')`)
    const session = openSession(env.DB, 'first-primary')
    const input = { id_or_alias: String(id) }
    const answer = await getBugComments.run(buildCtx(author, ['insider'], session), input as never)
    expect(answer).toBeInstanceOf(Response)

    let length = 0
    let largest = 0
    const trips: number[] = []
    for await (const piece of (answer as unknown as Response).body ?? []) {
      length += piece.byteLength
      largest = Math.max(largest, piece.byteLength)
      trips.push(session.cost.trips)
    }
    expect(length).toBeGreaterThan(50_000_000)
    expect(largest).toBeLessThan(1_000_000)
    expect(trips.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => 2))
    expect(session.cost.trips).toBe(6)
  })

  test('is read no further than its client reads, beside many others', async () => {
    const id = await discussed(40, LONG)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const others = Array.from({ length: 20 }, () => countReader(() => end))
    const session = openSession(env.DB, 'first-primary')
    const answer = await getBugComments.run(buildCtx(author, ['insider'], session), {
      id_or_alias: `${id}`,
    } as never)
    const reader = (answer as Response).body?.getReader()
    await reader?.read()
    expect(session.cost.trips).toBe(2)
    await reader?.cancel()
    resolve()
    await Promise.all(others)
  })

  test('is streamed in one round trip when there is little of it that is long', async () => {
    const [long, short] = [await discussed(13, `'${'x'.repeat(50_000)}'`), await discussed(9)]
    const [streamed, buffered] = [
      await readComments([long], {}, ['insider']),
      await readComments([short]),
    ]

    expect([streamed.isStreamed, streamed.cost.trips]).toEqual([true, 1])
    expect(counts(streamed.bugs, long)).toEqual(upTo(13))
    expect(buffered.isStreamed).toBe(false)
  })

  test('over HTTP has no tag, and every comment of the contract', async () => {
    const id = await discussed(2500)
    const answer = await get(ANYONE, `/rest/bug/${id}/comment?include_fields=count,text`)

    expect(answer.headers.get('etag')).toBeNull()
    expect(answer.body.bugs[id].comments).toEqual(
      upTo(2500)
        .filter((i) => i % 10 !== 9)
        .map((count) => ({ count, text: 'words' })),
    )
  })

  test('of several bugs goes on where it stopped, and names those without any', async () => {
    const sizes = [60, 0, 1, 130, 0, 2]
    const ids: number[] = []
    for (const size of sizes) {
      ids.push(await discussed(size, LONG))
    }
    const read = await readComments([...ids.toReversed(), ids[0] ?? 0], {}, ['insider'])

    expect(Object.keys(read.bugs)).toEqual(ids.map(String))
    expect(ids.map((id) => counts(read.bugs, id))).toEqual(sizes.map(upTo))
    expect(read.cost.trips).toBe(4)
  })

  test('is complete beside unread responses, which leave it less memory', async () => {
    const id = await discussed(100, LONG)
    const unread = Array.from({ length: 20 }, async () => {
      const session = openSession(env.DB, 'first-primary')
      const input = { id_or_alias: String(id) }
      const answer = await getBugComments.run(
        buildCtx(author, ['insider'], session),
        input as never,
      )
      const reader = (answer as unknown as Response).body?.getReader()
      await reader?.read()
      return reader
    })
    const readers = await Promise.all(unread)
    const beside = await readComments([id], {}, ['insider'])
    await Promise.all(readers.map((reader) => reader?.cancel()))
    const alone = await readComments([id], {}, ['insider'])

    expect(counts(beside.bugs, id)).toEqual(upTo(100))
    expect(beside.cost.trips).toBeGreaterThan(15)
    expect(alone.cost.trips).toBe(3)
  })

  test('leaves gaps where comments are private, in every part', async () => {
    const id = await discussed(250, LONG)
    const { bugs } = await readComments([id])

    expect(counts(bugs, id)).toEqual(upTo(250).filter((i) => i % 10 !== 9))
    expect(bugs[id]?.comments.some(({ is_private }) => is_private)).toBe(false)
  })

  test('after a moment is as long as the comments after it', async () => {
    const id = await discussed(2500)
    const late = await readComments([id], { new_since: NOW + 2495 }, ['insider'])
    const early = await readComments([id], { new_since: NOW + 99 }, ['insider'])

    expect([late.isStreamed, counts(late.bugs, id)]).toEqual([false, [2496, 2497, 2498, 2499]])
    expect(late.cost.rowsRead).toBeLessThan(60)
    expect([early.isStreamed, counts(early.bugs, id)]).toEqual([true, upTo(2500).slice(100)])
  })

  test('of one moment is complete, in the order in which they came', async () => {
    const id = await discussed(250, LONG)
    await execute(sql`UPDATE comments SET created_at = ${NOW} WHERE bug_id = ${id}`)

    expect(counts((await readComments([id], {}, ['insider'])).bugs, id)).toEqual(upTo(250))
  })

  test('ends where the bug became hidden while it was read', async () => {
    const [id, other] = [await discussed(150, LONG), await discussed(3)]
    const team = await insertGroup()
    const stranger = await insertPerson()
    const session = openInterruptedSession(3, () => restrictBug(id, team))
    const input = { id_or_alias: String(id), ids: [String(other)] }
    const answer = await getBugComments.run(
      buildCtx(stranger, ['insider'], session),
      input as never,
    )
    const { bugs } = (await (answer as unknown as Response).json()) as { bugs: Lists }

    expect([counts(bugs, id), counts(bugs, other)]).toEqual([upTo(100), upTo(3)])
  })

  test('breaks off when reading on fails', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const input = { id_or_alias: String(await discussed(150, LONG)) }
    const answer = await getBugComments.run(
      buildCtx(author, [], openFailingSession(3, 0)),
      input as never,
    )

    await expect((answer as unknown as Response).text()).rejects.toThrow()
    expect(logged.mock.calls[0]?.[0]).toContain('"event":"answer broken off","part":"comments"')
    logged.mockRestore()
  })
})
