import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { writtenOut } from '../../src/comments/chunks.ts'
import { getBugComments } from '../../src/comments/get.ts'
import { openDoor } from '../../src/db/door.ts'
import { ANYONE, get } from '../support/client.ts'
import { ctxOf, failing, interrupted } from '../support/doors.ts'
import { bug, write } from '../support/happening.ts'
import { restrict } from '../support/reading.ts'
import { group, NOW, person, type TestPerson } from '../support/world.ts'

type Comment = { id: number; count: number; text: string; is_private: boolean }
type Lists = Record<string, { comments: Comment[] }>

let author: TestPerson

beforeAll(async () => {
  author = await person()
})

/** A bug with so many comments, each a second after the last, every tenth of them private. */
async function discussed(count: number, body = `'words'`): Promise<number> {
  const { id } = await bug({ reporter: author })
  await write(sql`WITH RECURSIVE n(i) AS (
      SELECT 0 WHERE ${count} > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})
    INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    SELECT ${id}, i, ${author.id}, ${NOW} + i, ${sql.raw(body)}, i % 10 = 9 FROM n`)
  return id
}

/** Asks as somebody, through a door that counts to the end of the answer. */
async function asked(ids: number[], more: object = {}, roles: 'insider'[] = []) {
  const door = openDoor(env.DB, 'first-primary')
  const [first = 0, ...others] = ids
  const input = { id_or_alias: String(first), ids: others.map(String), ...more }
  const answer = await getBugComments(ctxOf(author, roles, door), input as never)
  const whole = answer instanceof Response ? await answer.json() : answer
  const { bugs } = whole as { bugs: Lists }
  return { isStreamed: answer instanceof Response, bugs, whole, tally: door.tally }
}

const counts = (bugs: Lists, id: number) => bugs[id]?.comments.map(({ count }) => count) ?? []
const upTo = (end: number) => Array.from({ length: end }, (_, i) => i)

describe('a list of comments', () => {
  test.each([
    [0, false, 1],
    [500, false, 1],
    [501, true, 2],
    [1002, true, 3],
  ])('of %d is complete, streamed: %s, in %d trips', async (count, isStreamed, trips) => {
    const id = await discussed(count)
    const read = await asked([id], {}, ['insider'])

    expect([read.isStreamed, read.tally.trips]).toEqual([isStreamed, trips])
    expect(counts(read.bugs, id)).toEqual(upTo(count))
    expect(read.whole).toEqual({ bugs: { [id]: { comments: expect.any(Array) } }, comments: {} })
  })

  test('of 5,000 costs rows in proportion to what is answered, and none more for others', async () => {
    const id = await discussed(5000)
    const read = await asked([id], {}, ['insider'])
    const few = await asked([await discussed(100)], {}, ['insider'])

    expect(counts(read.bugs, id)).toEqual(upTo(5000))
    expect(read.tally.trips).toBe(10)
    expect(read.tally.rowsRead / 5000).toBeLessThan((few.tally.rowsRead / 100) * 1.2)
  })

  test('of a hundred that are as long as can be is never held as a whole', async () => {
    const id = await discussed(100, `replace(hex(zeroblob(32767)), '0', '\u{1F600}')`)
    const door = openDoor(env.DB, 'first-primary')
    const input = { id_or_alias: String(id) }
    const answer = await getBugComments(ctxOf(author, ['insider'], door), input as never)
    expect(answer).toBeInstanceOf(Response)

    let length = 0
    let largest = 0
    const trips: number[] = []
    for await (const piece of (answer as Response).body ?? []) {
      length += piece.byteLength
      largest = Math.max(largest, piece.byteLength)
      trips.push(door.tally.trips)
    }
    expect(length).toBeGreaterThan(50_000_000)
    expect(largest).toBeLessThan(1_000_000)
    expect(trips.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => 1))
    expect(door.tally.trips).toBe(7)
  })

  test('is streamed in one trip when there is little of it that is long', async () => {
    const [long, short] = [await discussed(9, `'${'x'.repeat(50_000)}'`), await discussed(9)]
    const [streamed, held] = [await asked([long], {}, ['insider']), await asked([short])]

    expect([streamed.isStreamed, streamed.tally.trips]).toEqual([true, 1])
    expect(counts(streamed.bugs, long)).toEqual(upTo(9))
    expect(held.isStreamed).toBe(false)
  })

  test('over HTTP has no tag, and every comment of the contract', async () => {
    const id = await discussed(600)
    const answer = await get(ANYONE, `/rest/bug/${id}/comment?include_fields=count,text`)

    expect(answer.headers.get('etag')).toBeNull()
    expect(answer.body.bugs[id].comments).toEqual(
      upTo(600)
        .filter((i) => i % 10 !== 9)
        .map((count) => ({ count, text: 'words' })),
    )
  })

  test('of several bugs goes on where it stopped, and names those without any', async () => {
    const sizes = [300, 0, 1, 700, 0, 2]
    const ids: number[] = []
    for (const size of sizes) {
      ids.push(await discussed(size))
    }
    const read = await asked([...ids.toReversed(), ids[0] ?? 0], {}, ['insider'])

    expect(Object.keys(read.bugs)).toEqual(ids.map(String))
    expect(ids.map((id) => counts(read.bugs, id))).toEqual(sizes.map(upTo))
    expect(read.tally.trips).toBe(3)
  })

  test('leaves gaps where comments are private, in every part', async () => {
    const id = await discussed(1200)
    const { bugs } = await asked([id])

    expect(counts(bugs, id)).toEqual(upTo(1200).filter((i) => i % 10 !== 9))
    expect(bugs[id]?.comments.some(({ is_private }) => is_private)).toBe(false)
  })

  test('newer than a moment is as long as what is newer', async () => {
    const id = await discussed(1200)
    const late = await asked([id], { new_since: NOW + 1195 }, ['insider'])
    const early = await asked([id], { new_since: NOW + 99 }, ['insider'])

    expect([late.isStreamed, counts(late.bugs, id)]).toEqual([false, [1196, 1197, 1198, 1199]])
    expect(late.tally.rowsRead).toBeLessThan(60)
    expect([early.isStreamed, counts(early.bugs, id)]).toEqual([true, upTo(1200).slice(100)])
  })

  test('of one moment is complete, in the order in which they came', async () => {
    const id = await discussed(1200)
    await write(sql`UPDATE comments SET created_at = ${NOW} WHERE bug_id = ${id}`)

    expect(counts((await asked([id], {}, ['insider'])).bugs, id)).toEqual(upTo(1200))
  })

  test('ends where the bug became hidden while it was read', async () => {
    const [id, other] = [await discussed(700), await discussed(3)]
    const team = await group()
    const stranger = await person()
    const door = interrupted(2, () => restrict(id, team))
    const input = { id_or_alias: String(id), ids: [String(other)] }
    const answer = await getBugComments(ctxOf(stranger, ['insider'], door), input as never)
    const { bugs } = (await (answer as Response).json()) as { bugs: Lists }

    expect([counts(bugs, id), counts(bugs, other)]).toEqual([upTo(501), upTo(3)])
  })

  test('breaks off when reading on fails', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const input = { id_or_alias: String(await discussed(700)) }
    const answer = await getBugComments(ctxOf(author, [], failing(2, 0)), input as never)

    await expect((answer as Response).text()).rejects.toThrow()
    expect(logged.mock.calls[0]?.[0]).toContain('comments broken off')
    logged.mockRestore()
  })
})

describe('comments are written out', () => {
  async function text(ids: number[], ...of: number[]): Promise<unknown> {
    async function* shown() {
      for (const [i, bugId] of of.entries()) {
        yield { bugId, comment: { i } }
      }
    }
    let whole = ''
    for await (const piece of writtenOut(ids, shown())) {
      whole += piece
    }
    return JSON.parse(whole)
  }

  test.each([
    [[], [], {}],
    [[1], [], { 1: { comments: [] } }],
    [
      [1, 2, 3],
      [2, 2],
      { 1: { comments: [] }, 2: { comments: [{ i: 0 }, { i: 1 }] }, 3: { comments: [] } },
    ],
    [[1, 2], [1, 2], { 1: { comments: [{ i: 0 }] }, 2: { comments: [{ i: 1 }] } }],
  ])('of the bugs %j, said on %j', async (ids, of, bugs) => {
    expect(await text(ids, ...of)).toEqual({ bugs, comments: {} })
  })
})
