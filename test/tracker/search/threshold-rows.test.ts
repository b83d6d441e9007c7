import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { FEW, FEW_OF_MANY } from '../../../src/tracker/search/plan.ts'
import { copyBug, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

/** Matches of a search: half of each threshold of the planner, as many, twice and twenty times as many. */
const SIZES = [FEW_OF_MANY, FEW]
  .flatMap((most) => [most / 2, most, 2 * most, 20 * most])
  .toSorted((a, b) => a - b)
const OTHERS = 5000
const START = 2_000_000_000

/** Rows of a page, of a short walk and of a list that is given up; and for each match. */
const ROWS = { page: 5000, match: 7 }
/** The list of each of several words is compared with the text of its bugs. */
const ROWS_OF_WORDS = 18

/** None is a part of another. */
const wordOf = (size: number) => `found${size}x`

/** Bugs are alike but for their place: the first n meet each search for n bugs. */
const reader = await insertPerson()
const owner = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct({ assignee: owner })
const ids: number[] = []
for (const [n, size] of SIZES.entries()) {
  const words = SIZES.slice(n).map(wordOf)
  const bug = await postBug(owner, place, { summary: words.join(' ') })
  ids.push(bug, ...(await copyBug(bug, size - ids.length - 1)))
}
const other = await postBug(owner, place, { summary: 'Something else' })
ids.push(other, ...(await copyBug(other, OTHERS - 1)))
const first = ids[0] ?? 0
// the first bugs changed last, so that none of them is near the beginning of an order by the newest ID
await execute(
  sql`UPDATE bugs SET created_at = ${START} - id, changed_at = ${START} - id WHERE id >= ${first}`,
  sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
    SELECT id, ${owner.id}, ${START} - id, 'status', 'CONFIRMED', 'confirmed', 'IN_PROGRESS', 'in_progress' FROM bugs WHERE id >= ${first}`,
)
for (const size of SIZES) {
  const found = jsonList(ids.slice(0, size))
  const word = wordOf(size)
  const person = `${word}@example.test`
  await execute(
    sql`INSERT INTO users (login, login_fold, created_at) VALUES (${person}, ${person}, 1)`,
    sql`INSERT INTO bug_cc (bug_id, user_id) SELECT b.id, u.id FROM bugs b, users u
      WHERE b.id IN ${found} AND u.login = ${person}`,
    sql`INSERT INTO keywords (name, name_fold, description) VALUES (${word}, ${word}, '')`,
    sql`INSERT INTO bug_keywords (bug_id, keyword_id) SELECT b.id, k.id FROM bugs b, keywords k
      WHERE b.id IN ${found} AND k.name = ${word}`,
    sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
      SELECT id, ${owner.id}, ${START} - id, 'priority', ${word}, ${word}, 'P1', 'p1' FROM bugs WHERE id IN ${found}`,
  )
}

const sinceOf = (size: number) => new Date((START - first - size + 1) * 1000).toISOString()

const SEARCHES: Record<string, (size: number) => string> = {
  last_change_time: (size) => `last_change_time=${sinceOf(size)}`,
  creation_time: (size) => `creation_time=${sinceOf(size)}`,
  'chfield and chfieldfrom': (size) => `chfield=bug_status&chfieldfrom=${sinceOf(size)}`,
  'changedfrom a value': (size) => `f1=priority&o1=changedfrom&v1=${wordOf(size)}`,
  'a word': (size) => `short_desc=${wordOf(size)}&short_desc_type=allwords`,
  'some of several words': (size) =>
    `short_desc=${wordOf(size)}%20missing%20absent&short_desc_type=anywords`,
  'a keyword': (size) => `keywords=${wordOf(size)}`,
  'a person': (size) => `cc=${wordOf(size)}@example.test`,
}

const ORDERS = ['', 'bug_id DESC', 'changeddate DESC', 'opendate']

describe.each(Object.keys(SEARCHES))('a page of a search by %s', (name) => {
  test.each(SIZES)('reads rows in proportion to itself or to its %i matches', async (size) => {
    for (const order of ORDERS) {
      const query = `${SEARCHES[name]?.(size)}&order=${encodeURIComponent(order)}`
      const { status, body, text, cost } = await get(
        reader,
        `/rest/bug?${query}&limit=20&include_fields=id&count_total=0`,
      )
      expect(status, text).toBe(200)
      expect(body.bugs, order).toHaveLength(20)
      const match = name === 'some of several words' ? ROWS_OF_WORDS : ROWS.match
      expect(cost.read, `${name} ${order}`).toBeLessThanOrEqual(ROWS.page + match * size)
    }
  })
})
