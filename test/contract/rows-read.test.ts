import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { describeConstantSearch, generateTracker } from '../../scripts/generator.ts'
import { buildBugBody, copyBug, postBug } from '../support/builders/bugs.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, get, type Sender, send } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'

/**
 * What D1 bills are the rows that a statement looks at. Those of one bug must not depend on how many
 * others there are, nor those of a search on bugs that it does not answer. A search is sent in a small
 * tracker and then in a large one beside it, of products that have grown with their tracker; the generator
 * makes the bugs that it answers alike at both sizes.
 */

const SEED = 20_001
const FEW = 1000
const MANY = 20_000

/** The second tracker is older than the first: it has the highest IDs, but none of the newest times. */
const START = 1_600_000_000

/**
 * Rows that a search may read more for each bug that it answers. The bugs of two trackers are drawn alike
 * but are not the same: some have one more CC or relation, and a walk to 20 matches passes others.
 */
const SLACK = 1
/** The same where a list of candidates, one entry a bug, is given up before. */
const SLACK_WITH_LIST = 3

type Cost = { hits: number; read: number; trips: number }

const { status, bugs: matches } = describeConstantSearch(SEED)
const PLACE = encodeURIComponent('Constant {seed}')
const OTHER = encodeURIComponent('Browser s{seed}')
const PAGE = 'limit=20'
const NEWEST = `${PAGE}&order=bug_id%20DESC`

const READS = ['', '?include_fields=_all', '?include_fields=id,summary', '/comment', '/history']

const SEARCHES = {
  'a product and status whose matches stay the same': {
    hits: matches,
    queries: [
      `product=${PLACE}&status=${status}`,
      // the number of their comments differs between two trackers
      `product=${PLACE}&bug_status=${status}&include_fields=_all&exclude_fields=comments`,
      `product=${PLACE}&status=${status}&count_only=1`,
      `product=${PLACE}&status=${status}&order=priority,bug_severity`,
      `product=${PLACE}&component=Engine&status=${status}`,
    ],
  },
  'the first 20 bugs by a value': {
    hits: 20,
    queries: [
      ...[
        ...['bug_status', 'component DESC', 'version', 'target_milestone', 'priority'],
        ...['bug_severity DESC', 'priority,bug_severity', 'Importance DESC,bug_id DESC'],
      ].map((by) => `${PAGE}&product=${OTHER}&order=${encodeURIComponent(by)}`),
      ...[
        'priority',
        'bug_severity',
        'Importance',
        'bug_status DESC',
        'product',
        'component',
        'assigned_to',
      ].map((by) => `${PAGE}&status=__open__&order=${encodeURIComponent(by)}`),
      `${PAGE}&product=${OTHER}&status=__open__&order=Importance`,
      `${PAGE}&product=${OTHER}&offset=300&order=bug_status`,
    ],
  },
  'the newest 20 bugs': {
    hits: 20,
    queries: [
      `${NEWEST}&product=${OTHER}`,
      `${NEWEST}&product=${OTHER}&status=__open__`,
      `${NEWEST}&product=${OTHER}&resolution=---`,
      `${NEWEST}&product=${OTHER}&component=General`,
      `${NEWEST}&product=${OTHER}&last_change_time=2020-01-01`,
      `${NEWEST}&status=__open__`,
      `${NEWEST}&status=CONFIRMED`,
      `${NEWEST}&status=CONFIRMED&status=IN_PROGRESS&status=UNCONFIRMED`,
      `${NEWEST}&resolution=---`,
      `${NEWEST}&severity=S3`,
      `${NEWEST}&assigned_to=p1.s%7Bseed%7D@example.test`,
      `${NEWEST}&creation_time=2015-01-01`,
      `${NEWEST}&creation_time=2015-01-01&resolution=---`,
      `${NEWEST}&last_change_time=2015-01-01`,
      `${NEWEST}&classification=Unclassified`,
      `${PAGE}&order=changeddate%20DESC&last_change_time=2015-01-01`,
      `${PAGE}&order=changeddate%20DESC&status=__open__`,
      `${PAGE}&order=changeddate%20DESC&resolution=---`,
      `${PAGE}&order=changeddate%20DESC&product=${OTHER}`,
      `${PAGE}&order=Last%20Updated&product=${OTHER}&status=__open__`,
      `${PAGE}&order=creation_ts%20DESC&creation_time=2015-01-01`,
      `${PAGE}&order=opendate%20DESC&status=__open__`,
      `${PAGE}&order=creation_ts%20DESC&product=${OTHER}`,
    ],
  },
}

/** What a filing asks: whether there are bugs with summaries like this, all of whose words are frequent. */
const DUPLICATES = ['', `&product=${OTHER}`].map(
  (products) =>
    `/rest/bug/possible_duplicates?summary=Keyboard%20focus%20is%20lost%20in%20the%20account%20wizard%20when%20pasting%20from%20another%20program%20with%20assistive%20tools${products}`,
)
const MAX_READ_OF_DUPLICATES = 3000

/** Searches that may read more in a larger tracker, and the most rows that they read in this one. */
const BOUNDED = {
  'limit=20&quicksearch=ALL%20print%20window%20dialog%20crash%20failure%20blank%20toolbar%20keyboard%20focus%20wizard': 20_000,
  'limit=20&quicksearch=ALL%20crash%20when%20opening%20the%20print%20dialog%20window%20with%20keyboard%20focus': 20_000,
  'limit=20&f1=longdescs.count&o1=greaterthan&v1=90': 2000,
  'limit=20&f1=longdescs.count&o1=equals&v1=7777': 500,
  'limit=20&j_top=OR&f1=longdescs.count&o1=equals&v1=71&f2=longdescs.count&o2=equals&v2=83&f3=longdescs.count&o3=equals&v3=99&f4=longdescs.count&o4=equals&v4=123': 3000,
  'limit=20&f1=see_also&o1=equals&v1=https://other.example/show_bug.cgi?id%3D9': 500,
  'limit=20&f1=see_also&o1=substring&v1=other.example': 500,
  'count_only=1&quicksearch=ALL%20window%20blank': 90_000,
  'limit=20&order=assigned_to&quicksearch=ALL%20window%20blank%20dialog': 91_000,
  'limit=20&quicksearch=ALL%20-window': 2000,
  'limit=20&f1=see_also&o1=substring&v1=example': 45_000,
  'limit=20&f1=longdescs.count&o1=greaterthan&v1=50': 52_000,
  'limit=20&assigned_to=p1.s%7Bseed%7D@example.test&status=__open__&order=changeddate': 3000,
  'limit=20&f1=bug_status&o1=changedfrom&v1=VERIFIED&f2=product&o2=equals&v2=Browser%20s%7Bseed%7D': 300,
  'count_only=1&status=__open__': 7000,
  'count_only=1&product=Browser%20s%7Bseed%7D': 8500,
}

/**
 * So many changes of values of their own, spread over the bugs of the large tracker: half of those that a page sorts
 * before it walks, as many, twice and twenty times as many.
 */
const CHANGES = [1000, 2000, 4000, 40_000]
/** The same of the newest changes, of which fewer are sorted: 150, or 1,000 where the newest come last. */
const RECENT_CHANGES = [75, 150, 300, 500, 1000, 2000, 3000]
const CHANGE_ORDERS = ['bug_id', 'bug_id%20DESC', 'changeddate%20DESC']
/** What a walk reads that passes 1,000 bugs in vain. */
const MAX_PASSED = 8500

/** Searches for so many changes; those since a time know it only in the test. */
const CHANGE_SEARCHES = {
  'to a value': searchesFor(CHANGES, (n) => `f1=status_whiteboard&o1=changedto&v1=[${n} after]`),
  'from a value': searchesFor(
    CHANGES,
    (n) => `f1=status_whiteboard&o1=changedfrom&v1=[${n} before]`,
  ),
  'to a value since a time': searchesFor(
    CHANGES,
    (n) => `chfield=status_whiteboard&chfieldvalue=[${n} after]&chfieldfrom=1970-01-01`,
  ),
  'of any field to a value': searchesFor(
    CHANGES,
    (n) => `f1=anything&o1=changedto&v1=[${n} after]`,
  ),
  'since a time': searchesFor(
    RECENT_CHANGES,
    (n) => `chfield=bug_status&chfieldfrom=${times.get(`status ${n}`)}`,
  ),
  'of any field since a time': searchesFor(
    RECENT_CHANGES,
    (n) => `f1=anything&o1=changedafter&v1=${times.get(`anything ${n}`)}`,
  ),
}

/** The times of the oldest of so many recent changes. */
const times = new Map<string, string>()

function searchesFor(numbers: readonly number[], queryOf: (number: number) => string) {
  return numbers.map((number) => ({ number, makeQuery: () => queryOf(number) }))
}

/** The request of each write, about bugs that are made for it, alike at both sizes. */
const WRITES: Record<string, (world: Place) => [method: string, path: string, body?: object]> = {
  'POST /bug with lists': ({ place, bugs, word, team }) => [
    'POST',
    '/rest/bug',
    buildBugBody(place, {
      ...{ cc: [SOMEBODY], keywords: [word], groups: [team.name], description: 'It is.' },
      ...{ depends_on: bugs.slice(0, 3), see_also: [String(bugs[4])], estimated_time: 3 },
    }),
  ],
  'PUT with lists': ({ bugs, word, team }) => [
    'PUT',
    `/rest/bug/${bugs[0]}`,
    {
      ...{ cc: { add: [SOMEBODY] }, keywords: { add: [word] }, groups: { add: [team.name] } },
      ...{ depends_on: { add: bugs.slice(1, 4) }, see_also: { add: [bugs[5]] } },
      ...{ tags: { add: ['x'] }, comment: 'All of it.', work_time: 1, alias: uniqueName('alias') },
    },
  ],
  'PUT of a status': ({ bugs }) => [
    'PUT',
    `/rest/bug/${bugs[0]}`,
    { status: 'RESOLVED', resolution: 'FIXED', comment: 'Done.' },
  ],
  'PUT of a duplicate': ({ bugs }) => ['PUT', `/rest/bug/${bugs[0]}`, { dupe_of: bugs[1] }],
  'PUT of a move': ({ bugs, goal }) => [
    'PUT',
    `/rest/bug/${bugs[0]}`,
    { product: goal.name, component: goal.component, reset_assigned_to: true },
  ],
  'PUT of a hundred bugs': ({ bugs, word }) => [
    'PUT',
    `/rest/bug/${bugs[0]}`,
    { ids: bugs, whiteboard: '[x]', keywords: { add: [word] }, comment: 'To all of you.' },
  ],
  'POST /bug/{id}/comment': ({ bugs }) => [
    'POST',
    `/rest/bug/${bugs[0]}/comment`,
    { comment: 'And this.', work_time: 0.5, is_private: true },
  ],
  'GET /bug/{id}/history': ({ bugs }) => ['GET', `/rest/bug/${bugs[0]}/history`],
}

/** Index pages of full texts are read in parcels that other texts fill. */
const PARCELS = 30

type Place = Awaited<ReturnType<typeof insertPlace>>

const SOMEBODY = 'rows-read@example.test'

/** A product of a hundred bugs that are alike, with what writes name. */
async function insertPlace() {
  const team = await insertGroup([writer])
  const controls = [{ group: team, memberControl: 1, otherControl: 0 }]
  const [place, goal] = [await insertProduct({ controls }), await insertProduct({ controls })]
  const word = uniqueName('word')
  await execute(
    sql`INSERT OR IGNORE INTO users (login, login_fold, created_at) VALUES (${SOMEBODY}, ${SOMEBODY}, 1)`,
    sql`INSERT INTO keywords (name, name_fold, description) VALUES (${word}, ${word}, '')`,
  )
  const first = await postBug(writer, place, { description: 'It is.' })
  return { place, goal, word, team, bugs: [first, ...(await copyBug(first, 99))] }
}

/** Writes everything once, each in a place of its own. */
async function measureWrites(into: Map<string, Cost>): Promise<void> {
  for (const [name, request] of Object.entries(WRITES)) {
    const [method, path, body] = request(await insertPlace())
    const { status: code, text, cost } = await send(writer, method, path, body)
    expect(code, `${name}: ${text.slice(0, 200)}`).toBeLessThan(300)
    into.set(name, { hits: 1, read: cost.read, trips: cost.trips })
  }
}

const before = new Map<string, Cost>()
const after = new Map<string, Cost>()

async function load(bugs: number, seed: number, start: number): Promise<void> {
  const steps = [...generateTracker({ bugs, seed, start })]
  for (let first = 0; first < steps.length; first += 20) {
    const batch = steps.slice(first, first + 20)
    await env.DB.batch(batch.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)))
  }
}

/** Sends every request, about the products of one tracker. */
async function measure(into: Map<string, Cost>, seed: number): Promise<void> {
  const paths = [
    ...READS.map((query) => `/rest/bug/first-s${SEED}${query}`),
    ...Object.values(SEARCHES)
      .flatMap(({ queries }) => queries)
      .map((query) => `/rest/bug?${query}`),
    ...Object.keys(BOUNDED).map((query) => `/rest/bug?${query}`),
    ...DUPLICATES,
  ]
  for (const [who, sender] of Object.entries(senders)) {
    for (const path of paths) {
      const url = path.replaceAll('%7Bseed%7D', String(seed))
      const { status: code, text, body, cost } = await get(sender, url)
      expect(code, `${path}: ${text.slice(0, 200)}`).toBe(200)
      const hits = Array.isArray(body.bugs) ? body.bugs.length : (body.bug_count ?? 1)
      into.set(`${who} ${path}`, { hits, read: cost.read, trips: cost.trips })
    }
  }
}

/** Inserts the changes of values, and remembers the times of recent ones. */
async function insertChanges(): Promise<void> {
  for (const n of CHANGES) {
    const bugs = sql`SELECT id, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS total FROM bugs`
    const chosen =
      n > MANY
        ? sql`SELECT b.id FROM (${bugs}) b, json_each('[1, 2]')`
        : sql`SELECT id FROM (${bugs}) WHERE place % (total / ${n}) = 0 LIMIT ${n}`
    await execute(sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
      SELECT id, ${writer.id}, 1, 'whiteboard', ${`[${n} before]`}, ${`[${n} before]`}, ${`[${n} after]`}, ${`[${n} after]`}
      FROM (${chosen})`)
  }
  for (const n of RECENT_CHANGES) {
    for (const [name, condition] of [
      ['status', sql`field = 'status'`],
      ['anything', sql`1`],
    ] as const) {
      const [row] =
        await execute(sql`SELECT strftime('%Y-%m-%dT%H:%M:%SZ', changed_at, 'unixepoch') AS time
        FROM history WHERE ${condition} ORDER BY changed_at DESC LIMIT 1 OFFSET ${n - 1}`)
      times.set(`${name} ${n}`, String(row?.time))
    }
  }
}

const senders: Record<string, Sender> = {
  anyone: ANYONE,
  somebody: await insertPerson(),
  insider: await insertPerson({ roles: ['insider', 'timetracking', 'editbugs'] }),
}
const writer = await insertPerson({ roles: ['insider', 'timetracking', 'editbugs'] })
await load(FEW, SEED, START)
await measure(before, SEED)
await measureWrites(before)
await load(MANY - FEW, SEED + 1, START - MANY * 1000)
await measure(after, SEED + 1)
await measureWrites(after)
await insertChanges()
const { results } = await env.DB.prepare('SELECT count(*) AS bugs FROM bugs').all()
expect(Number(results[0]?.bugs)).toBeGreaterThanOrEqual(MANY)

/** What a path cost each of the senders, of few bugs and of many. */
function costsOf(path: string): { who: string; few: Cost; many: Cost }[] {
  return Object.keys(senders).map((who) => {
    const few = before.get(`${who} ${path}`)
    const many = after.get(`${who} ${path}`)
    if (few === undefined || many === undefined) {
      throw new Error(`${path} was not measured`)
    }
    return { who, few, many }
  })
}

describe('reading one bug', () => {
  test.each(READS)('costs no row more because of others: %j', (query) => {
    for (const { who, few, many } of costsOf(`/rest/bug/first-s${SEED}${query}`)) {
      expect(many.read, who).toBe(few.read)
      expect(many.trips, who).toBe(1)
    }
  })
})

describe.each(Object.entries(SEARCHES))('a search for %s', (_, { hits, queries }) => {
  test.each(queries)('costs no more rows because of other bugs: %s', (query) => {
    for (const { who, few, many } of costsOf(`/rest/bug?${query}`)) {
      expect([few.hits, many.hits], who).toEqual([hits, hits])
      const slack = query.includes('&component=Engine') ? SLACK_WITH_LIST : SLACK
      expect(many.read, who).toBeLessThanOrEqual(few.read + slack * hits)
      // bugs that bring histories along are found by themselves, unless a page limits them
      expect(many.trips, who).toBe(query.includes('include_fields=_all') ? 2 : 1)
    }
  })
})

describe('a search by words, counts and links', () => {
  test.each(Object.entries(BOUNDED))('reads a bounded number of rows: %s', (query, most) => {
    for (const { who, few, many } of costsOf(`/rest/bug?${query}`)) {
      expect(Math.max(few.read, many.read), who).toBeLessThanOrEqual(most)
    }
  })
})

describe('looking for duplicates', () => {
  test.each(DUPLICATES)('reads a bounded number of rows: %s', (path) => {
    for (const { who, few, many } of costsOf(path)) {
      expect([few.hits, many.hits], who).toEqual([7, 7])
      expect(Math.max(few.read, many.read), who).toBeLessThanOrEqual(MAX_READ_OF_DUPLICATES)
    }
  })
})

describe.each(Object.entries(CHANGE_SEARCHES))('a search for changes %s', (_, ofNumber) => {
  test.each(ofNumber)(
    'reads rows of its page, or of its changes: $number',
    async ({ number, makeQuery }) => {
      const query = makeQuery()
      const place = `product=${OTHER.replaceAll('%7Bseed%7D', String(SEED + 1))}`
      for (const about of [query, `${query}&${place}`]) {
        for (const order of CHANGE_ORDERS) {
          const path = `/rest/bug?${about}&${PAGE}&include_fields=id&order=${order}`
          const { status: code, text, cost } = await get(ANYONE, path)
          expect(code, text).toBe(200)
          const isDense = number > MANY
          expect(cost.read, path).toBeLessThanOrEqual(isDense ? 4000 : MAX_PASSED + 9 * number)
        }
        const path = `/rest/bug?${about}&count_only=1`
        const { status: code, text, cost } = await get(ANYONE, path)
        expect(code, text).toBe(200)
        expect(cost.read, path).toBeLessThanOrEqual(1000 + 7 * number)
      }
    },
  )
})

describe('writing', () => {
  test.each(Object.keys(WRITES))('costs no row more because of other bugs: %s', (name) => {
    const [few, many] = [before.get(name), after.get(name)]
    expect(many?.read).toBeLessThanOrEqual((few?.read ?? 0) + PARCELS)
    expect(many?.trips).toBe(name.startsWith('GET') ? 1 : 2)
  })
})
