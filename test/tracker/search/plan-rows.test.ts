import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { copyBug, postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

/** How many bugs there are at first, and then once more. */
const BUGS = 1500
/** The bugs that most searches find: more than a page and what is counted behind it. */
const FOUND = 300

const PAGE = 'limit=20&include_fields=id'
const ORDERS = ['', '&order=bug_id%20DESC', '&order=changeddate%20DESC', '&order=opendate']
/** Rows of the configuration may be read once more, such as those of a cached identity. */
const SLACK = 10

const SEARCHES: Record<string, () => string> = {
  product: () => `product=${place.name}`,
  'product and component': () => `product=${place.name}&component=${place.component}`,
  component: () => `component=${place.component}`,
  'product and status': () => `product=${place.name}&status=UNCONFIRMED&status=CONFIRMED`,
  status: () => 'status=CONFIRMED',
  'open status': () => 'status=__open__',
  'a status of few bugs': () => 'status=VERIFIED',
  resolution: () => 'resolution=---',
  priority: () => 'priority=--',
  assignee: () => `assigned_to=${owner.login}`,
  creator: () => `creator=${owner.login}`,
  'QA contact': () => `qa_contact=${owner.login}`,
  'triage owner': () => `triage_owner=${owner.login}`,
  cc: () => `cc=${owner.login}`,
  commenter: () => `commenter=${owner.login}`,
  'people in roles': () =>
    `email1=${owner.login}&emailtype1=exact&emailassigned_to1=1&emailreporter1=1&emailcc1=1`,
  keyword: () => `keywords=${keyword}`,
  flag: () => `f1=flagtypes.name&o1=equals&v1=${flag}%3F`,
  requestee: () => `f1=requestees.login_name&o1=equals&v1=${owner.login}`,
  ids: () => `id=${found.slice(0, 50).join(',')}`,
  alias: () => `alias=${word}`,
  'text of the summary': () => `summary=${word}`,
  'words of the summary': () => `short_desc=${word}%20window`,
  'quicksearch of plain words': () => `quicksearch=ALL%20${word}%20window`,
  'quicksearch of two words': () => `quicksearch=summary:${word}%20summary:window`,
  'filed since': () => 'creation_time=2037-01-01',
  'changed since': () => 'last_change_time=2037-01-01',
}

async function readRows(): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  for (const [name, query] of Object.entries(SEARCHES)) {
    for (const order of ORDERS) {
      const answer = await get(searcher, `/rest/bug?${query()}&${PAGE}${order}`)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.bugs.length, `${name}${order}`).toBeGreaterThan(0)
      rows.set(`${name}${order}`, answer.cost.read)
    }
  }
  return rows
}

const owner = await insertPerson({ roles: ['editbugs'] })
const searcher = await insertPerson()
const word = uniqueName('trembling').toLowerCase()
const keyword = uniqueName('keyword').toLowerCase()
const type = await insertFlagType()
const flag = type.name
const place = await insertProduct({ assignee: owner })
const elsewhere = await insertProduct()
const first = await postBug(owner, place, { summary: `A ${word} window` })
const found: number[] = [first, ...(await copyBug(first, FOUND - 1))]
const others = await insertPerson({ roles: ['editbugs'] })
const filler = await postBug(others, elsewhere, { summary: 'Something else' })
await updateBugRow(first, { alias: word, alias_fold: word })
const inFound = sql`${jsonList(found)}`
await execute(
  sql`UPDATE components SET triage_owner_id = ${owner.id} WHERE product_id = ${place.id}`,
  sql`UPDATE bugs SET qa_contact_id = ${owner.id}, created_at = 2114380800 + id,
    changed_at = 2114380800 + id WHERE id IN ${inFound}`,
  sql`UPDATE bugs SET status_id = (SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
    WHERE f.name = 'bug_status' AND v.name = 'VERIFIED') WHERE id IN ${jsonList(found.slice(0, 30))}`,
  sql`INSERT INTO keywords (name, name_fold, description) VALUES (${keyword}, ${keyword}, '')`,
  sql`INSERT INTO bug_keywords (bug_id, keyword_id) SELECT value, k.id
    FROM json_each(${JSON.stringify(found)}), keywords k WHERE k.name = ${keyword}`,
  sql`INSERT INTO bug_cc (bug_id, user_id) SELECT value, ${owner.id} FROM json_each(${JSON.stringify(found)})`,
  sql`INSERT INTO flags (bug_id, type_id, status, setter_id, requestee_id, created_at, modified_at)
    SELECT value, ${type.id}, '?', ${owner.id}, ${owner.id}, 1, 1 FROM json_each(${JSON.stringify(found)})`,
)
await copyBug(filler, BUGS - FOUND)

test('searches read no more rows in a tracker with twice as many bugs', async () => {
  const before = await readRows()
  await copyBug(filler, BUGS)
  const after = await readRows()
  const grown = [...after].filter(([name, rows]) => rows > (before.get(name) ?? 0) + SLACK)
  expect(Object.fromEntries(grown.map(([name, rows]) => [name, [before.get(name), rows]]))).toEqual(
    {},
  )
})
