import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { serviceBusy } from '../../../../src/platform/http/response/faults.ts'
import { NO_PLACEHOLDERS } from '../../../../src/platform/lib/stream.ts'
import {
  countReader,
  limitChunk,
  readLarge,
  takeTurn,
} from '../../../../src/platform/load/readers.ts'
import { BugStream } from '../../../../src/tracker/bugs/read/stream.ts'
import type { SizedCommentRow } from '../../../../src/tracker/comments/chunks.ts'
import { StreamedComments } from '../../../../src/tracker/comments/streamed-comments.ts'
import { insertBugs, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { ANYONE, get, send } from '../../../support/client.ts'
import { readBug, searchBugIds } from '../../../support/clients/bugs.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildWorkerCtx } from '../../../support/deliver-webhooks.ts'
import { interceptBatches } from '../../../support/fakes/sessions.ts'

const idsOf = (body: { bugs: { id: number }[] }) => body.bugs.map(({ id }) => id)

/** The tracker with a database that counts the round trips and may act before each. */
function countTrips(before: (trip: number) => Promise<void> = async () => {}) {
  const cost = { trips: 0 }
  const DB = interceptBatches(async (statements, send) => {
    cost.trips += 1
    await before(cost.trips)
    return send(statements)
  })
  return { cost, DB, search: (query: string) => fetchWith({ DB }, `/rest/bug?${query}`) }
}

const READING = { load: { caller: { key: 'person 1', isPerson: true } }, gaps: NO_PLACEHOLDERS }

const bug = (id: number) => ({ id, summary: `Bug "${id}"` })

const writeBugs = (bugs: object[]) => bugs.map((each) => JSON.stringify(each))

async function* chunks(...all: object[][]): AsyncGenerator<string[]> {
  yield* all.map(writeBugs)
}

describe('a streamed response', () => {
  test('has the same body as a response in one piece', async () => {
    const response = new BugStream(READING, writeBugs([bug(1), bug(2)]), () =>
      chunks([bug(3)], [bug(4), bug(5)]),
    )

    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ faults: [], bugs: [1, 2, 3, 4, 5].map(bug) })
  })

  test('goes on after empty chunks', async () => {
    const response = new BugStream(READING, writeBugs([bug(1)]), () => chunks([], [], [bug(2)], []))

    expect(await response.json()).toEqual({ faults: [], bugs: [bug(1), bug(2)] })
  })

  test('may end after its first part', async () => {
    expect(await new BugStream(READING, writeBugs([bug(1)]), () => chunks()).json()).toEqual({
      faults: [],
      bugs: [bug(1)],
    })
  })

  test('is refused beside a hundred of the same caller, whose clients read nothing', async () => {
    const begin = () =>
      new BugStream(READING, writeBugs([bug(1)]), async function* endless() {
        for (;;) {
          yield writeBugs([bug(2)])
        }
      })
    const unread = Array.from({ length: 100 }, () => begin().body?.getReader())
    await Promise.all(unread.map((reader) => reader?.read()))
    expect(begin).toThrow(expect.objectContaining({ kind: serviceBusy, status: 503 }))
    await Promise.all(unread.map((reader) => reader?.cancel()))
    expect(begin).not.toThrow()
  })

  test('leaves a whole read to its comments while nobody else reads', async () => {
    const limits: number[] = []
    const ctx = buildWorkerCtx()
    const gaps = new StreamedComments(ctx, { caller: ctx.caller }, () => {
      limits.push(limitChunk().bytes)
      return {}
    })
    const comments = gaps.addPlaceholder(1, [{ id: 1 } as SizedCommentRow], undefined)
    const written = [JSON.stringify({ id: 1, comments })]
    const response = new BugStream({ ...READING, gaps }, written, () => chunks())

    expect(await response.json()).toEqual({ faults: [], bugs: [{ id: 1, comments: [{}] }] })
    expect(limits).toEqual([6_000_000])
  })

  test('keeps no text that is sent', async () => {
    const [first, second] = [writeBugs([bug(1), bug(2)]), writeBugs([bug(3)])]
    const response = new BugStream(READING, first, async function* rest() {
      expect(first).toEqual(['', ''])
      yield second
      expect(second).toEqual([''])
    })

    expect(await response.json()).toEqual({ faults: [], bugs: [1, 2, 3].map(bug) })
  })

  test('breaks off and logs an error when a later read fails', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = new BugStream(READING, writeBugs([bug(1)]), async function* rest() {
      yield writeBugs([bug(2)])
      throw new Error('the database is gone')
    })

    await expect(response.text()).rejects.toThrow('the database is gone')
    expect(logged).toHaveBeenCalledOnce()
    expect(logged.mock.calls[0]?.[0]).toContain('"event":"answer broken off","part":"bugs"')
    logged.mockRestore()
  })

  test('reads nothing more after the client disconnects', async () => {
    let turns = 0
    let ended = false
    const response = new BugStream(READING, writeBugs([bug(0)]), async function* rest() {
      try {
        for (;;) {
          turns += 1
          yield writeBugs([bug(turns)])
        }
      } finally {
        ended = true
      }
    })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    const before = turns

    await new Promise((wake) => setTimeout(wake, 20))
    expect(ended || turns === 0).toBe(true)
    expect(turns).toBe(before)
  })
})

describe('GET /bug with more than 500 results', () => {
  let editor: TestPerson
  let secret: TestGroup
  let place: TestProduct
  let ids: number[]

  beforeAll(async () => {
    editor = await insertPerson()
    secret = await insertGroup()
    const made = await insertBugs(editor, 1201)
    place = made.place
    ids = made.ids
  })

  test('returns all of them in order, each once, with a round trip for each 500 and one for all IDs', async () => {
    for (const [order, expected] of [
      ['', ids],
      ['&order=bug_id%20DESC', ids.toReversed()],
      ['&order=creation_ts%20DESC', ids.toReversed()],
      ['&order=short_desc&limit=0', undefined],
    ] as const) {
      const { cost, search } = countTrips()
      const body: { bugs: { id: number }[] } = await (
        await search(`product=${place.name}&include_fields=id,summary${order}`)
      ).json()
      if (expected !== undefined) {
        expect(idsOf(body)).toEqual(expected)
      }
      expect(idsOf(body).toSorted((a, b) => a - b)).toEqual(ids)
      expect(cost.trips).toBe(4)
    }
  })

  test('returns them up to the limit', async () => {
    const within = (limit: number, offset = 0) =>
      searchBugIds(`product=${place.name}&limit=${limit}&offset=${offset}`)

    expect(await within(501)).toEqual(ids.slice(0, 501))
    expect(await within(1000)).toEqual(ids.slice(0, 1000))
    expect(await within(1001, 100)).toEqual(ids.slice(100, 1101))
    expect(await within(2000, 200)).toEqual(ids.slice(200))
  })

  test('returns the fields that are selected, as for fewer bugs', async () => {
    const answer = await get(
      ANYONE,
      `/rest/bug?product=${place.name}&include_fields=id,assigned_to.name,cf_none&order=bug_id`,
    )

    expect(answer.body.faults).toEqual([])
    expect(answer.body.bugs[1200]).toEqual({
      id: ids[1200],
      assigned_to: editor.login,
      assigned_to_detail: { name: editor.login },
    })
    const whole = await get(ANYONE, `/rest/bug?product=${place.name}`)
    expect(whole.body.bugs[1200]).toEqual(await readBug(ids[1200] ?? 0))
  })

  test('wraps them in a callback, as for fewer bugs', async () => {
    const path = `/rest/bug?product=${place.name}&include_fields=id&callback=show.it`
    const answer = await send(ANYONE, 'GET', path, undefined, { accept: 'application/javascript' })
    const [, json = ''] = /^\/\*\*\/show\.it\((.*)\)$/s.exec(answer.text) ?? []

    expect(answer.headers.get('content-type')).toBe('application/javascript')
    expect(idsOf(JSON.parse(json))).toEqual(ids)
  })

  test('repeats and omits none when bugs change while they are read', async () => {
    const { search } = countTrips(async (trip) => {
      if (trip > 1) {
        // the last bugs of the order become its first
        await execute(sql`UPDATE bugs SET changed_at = changed_at + 10000 WHERE product_id = ${place.id}
          AND id IN (SELECT id FROM bugs WHERE product_id = ${place.id} ORDER BY changed_at LIMIT 50)`)
      }
    })
    const answer = await search(`product=${place.name}&include_fields=id&order=delta_ts%20DESC`)
    const answered = idsOf(await answer.json())

    expect(new Set(answered).size).toBe(answered.length)
    expect(answered.toSorted((a, b) => a - b)).toEqual(ids)
  })

  test('omits bugs that become hidden while they are read', async () => {
    const [late] = ids.slice(-1)
    const { search } = countTrips(async (trip) => {
      if (trip === 3) {
        await restrictBug(late ?? 0, secret)
      }
    })
    const answer = await search(`product=${place.name}&include_fields=id`)

    expect(idsOf(await answer.json())).toEqual(ids.slice(0, -1))
    await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${late ?? 0}`)
  })

  test('never ends a truncated response as if it were complete', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { search } = countTrips(async (trip) => {
      if (trip === 2) {
        throw new Error('D1_ERROR: gone')
      }
    })
    const answer = await search(`product=${place.name}&include_fields=id`)

    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
    logged.mockRestore()
  })
})

describe('GET /bug with more text than an answer may hold', () => {
  test('holds less of it beside many readers, and returns every bug once and in order', async () => {
    const { place, ids } = await insertBugs(await insertPerson(), 12)
    await execute(sql`UPDATE bugs SET whiteboard = ${'long '.repeat(12_000)}
      WHERE product_id = ${place.id}`)
    const query = `product=${place.name}&include_fields=id,whiteboard,history&order=bug_id`
    const alone = countTrips()
    const whole = await (await alone.search(query)).text()
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const others = Array.from({ length: 20 }, () => countReader(() => end))
    const beside = countTrips()

    expect(await (await beside.search(query)).text()).toBe(whole)
    expect(idsOf(JSON.parse(whole))).toEqual(ids)
    // ten bugs with little text fit into a chunk beside so many, and five of these; one finds them all, and one tells
    // how long their histories are
    expect([alone.cost.trips, beside.cost.trips]).toEqual([2, 5])
    resolve()
    await Promise.all(others)
  })

  test('keeps no plain search waiting while discussions wait for each other', async () => {
    const { place, ids } = await insertBugs(await insertPerson(), 2)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const others = [1, 2, 3].map(() => readLarge('others', () => end))
    const { search } = countTrips()
    const answered: string[] = []
    const ask = async (fields: string, limit = '') => {
      const answer = await search(`product=${place.name}&include_fields=${fields}${limit}`)
      answered.push(fields)
      expect(idsOf(await answer.json())).toEqual(ids)
    }
    const large = ['', '&limit=2', '&limit=2', '&limit=2'].map((limit) => ask('id,history', limit))
    await ask('id')
    expect(answered).toEqual(['id'])
    resolve()
    await Promise.all([...others, ...large])
  })

  test('keeps nobody waiting but those who read more than 100 bugs by ID', async () => {
    const { place, ids } = await insertBugs(await insertPerson(), 101)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const others = [1, 2].map(() => takeTurn('others', () => end))
    const { search, DB } = countTrips()
    const answered: number[] = []
    const ask = async (count: number) => {
      const [first, ...rest] = ids.slice(0, count)
      const answer = await fetchWith({ DB }, `/rest/bug/${first}?ids=${rest}&include_fields=id`)
      answered.push(count)
      expect(idsOf(await answer.json())).toEqual(ids.slice(0, count))
    }
    const more = ask(101)
    await ask(100)
    const found = await search(`product=${place.name}&include_fields=id`)
    expect(idsOf(await found.json())).toEqual(ids)
    expect(answered).toEqual([100])
    resolve()
    await Promise.all([...others, more])
    expect(answered).toEqual([100, 101])
  })

  test('holds 50 of many bugs with histories that are asked for by ID, and returns them in that order', async () => {
    const { ids } = await insertBugs(await insertPerson(), 120)
    const secret = await insertGroup()
    const asked = ids.toReversed()
    const [first = 0] = asked
    const hidden = asked[60] ?? 0
    await restrictBug(hidden, secret)
    const path = `/rest/bug/${first}?ids=${asked.slice(1).join(',')}&include_fields=id,history`
    const { DB, cost } = countTrips()
    const refusal = await fetchWith({ DB }, path)
    expect(refusal.status).toBe(401)
    const trips = cost.trips
    const answer = await fetchWith({ DB }, `${path}&permissive=1`)
    const { bugs, faults } = await answer.json<{ bugs: { id: number }[]; faults: object[] }>()

    expect(bugs.map(({ id }) => id)).toEqual(asked.filter((id) => id !== hidden))
    expect(bugs.every((each) => 'history' in each)).toBe(true)
    expect(faults).toEqual([expect.objectContaining({ id: `${hidden}`, faultCode: 102 })])
    expect([trips, cost.trips - trips]).toEqual([1, 4])
  })
})
