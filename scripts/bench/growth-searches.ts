import type { DatabaseSync } from 'node:sqlite'
import type { Landmarks } from './landmarks.ts'
import { fillPath, readTable } from './request.ts'

/** A search whose rows are read at every size. */
type GrowthSearch = {
  name: string
  path: string
  /** How many changes it finds, where these may be sorted for the page. */
  changes: number
}

/** What an index serves, by itself and in an order by ID and by time: its rows must not grow with the tracker. */
const CRITERIA = `
  product                   | product={product}
  component                 | product={product}&component={component}
  status                    | status=RESOLVED
  open status               | status=__open__
  resolution                | resolution=FIXED
  severity                  | severity=S3
  priority                  | priority=P3
  milestone                 | product={product}&target_milestone=M1
  keyword                   | keywords=crash-s1
  flag                      | f1=flagtypes.name&o1=equals&v1=needinfo-s1?
  assignee                  | assigned_to={assignee}
  creator                   | creator=p0.s1@example.test
  QA contact                | qa_contact=p12.s1@example.test
  CC                        | cc=p0.s1@example.test
  commenter                 | commenter=p0.s1@example.test
  people in roles           | email1=p0.s1@example.test&emailtype1=exact&emailcc1=1&emailreporter1=1
  filed since               | creation_time=2000-01-01
  changed since             | last_change_time=2000-01-01
  IDs                       | id=${Array.from({ length: 30 }, (_, n) => n + 1)}
  aliases                   | alias=first-s1
  word of the summary       | short_desc={word}&short_desc_type=allwords
  part of the summary       | summary={word}
  word of comments          | longdesc=keyboard&longdesc_type=allwords
  part of comments          | longdesc=eyboar&longdesc_type=substring
  content                   | content={word}
  quicksearch of one word   | quicksearch=ALL {word}
  quicksearch of two words  | quicksearch=ALL blank {word}
  status changes            | f1=bug_status&o1=changedafter&v1=2000-01-01
`

/** What is walked in the order of values. */
const BY_VALUES = `
  product            | product={product}
  open status        | status=__open__
  open, of a product | product={product}&status=__open__
`

/** Changes that few bugs or many have, whenever they were. */
const CHANGES = `
  changes from no value             | f1=bug_status&o1=changedfrom&v1=NONE
  changes to one value              | f1=blocked&o1=changedto&v1={blocked}
  changes from FIXED                | f1=resolution&o1=changedfrom&v1=FIXED
  changes to FIXED                  | f1=resolution&o1=changedto&v1=FIXED
  changes of any field to no value  | f1=anything&o1=changedto&v1=NONE
  changes from WONTFIX in a product | product={product}&f1=resolution&o1=changedfrom&v1=WONTFIX
  changes by a person               | f1=assigned_to&o1=changedby&v1=p3.s1@example.test
  bugs filed since                  | chfield=[Bug creation]&chfieldfrom=2000-01-01
`

/** What once grew with the tracker, or still does. */
const GROWING = `
  changed from a rare value                    | f1=assigned_to&o1=changedfrom&v1={developer}
  changed from a frequent value, of a product  | product={product}&f1=bug_status&o1=changedfrom&v1=VERIFIED
  fixed last week                              | chfield=resolution&chfieldvalue=FIXED&chfieldfrom={weekAgo}
  comments beyond 50                           | f1=longdescs.count&o1=greaterthan&v1=50
  open, by priority and severity               | status=__open__&order=priority,bug_severity
  product, by priority                         | product={product}&order=priority
  comment substring of two words               | longdesc=error page&longdesc_type=substring
  comment substring, trigrams frequent apart   | longdesc=ing the ing&longdesc_type=substring
  comment regular expression                   | longdesc=zq[0-9]&longdesc_type=regexp
  number of open                               | status=__open__&count_only=1
  number of a product                          | product={product}&count_only=1
  number of a quicksearch                      | quicksearch=ALL window&count_only=1
  quicksearch of three frequent words          | quicksearch=ALL window the start
  quicksearch without a word                   | quicksearch=ALL -window
  see also                                     | f1=see_also&o1=substring&v1=example
  regular expression of the summary            | short_desc=zq[0-9]&short_desc_type=regexp
  my open, by change                           | assigned_to={assignee}&status=__open__&order=changeddate
  content by relevance                         | content=window&order=relevance
  six words by relevance                       | content=print window dialog crash failure assertion&order=relevance
  since a year, by summary                     | last_change_time={yearAgo}&order=short_desc
  large offset                                 | product={product}&offset={farAway}
  product without a limit                      | product={product}&limit=0
`

/** A summary of frequent words. */
const FREQUENT = 'Keyboard focus is lost in the account wizard when pasting from another program'
const DUPLICATES = `/rest/bug/possible_duplicates?include_fields=id&summary=${encodeURIComponent(FREQUENT)}`

/** Few enough that the page is full in the smallest tracker, where all hits would be counted too. */
const PAGE = 'limit=20&count_total=0&include_fields=id'
const ORDERS = { ', newest ID first': 'bug_id DESC', ', latest change first': 'changeddate DESC' }
const ORDERS_OF_CHANGES = { ...ORDERS, ', first ID first': 'bug_id' }
const VALUE_ORDERS = Object.fromEntries(
  ['bug_status', 'priority', 'bug_severity DESC', 'Importance', 'component', 'assigned_to'].map(
    (order) => [`, by ${order}`, order],
  ),
)

/** So many changes to a value are sorted before a page is walked to. */
const MAX_SORTED = 2000

/** Searches with a little less and a little more candidates than are sorted; a page is found otherwise beyond. */
const THRESHOLDS = [
  { name: 'below 150', count: 135 },
  { name: 'above 150', count: 165 },
  { name: 'below 2000', count: 1800 },
  { name: 'above 2000', count: 2200 },
]

/** All searches whose growth is measured, in a tracker whose database is open. */
export function listGrowthSearches(database: DatabaseSync, landmarks: Landmarks): GrowthSearch[] {
  const values = { ...landmarks, ...findValues(database) }
  const build = (name: string, query: string, changes = 0): GrowthSearch => {
    // what a search says comes after what all say
    const said = new URLSearchParams(fillPath(query, values))
    const all = { ...Object.fromEntries(new URLSearchParams(PAGE)), ...Object.fromEntries(said) }
    return { name, path: `/rest/bug?${new URLSearchParams(all)}`, changes }
  }
  const inOrders = (rows: string[][], orders: Record<string, string>, changes?: number) =>
    rows.flatMap(([name, query]) =>
      Object.entries(orders).map(([by, order]) =>
        build(`${name}${by}`, `${query}&order=${order}`, changes),
      ),
    )
  const lastChanges = (what: string, query: string, all: Landmarks['fixes']) =>
    all.flatMap(({ number, time }) => {
      const row = [`the last ${number} changes ${what}`, `${query}&chfieldfrom=${time}`]
      return inOrders([row], ORDERS_OF_CHANGES, number)
    })
  const fixed = 'chfield=resolution&chfieldvalue=FIXED'
  return [
    ...inOrders(readTable(CRITERIA), ORDERS),
    ...inOrders(readTable(BY_VALUES), VALUE_ORDERS),
    ...inOrders(readTable(CHANGES), ORDERS_OF_CHANGES, MAX_SORTED),
    ...lastChanges('of a status', 'chfield=bug_status', landmarks.statusChanges),
    ...lastChanges('to FIXED', fixed, landmarks.fixes),
    ...readTable(GROWING).map(([name = '', query = '']) => build(name, query)),
    ...listThresholds(database).map(([name = '', query = '']) => build(name, query)),
    { name: 'possible duplicates', path: DUPLICATES, changes: 0 },
    {
      ...{ name: 'possible duplicates in a product', changes: 0 },
      path: fillPath(`${DUPLICATES}&product={product}`, landmarks),
    },
  ]
}

function listThresholds(database: DatabaseSync): string[][] {
  database.exec('CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, comments_body_fts, row)')
  const since = (column: string) =>
    `SELECT strftime('%Y-%m-%dT%H:%M:%SZ', min(at), 'unixepoch') FROM
      (SELECT ${column} AS at FROM bugs ORDER BY ${column} DESC LIMIT ?)`
  const word =
    'SELECT term FROM temp.words WHERE doc > ?1 * 0.7 ORDER BY abs(doc - ?1), term LIMIT 1'
  return THRESHOLDS.flatMap(({ name, count }) => {
    const find = (sql: string) => findText(database, sql, count)
    return [
      [`filed since, ${name}`, `creation_time=${find(since('created_at'))}&order=priority`],
      [`changed since, ${name}`, `last_change_time=${find(since('changed_at'))}&order=bug_id DESC`],
      [
        `word of comments, ${name}`,
        `longdesc=${find(word)}&longdesc_type=allwords&order=changeddate DESC`,
      ],
    ]
  })
}

function findValues(database: DatabaseSync): Record<string, string> {
  const day = `SELECT date(max(changed_at) - ? * 86400, 'unixepoch') FROM bugs`
  return {
    weekAgo: findText(database, day, 7),
    yearAgo: findText(database, day, 365),
    farAway: findText(database, 'SELECT min(count(*) / 50, ?) FROM bugs', 100_000),
  }
}

function findText(database: DatabaseSync, sql: string, parameter: number): string {
  return String(Object.values(database.prepare(sql).get(parameter) ?? {})[0])
}
