import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { BugSet } from '../../../src/platform/access/bug-set.ts'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { REACH_LIMIT, ReadLimit } from '../../../src/platform/db/read-limit.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { allOf, db, jsonList } from '../../../src/platform/db/sql.ts'
import {
  allBugs,
  bugsOnPage,
  type Limits,
  type Walk,
} from '../../../src/tracker/search/candidate-lists.ts'
import { hideBugs, insertBug, insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { onPrimary } from '../../support/database/statements.ts'

async function idsIn(set: BugSet): Promise<number[]> {
  const { rows } = await readBatch(onPrimary(), {
    rows: db.select({ id: bugs.id }).from(bugs).where(set.condition).orderBy(bugs.id),
  })
  return rows.map(({ id }) => id)
}

/** A walk through all bugs, the newest first. */
function walkBy(condition: SQL): Walk {
  const id = sql`bugs.id`
  return { id, at: id, lead: sql`1`, order: [sql`bugs.id DESC`], condition, looks: 1 }
}

function limitsOf(most: number): Limits {
  const limit = { bugs: most, looks: 1_000_000 }
  return { walk: limit, all: limit, milliseconds: 0 }
}

describe('a page of bugs', () => {
  test('is found through the first list of candidates that is short, whichever that is', async () => {
    const made = [await insertBug(), await insertBug(), await insertBug(), await insertBug()]
    const ids = made.map(({ id }) => id)
    const [a = 0, b = 0, c = 0, d = 0] = ids
    const oneOf = (...list: number[]) => sql`bugs.id IN ${jsonList(list)}`
    const list = (most: number, isExact: boolean, ...matches: number[]) => ({
      // with a bug too many where it is not exact
      select: sql`SELECT value FROM json_each(${JSON.stringify(isExact ? matches : [...matches, d])})`,
      test: oneOf(...matches),
      most,
    })
    const order = [sql`bugs.id`]
    const pageOf = (...candidates: ReturnType<typeof list>[]) => {
      const few = { candidates, condition: oneOf(...ids), order, isDescending: false, looks: 0 }
      const condition = allOf([oneOf(...ids), ...candidates.map(({ test }) => test)])
      const plan = { few, walk: walkBy(condition) }
      return idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 9, offset: 0 }))
    }
    for (const isExact of [true, false]) {
      for (const [first, second] of [
        [9, 9],
        [1, 9],
        [9, 1],
        [1, 1],
      ] as const) {
        expect(
          await pageOf(list(first, isExact, a, b, c), list(second, true, b, c, d)),
          `${first} ${second} ${isExact}`,
        ).toEqual([b, c])
      }
    }
  })

  test('does not run a list whose postings are many, and then takes the last plan', async () => {
    const { id } = await insertBug()
    const order = [sql`bugs.id`]
    // JSON that is no JSON fails when it is read
    const broken = sql`SELECT j.value FROM bugs, json_each('[' || bugs.summary) j`
    const pageWith = (select: SQL, postings: number) => {
      const list = {
        ...{ select, test: sql`bugs.id = ${id}`, most: 9 },
        postings: sql`SELECT 1 FROM json_each(${JSON.stringify(Array(postings).fill(0))})`,
      }
      const few = { candidates: [list], condition: sql`1`, order, isDescending: false, looks: 0 }
      const plan = { few, walk: walkBy(sql`bugs.id = ${id}`) }
      return idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 1, offset: 0 }))
    }
    expect(await pageWith(broken, 10)).toEqual([id])
    await expect(pageWith(broken, 9)).rejects.toThrow('malformed JSON')
    expect(await pageWith(sql`SELECT ${id}`, 9)).toEqual([id])
  })

  test('does not test again what a short list has found for certain', async () => {
    const made = [await insertBug(), await insertBug(), await insertBug()]
    const [a = 0, b = 0, c = 0] = made.map(({ id }) => id)
    const select = (...ids: number[]) => sql`SELECT value FROM json_each(${JSON.stringify(ids)})`
    // fails where it is asked of what is certain
    const test = sql`CASE WHEN bugs.id = ${a} THEN ${REACH_LIMIT} ELSE bugs.id = ${b} END`
    const inParts = {
      ...{ select: select(a, b, c), test, most: 9 },
      parts: { exact: select(a), others: select(b, c) },
    }
    const exact = { select: select(a, b), test, most: 9, isExact: true }
    const all = { select: select(a, b, c), test: sql`1`, most: 9, isExact: true }
    for (const candidates of [[inParts], [all, inParts], [inParts, all], [all, exact]]) {
      const few = { candidates, condition: sql`1`, order: [], isDescending: false, looks: 0 }
      const plan = { few, walk: walkBy(sql`1`) }
      expect(await idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 9, offset: 0 }))).toEqual([a, b])
    }
    const many = { ...inParts, most: 2 }
    const few = { candidates: [many], condition: sql`1`, order: [], isDescending: false, looks: 0 }
    const plan = { few, walk: walkBy(test) }
    await expect(idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 9, offset: 0 }))).rejects.toThrow(
      ReadLimit,
    )
  })

  test('is found through the whole list where that is long and a walk finds too few', async () => {
    const made = [await insertBug(), await insertBug(), await insertBug()]
    const ids = made.map(({ id }) => id)
    const [first = 0, second = 0] = ids
    const isMatch = sql`bugs.id IN ${jsonList([first, second])}`
    const pageOf = (limit: number, most: number) => {
      const list = {
        select: sql`SELECT value FROM json_each(${JSON.stringify(ids)})`,
        ...{ test: isMatch, most: 1 },
      }
      const few = {
        candidates: [list],
        condition: sql`1`,
        order: [],
        isDescending: false,
        looks: 0,
      }
      // the walk tells what it finds from what the list does
      const walk = walkBy(sql`bugs.id = ${first}`)
      const plan = { few, walk, limits: limitsOf(most) }
      return idsIn(bugsOnPage(ANONYMOUS, plan, { limit, offset: 0 }))
    }
    expect(await pageOf(1, 3)).toEqual([first])
    expect(await pageOf(2, 3)).toEqual([first, second])
    await expect(pageOf(2, 2)).rejects.toThrow(ReadLimit)
    // what is not needed is not counted
    expect(await pageOf(1, 2)).toEqual([first])
  })

  test('begins with the newest of a short list where it is ordered so', async () => {
    const ids = [await insertBug(), await insertBug(), await insertBug()].map(({ id }) => id)
    const list = { select: sql`SELECT value FROM json_each(${JSON.stringify(ids)})`, most: 9 }
    for (const [isDescending, expected] of [
      [true, ids.toReversed()],
      [false, ids],
    ] as const) {
      const few = { candidates: [{ ...list, test: sql`1` }], condition: sql`1`, looks: 0 }
      const plan = { few: { ...few, order: [], isDescending }, walk: walkBy(sql`1`) }
      expect(await idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 1, offset: 0 }))).toEqual(
        expected.slice(0, 1),
      )
    }
  })

  test('is walked to past fewer bugs where the test of each takes long', async () => {
    const { ids } = await insertBugs(await insertPerson(), 60)
    const select = sql`SELECT value FROM ${jsonList(ids)}`
    const candidates = [{ select, test: sql`1`, most: 1 }]
    const few = { candidates, condition: sql`1`, order: [], isDescending: false, looks: 0 }
    // the last of them that a walk passes
    const condition = sql`CASE WHEN bugs.id = ${ids[0]} THEN ${REACH_LIMIT} ELSE 0 END`
    const pageOf = (looks: number) => {
      const plan = { few, walk: { ...walkBy(condition), looks } }
      return idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 100, offset: 0 }))
    }
    await expect(pageOf(1)).rejects.toThrow(ReadLimit)
    expect(await pageOf(100)).toEqual(ids)
    await hideBugs(ids)
  })

  test('fails where a walk passes more bugs than it may, and only then', async () => {
    const ids = [await insertBug(), await insertBug(), await insertBug()].map(({ id }) => id)
    const [first = 0, , third = 0] = ids
    const pageOf = (id: number, most: number) => {
      const plan = { walk: walkBy(sql`bugs.id = ${id}`), limits: limitsOf(most) }
      return idsIn(bugsOnPage(ANONYMOUS, plan, { limit: 1, offset: 0 }))
    }
    expect(await pageOf(third, 1)).toEqual([third])
    expect(await pageOf(first, 3)).toEqual([first])
    await expect(pageOf(first, 2)).rejects.toThrow(ReadLimit)
  })

  test('fails where the bugs to be sorted or counted are more than they may be', async () => {
    const ids = [await insertBug(), await insertBug(), await insertBug()].map(({ id }) => id)
    const all = {
      ...{ condition: sql`bugs.id IN ${jsonList(ids)}`, order: [sql`bugs.summary`], looks: 1 },
      found: sql`SELECT value FROM json_each(${JSON.stringify(ids)})`,
    }
    const page = { limit: 9, offset: 0 }
    for (const [most, isAllowed] of [
      [3, true],
      [2, false],
    ] as const) {
      const limits = limitsOf(most)
      const sorted = idsIn(bugsOnPage(ANONYMOUS, { walk: all, limits }, page))
      const counted = idsIn(allBugs(ANONYMOUS, all, limits))
      await (isAllowed
        ? expect(sorted).resolves.toEqual(ids)
        : expect(sorted).rejects.toThrow(ReadLimit))
      await (isAllowed
        ? expect(counted).resolves.toEqual(ids)
        : expect(counted).rejects.toThrow(ReadLimit))
    }
    // none is looked at
    expect(await idsIn(allBugs(ANONYMOUS, { ...all, looks: 0 }, limitsOf(2)))).toEqual(ids)
  })
})
