import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { postBug } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { expectFault, get, post, put, type Sender, send } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'

/** Lists of one bug and of people that are read page by page, as the header `Link` leads. */

const author = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['editbugs', 'insider'] })
const bug = await postBug(author, await insertProduct())
for (let n = 1; n <= 6; n += 1) {
  const sent = await post(insider, `/rest/bug/${bug}/comment`, {
    comment: `Comment ${n}`,
    is_private: n % 3 === 0,
  })
  expect(sent.status).toBe(201)
  // what one person changes within a second is one change
  const who = n % 2 === 0 ? author : insider
  expect((await put(who, `/rest/bug/${bug}`, { whiteboard: `State ${n}` })).status).toBe(200)
}

/** The items of all pages, and how many pages there were. */
async function readPages<Item>(
  reader: Sender,
  first: string,
  itemsOf: (body: Record<string, unknown>) => Item[],
): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  let pages = 0
  for (let path: string | undefined = first; path !== undefined; ) {
    const answer = await send(reader, 'GET', path)
    expect(answer.status, answer.text).toBe(200)
    items.push(...itemsOf(answer.body))
    pages += 1
    const [, next] = /^<([^>]*)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? []
    path = next?.replace(/^https?:\/\/[^/]+/, '')
  }
  return { items, pages }
}

const commentsOf = (body: Record<string, unknown>) =>
  Object.values(body.bugs as Record<string, { comments: { count: number }[] }>).flatMap(
    ({ comments }) => comments.map(({ count }) => count),
  )

describe('comments of a bug', () => {
  test('come in pages, each once and in order', async () => {
    const path = `/rest/bug/${bug}/comment?limit=3`
    expect(await readPages(insider, path, commentsOf)).toEqual({
      items: [0, 1, 2, 3, 4, 5, 6],
      pages: 3,
    })
  })

  test('have full pages for those who do not see all of them, and no page for what is hidden', async () => {
    expect(await readPages(author, `/rest/bug/${bug}/comment?limit=5`, commentsOf)).toEqual({
      items: [0, 1, 2, 4, 5],
      pages: 1,
    })
    const page = await get(author, `/rest/bug/${bug}/comment?limit=2&offset=2`)
    expect(commentsOf(page.body)).toEqual([2, 4])
  })

  test('come in pages from the end, each oldest first, and say how many there are', async () => {
    const path = `/rest/bug/${bug}/comment?from_end=1&limit=3`
    expect(await readPages(author, path, commentsOf)).toEqual({
      items: [2, 4, 5, 0, 1],
      pages: 2,
    })
    const [own, all] = [await get(author, path), await get(insider, path)]
    expect([own, all].map(({ headers }) => headers.get('x-total-count'))).toEqual(['5', '7'])
    const before = await get(insider, `/rest/bug/${bug}/comment?from_end=1&limit=2&offset=3`)
    expect(commentsOf(before.body)).toEqual([1, 2])
  })

  test('after a moment come in pages, and none is empty', async () => {
    const { body } = await get(insider, `/rest/bug/${bug}/comment`)
    const [, , third] = body.bugs[bug].comments as { id: number }[]
    await execute(sql`UPDATE comments SET created_at = created_at + 9
      WHERE bug_id = ${bug} AND id > ${third?.id ?? 0}`)
    const { creation_time: moment } = body.bugs[bug].comments[2]
    const since = encodeURIComponent(moment)
    for (const [more, items] of [
      ['', [3, 4, 5, 6]],
      ['&from_end=1', [5, 6, 3, 4]],
    ] as const) {
      const path = `/rest/bug/${bug}/comment?limit=2&new_since=${since}${more}`
      expect(await readPages(insider, path, commentsOf)).toEqual({ items, pages: 2 })
    }
  })

  test('refuse pages of several bugs, and what is no number', async () => {
    const several = await get(author, `/rest/bug/${bug}/comment?ids=${bug + 1}&limit=3`)
    expectFault(several, 400, 53, 'limit')
    expectFault(await get(author, `/rest/bug/${bug}/comment?limit=x`), 400, 52, 'limit')
  })
})

test('history comes in pages of changes', async () => {
  const changesOf = (body: Record<string, unknown>) =>
    (body.bugs as { history: { changes: { added: string }[] }[] }[]).flatMap(({ history }) =>
      history.flatMap(({ changes }) => changes.map(({ added }) => added)),
    )
  const path = `/rest/bug/${bug}/history?limit=4`
  const { items, pages } = await readPages(author, path, changesOf)
  expect(items).toEqual([1, 2, 3, 4, 5, 6].map((n) => `State ${n}`))
  expect(pages).toBe(2)
  const all = await readPages(author, `/rest/bug/${bug}/history?limit=0`, changesOf)
  expect(all).toEqual({ items, pages: 1 })
})

describe('people', () => {
  const name = uniqueName('paged').toLowerCase()
  const loginsOf = (body: Record<string, unknown>) =>
    (body.users as { name: string }[]).map(({ name: login }) => login)

  beforeAll(async () => {
    const admin = await insertPerson({ roles: ['editusers'] })
    for (const n of [1, 2, 3, 4, 5]) {
      const email = `${name}.${n}@example.test`
      const sent = await post(admin, '/rest/user', { email, password: 'a-long-password' })
      expect(sent.status, sent.text).toBe(201)
    }
  })

  test('come in pages, each once and by login', async () => {
    const path = `/rest/user?match=${name}&limit=2`
    expect(await readPages(author, path, loginsOf)).toEqual({
      items: [1, 2, 3, 4, 5].map((n) => `${name}.${n}@example.test`),
      pages: 3,
    })
  })

  test('whose login is the text come first, once', async () => {
    const path = `/rest/user?match=${name}.4@example.test&limit=1`
    expect((await readPages(author, path, loginsOf)).items).toEqual([`${name}.4@example.test`])
  })

  test('refuse an offset that is no number, or a far one', async () => {
    for (const offset of ['x', '-1', '10001']) {
      expectFault(await get(author, `/rest/user?match=a&offset=${offset}`), 400, 53, 'offset')
    }
  })
})
