import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { BugSet } from '../../../src/platform/access/bug-set.ts'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { allOf, db, jsonList } from '../../../src/platform/db/sql.ts'
import { bugsOnPage, type FewBugs } from '../../../src/tracker/search/candidate-lists.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { onPrimary } from '../../support/database/statements.ts'

async function idsIn(set: BugSet): Promise<number[]> {
  const { rows } = await readBatch(onPrimary(), {
    rows: db.select({ id: bugs.id }).from(bugs).where(set.condition).orderBy(bugs.id),
  })
  return rows.map(({ id }) => id)
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
      const few = { candidates, condition: oneOf(...ids), order }
      const condition = allOf([oneOf(...ids), ...candidates.map(({ test }) => test)])
      return idsIn(
        bugsOnPage(ANONYMOUS, { few, walk: { condition, order } }, { limit: 9, offset: 0 }),
      )
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

  test('is found by what its row tells and by what lists tell, whichever of them are short', async () => {
    const made = [await insertBug(), await insertBug(), await insertBug(), await insertBug()]
    const ids = made.map(({ id }) => id)
    const [a = 0, b = 0, c = 0, d = 0] = ids
    const oneOf = (...list: number[]) => sql`bugs.id IN ${jsonList(list)}`
    const found = (isExact: boolean, ...matches: number[]) => ({
      select: sql`SELECT value FROM json_each(${JSON.stringify(isExact ? matches : [...matches, d])})`,
      test: oneOf(...matches),
    })
    const order = [sql`bugs.id`]
    const pageOf = (...candidates: FewBugs['candidates']) =>
      idsIn(
        bugsOnPage(
          ANONYMOUS,
          {
            few: { candidates, condition: sql`1`, order },
            walk: { condition: oneOf(...ids), order },
          },
          { limit: 9, offset: 0 },
        ),
      )
    for (const isExact of [true, false]) {
      // the list of others, the whole list, both lists are too long, or none
      for (const most of [0, 1, 2, 9]) {
        const list = { ...found(isExact, a, b), inRow: found(isExact, c), most }
        const what = `${most} ${isExact}`
        expect(await pageOf(list), what).toEqual([a, b, c])
        for (const second of [0, 1, 9]) {
          const other = { ...found(isExact, b), inRow: found(true, c, d), most: second }
          expect(await pageOf(list, other), `${what} ${second}`).toEqual([b, c])
          expect(await pageOf(other, list), `${what} ${second}`).toEqual([b, c])
        }
      }
    }
  })

  test('does not run the second list while the rows of the first tell enough', async () => {
    const { id } = await insertBug()
    // JSON that is no JSON fails when it is read
    const broken = sql`SELECT j.value FROM bugs, json_each('[' || bugs.summary) j`
    const order = [sql`bugs.id`]
    const pageWith = (inRow: SQL) => {
      const found = { test: sql`1` }
      const candidates = [
        { ...found, select: sql`SELECT ${id}`, most: 9 },
        { ...found, select: broken, inRow: { ...found, test: inRow, select: broken }, most: 9 },
      ]
      const few = { candidates, condition: sql`1`, order }
      const walk = { condition: sql`1`, order }
      return idsIn(bugsOnPage(ANONYMOUS, { few, walk }, { limit: 9, offset: 0 }))
    }
    expect(await pageWith(sql`1`)).toEqual([id])
    await expect(pageWith(sql`0`)).rejects.toThrow('malformed JSON')
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
      const few = { candidates: [list], condition: sql`1`, order }
      const walk = { condition: sql`bugs.id = ${id}`, order }
      return idsIn(bugsOnPage(ANONYMOUS, { few, walk }, { limit: 9, offset: 0 }))
    }
    expect(await pageWith(broken, 10)).toEqual([id])
    await expect(pageWith(broken, 9)).rejects.toThrow('malformed JSON')
    expect(await pageWith(sql`SELECT ${id}`, 9)).toEqual([id])
  })
})
