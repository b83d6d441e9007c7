import { afterAll, describe, expect, test } from 'vitest'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import { hideBugs, insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

/** More texts than are looked at for the newest of a word. */
const HIDDEN = 650
/** More bugs with a word than are ranked by all of their texts. */
const BUGS = 350

const author = await insertPerson()
const ids = (await insertBugs(author, BUGS + HIDDEN)).ids
const [open, hidden] = [ids.slice(0, BUGS), ids.slice(BUGS)]
/** Those with two of the words and more, the best first, and one like them that nobody sees. */
const best = [open[9], open[211], open[210], open[3]].map(Number)
const secret = Number(open[5])
const add = (bugs: readonly number[], body: string, isPrivate = 0) =>
  sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    SELECT value, 1 + (SELECT max(number) FROM comments c WHERE c.bug_id = value), ${author.id}, 1700000000,
      ${body}, ${isPrivate} FROM ${jsonList(bugs)}`
await execute(
  sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    SELECT value, 0, ${author.id}, 1700000000, '', 0 FROM ${jsonList(ids.slice(1))}`,
  add([...best, secret], 'an osprey'),
  add([best[0] ?? 0, secret], 'a kestrel beside it'),
  // counts for nobody here
  add([best[3] ?? 0], 'kestrel', 1),
  add(open, 'a heron'),
  add(open.slice(0, 30), 'some gannet'),
  add(hidden, 'gannet'),
)
await hideBugs([...hidden, secret])

afterAll(() => hideBugs(ids))

async function search(words: string, more = '') {
  const query = `include_fields=id&content=${words}&order=relevance${more}`
  const { body, text, headers } = await get(ANYONE, `/rest/bug?${query}`)
  expect(body.code, text.slice(0, 300)).toBeUndefined()
  return {
    found: (body.bugs as { id: number }[]).map(({ id }) => id),
    total: headers.get('x-total-count'),
  }
}

describe('an order by relevance of words that many bugs have', () => {
  test('begins with the bugs that have most of them, whose texts may be older', async () => {
    const { found } = await search('heron%20osprey%20kestrel', '&limit=6')
    expect(found.slice(0, 4)).toEqual(best)
    expect(found).toHaveLength(6)
  })

  test('goes on where a page ends, without a bug twice', async () => {
    const whole = await search('heron%20osprey%20kestrel', '&limit=60')
    const pages = await Promise.all(
      [0, 20, 40].map((offset) => search('heron%20osprey%20kestrel', `&limit=20&offset=${offset}`)),
    )
    expect(pages.flatMap(({ found }) => found)).toEqual(whole.found)
    expect(new Set(whole.found).size).toBe(60)
  })

  test('counts all bugs that are found, not only those that are ranked', async () => {
    const { total } = await search('heron%20osprey%20kestrel', '&limit=5&count_total=1')
    expect(total).toBe(`${BUGS - 1}`)
  })

  test('shows no bug that the caller does not see, and counts no comment', async () => {
    const { found } = await search('heron%20osprey%20kestrel', '&limit=0')
    expect(found).not.toContain(secret)
    expect((await search('heron%20kestrel', '&limit=1')).found).toEqual([best[0]])
  })

  test('finds what the caller sees where all newer texts with a word are hidden', async () => {
    const { found } = await search('gannet%20albatross', '&limit=0')
    const visible = ids.slice(0, 30).filter((id) => id !== secret)
    expect(found.toSorted((a, b) => a - b)).toEqual(visible)
  })
})
