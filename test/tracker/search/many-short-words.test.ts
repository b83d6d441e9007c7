import { afterAll, describe, expect, test } from 'vitest'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import { hideBugs, insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

/** So many words without an index, and bugs, that one statement may not compare all of them. */
const WORDS = Array.from(
  { length: 97 },
  (_, n) => `${'qwxyzjkvb'[n % 9]}${'abcdefghijk'[Math.floor(n / 9)]}`,
)
const BUGS = 2600

const author = await insertPerson()
const { ids } = await insertBugs(author, BUGS)
const found = ids.slice(0, 40)
await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
  SELECT value, 1, ${author.id}, 1700000000, 'the zebra and lion qa', 0 FROM ${jsonList(found)}`)

afterAll(() => hideBugs(ids))

const words = `f1=content&o1=matches&v1=${WORDS.join('%20')}`
const UNION = `f0=OP&j0=OR&${words}&f2=content&o2=matches&v2=zebra&f3=CP&f4=content&o4=matches&v4=lion`

async function ask(query: string) {
  const { body, text } = await get(ANYONE, `/rest/bug?include_fields=id&limit=0&${query}`)
  expect(body.code, text.slice(0, 300)).toBeUndefined()
  return body as { bugs?: { id: number }[]; bug_count?: number }
}

describe('a search for more short words than one statement compares', () => {
  test.each([
    ['alone', words],
    ['by summary', `${words}&order=short_desc`],
    ['by relevance', `${words}&order=relevance`],
    ['by relevance, counted', `${words}&order=relevance&count_total=1`],
    ['or another word, and a third', UNION],
  ])('%s, finds its bugs', async (_, query) => {
    const { bugs = [] } = await ask(query)
    expect(bugs.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(found)
  })

  test.each([
    ['alone', words],
    ['by relevance', `${words}&order=relevance`],
    ['or another word, and a third', UNION],
  ])('%s, is counted', async (_, query) => {
    const { headers } = await get(ANYONE, `/rest/bug?include_fields=id&count_total=1&${query}`)
    expect(headers.get('x-total-count')).toBe(`${found.length}`)
    expect((await ask(`${query}&count_only=1`)).bug_count).toBe(found.length)
  })
})
