import { afterAll, describe, expect, test } from 'vitest'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import { hideBugs, insertBugs, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

/** So many bugs and words that they are counted in several statements. */
const BUGS = 130
const PHRASES = [
  'red',
  'blue',
  'green',
  'grey',
  'pink',
  'teal',
  'gold',
  'rust',
  'lime',
  'plum',
].map((colour) => `${colour} walrus`)

const author = await insertPerson()
const { ids } = await insertBugs(author, BUGS)
/** Each with one phrase less than the one before it. */
const best = [3, 50, 109, 70, 20].map((n) => ids[n] ?? 0)
const secret = ids[60] ?? 0
await restrictBug(secret, await insertGroup())
for (const [n, id] of [secret, ...best].entries()) {
  const text = `It has a ${PHRASES.slice(0, 10 - n).join(', a ')}.`
  await add([id], text)
}
await add(ids, `a ${PHRASES[0]}`)

afterAll(() => hideBugs(ids))

function add(to: readonly number[], body: string) {
  return execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    SELECT value, (SELECT count(*) FROM comments WHERE bug_id = value), ${author.id}, 1700000000, ${body}, 0
    FROM ${jsonList(to)}`)
}

async function search(more: string) {
  const words = encodeURIComponent(PHRASES.map((phrase) => `"${phrase}"`).join(' '))
  const { body, text, cost } = await get(
    ANYONE,
    `/rest/bug?include_fields=id&content=${words}&order=relevance${more}`,
  )
  expect(body.code, text.slice(0, 300)).toBeUndefined()
  return { found: (body.bugs as { id: number }[]).map(({ id }) => id), cost }
}

describe('an order by relevance of many phrases', () => {
  test('begins with the bugs that have most of them, and shows none that is hidden', async () => {
    const { found } = await search('&limit=0')
    expect(found.slice(0, best.length)).toEqual(best)
    expect(found).toHaveLength(BUGS - 1)
    expect(found).not.toContain(secret)
  })

  test('is the same on each page', async () => {
    const [whole, ...pages] = await Promise.all([
      search('&limit=0'),
      ...[0, 50, 100].map((offset) => search(`&limit=50&offset=${offset}`)),
    ])
    expect(pages.flatMap(({ found }) => found)).toEqual(whole?.found)
  })

  test('heeds what is asked for beside them', async () => {
    const { found } = await search(`&limit=3&f1=bug_id&o1=notequals&v1=${best[0]}`)
    expect(found).toEqual(best.slice(1, 4))
  })

  test('is counted in several statements, before that of the page', async () => {
    const { cost } = await search('&limit=10')
    expect(cost.trips).toBeGreaterThanOrEqual(5)
  })
})
