import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { copyBug, postBug } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../support/builders/types.ts'
import { ANYONE, get } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'

/** Walks from page to page along the header, while bugs are filed, changed and moved away. */

let reporter: TestPerson
let place: TestProduct

beforeAll(async () => {
  reporter = await insertPerson()
  place = await insertProduct()
})

type Page = { ids: number[]; next: string | null }

async function readPage(path: string): Promise<Page> {
  const answer = await get(ANYONE, path)
  expect(answer.status, answer.text).toBe(200)
  const [, address = null] = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? []
  const url = address === null ? null : new URL(address, 'https://tracker.test')
  return {
    ids: answer.body.bugs.map(({ id }: { id: number }) => id),
    next: url && url.pathname + url.search,
  }
}

async function walk(path: string, between: (page: number) => Promise<unknown>): Promise<Page[]> {
  const pages: Page[] = []
  for (let next: string | null = path; next !== null && pages.length < 50; ) {
    const page: Page = await readPage(next)
    pages.push(page)
    next = page.next
    await between(pages.length)
  }
  return pages
}

async function fileBugs(count: number): Promise<{ name: string; ids: number[] }> {
  place = await insertProduct()
  const first = await postBug(reporter, place)
  return { name: place.name, ids: [first, ...(await copyBug(first, count - 1))] }
}

describe('pages along the links', () => {
  test.each([
    ['bug_id', 3],
    ['bug_id DESC', 3],
    ['bug_id', 7],
    ['bug_id', 21],
  ])('in order of %s, %i at once, have each bug that stays once', async (order, limit) => {
    const { name, ids } = await fileBugs(21)
    const gone = new Set<number>()
    const path = `/rest/bug?product=${name}&include_fields=id&limit=${limit}&order=${order}`
    const pages = await walk(path, async (page) => {
      const id = ids[page * 2] ?? 0
      gone.add(id)
      await execute(
        sql`UPDATE bugs SET changed_at = changed_at + ${page}, priority_id = priority_id WHERE id = ${ids[page]}`,
        sql`UPDATE bugs SET group_count = 1 WHERE id = ${id}`,
      )
    })
    const found = pages.flatMap((page) => page.ids)
    expect(found).toEqual([...new Set(found)])
    expect(ids.filter((id) => !found.includes(id) && !gone.has(id))).toEqual([])
    expect(pages.filter((page) => page.ids.length === 0)).toEqual([])
  })

  test.each(['bug_id', 'bug_id DESC', 'changeddate', 'priority,bug_id DESC'])(
    'in order of %s have each bug once, and none is empty, while nothing changes',
    async (order) => {
      const { name, ids } = await fileBugs(11)
      for (const limit of [1, 2, 3, 5, 10, 11]) {
        const path = `/rest/bug?product=${name}&include_fields=id&limit=${limit}&order=${order}`
        const pages = await walk(path, async () => {})
        expect(pages.flatMap((page) => page.ids).toSorted((a, b) => a - b)).toEqual(ids)
        expect(pages).toHaveLength(Math.ceil(11 / limit))
      }
    },
  )

  test.each(['bug_id', 'changeddate'])(
    'of more bugs than one round trip reads, in order of %s, lose none',
    async (order) => {
      const { name, ids } = await fileBugs(1300)
      for (const limit of [400, 600, 1100]) {
        const path = `/rest/bug?product=${name}&include_fields=id&limit=${limit}&order=${order}`
        const pages = await walk(path, async () => {})
        const found = pages.flatMap((page) => page.ids)
        expect([limit, found.length, new Set(found).size]).toEqual([limit, ids.length, ids.length])
        expect(pages).toHaveLength(Math.ceil(1300 / limit))
      }
    },
  )
})
