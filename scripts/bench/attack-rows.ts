import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Target } from './attack.ts'

/** What attacks find in a database, beside a generated tracker. */

/** The names of keywords and of a type of flag. */
export const KEYWORDS = Array.from({ length: 1000 }, (_, n) => `many${n}`)
export const FLAG_TYPE = 'many'

const [PRODUCTS, COMPONENTS, FLAG_TYPES, ACCOUNTS, ON_CC] = [3_000, 5_000, 2_000, 100_000, 5_000]
const [WEBHOOKS, LONG_COMMENTS, CHANGES] = [1000, 190, 30_000]

const NUMBERS = `CREATE TEMP TABLE IF NOT EXISTS numbers AS WITH RECURSIVE n(value) AS
  (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT ${ACCOUNTS}) SELECT value FROM n;`

/** Adds the keywords and the type of flag, once. */
export function addNames(database: DatabaseSync): void {
  const keywords = database.prepare(
    `INSERT OR IGNORE INTO keywords (name, name_fold, description)
      SELECT value, value, 'Many' FROM json_each(?)`,
  )
  keywords.run(JSON.stringify(KEYWORDS))
  database.exec(`INSERT INTO flag_types (name, description, target) SELECT '${FLAG_TYPE}', 'Many', 'bug'
      WHERE NOT EXISTS (SELECT 1 FROM flag_types WHERE name = '${FLAG_TYPE}');
    INSERT INTO flag_type_scopes (flag_type_id, is_exclusion) SELECT t.id, 0 FROM flag_types t
      WHERE t.name = '${FLAG_TYPE}' AND t.id NOT IN (SELECT flag_type_id FROM flag_type_scopes)`)
}

export function addAccounts(database: DatabaseSync): void {
  database.exec(`${NUMBERS}
    INSERT INTO users (login, login_fold, real_name, real_name_fold, created_at)
      SELECT 'many' || (value - 1) || '@many.test', 'many' || (value - 1) || '@many.test',
        'One of very many people', 'one of very many people', 0 FROM numbers`)
}

/** The first product has all components that the others leave over; all flag types apply to each of them. */
export function addStructure(database: DatabaseSync): void {
  database.exec(`${NUMBERS}
    INSERT INTO products (classification_id, name, name_fold, description, created_at)
      SELECT 1, 'many' || value, 'many' || value, 'One of many', 0 FROM numbers WHERE value <= ${PRODUCTS};
    CREATE TEMP TABLE many AS SELECT value, p.id AS product_id FROM numbers
      JOIN products p ON p.name = 'many' || iif(value <= ${PRODUCTS}, value, 1) WHERE value <= ${COMPONENTS};
    INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
      SELECT product_id, 'part' || value, 'part' || value, 'One of many', (SELECT min(id) FROM users) FROM many;
    INSERT INTO versions (product_id, name, name_fold, is_default)
      SELECT product_id, 'unspecified', 'unspecified', 1 FROM many WHERE value <= ${PRODUCTS};
    INSERT INTO flag_types (name, description, target)
      SELECT 'many' || value, 'One of many', 'bug' FROM numbers WHERE value <= ${FLAG_TYPES};
    INSERT INTO flag_type_scopes (flag_type_id, is_exclusion)
      SELECT id, 0 FROM flag_types WHERE description = 'One of many'`)
}

/** Lets a bug depend on another, for the `value` of each ID behind `first`. */
export function addLinks(
  database: DatabaseSync,
  bug: string,
  dependsOn: string,
  [first, last]: readonly [first: number, last: number],
): void {
  database.exec(`INSERT OR IGNORE INTO dependencies (bug_id, depends_on_id)
    SELECT ${bug}, ${dependsOn} FROM (SELECT id AS value FROM bugs WHERE id > ${first} AND id <= ${last})
    WHERE ${bug} <> ${dependsOn}`)
}

export function addPeopleOnCc(database: DatabaseSync, { bugs: [bug = 0] }: Target): void {
  database.exec(`INSERT OR IGNORE INTO bug_cc (bug_id, user_id)
    SELECT ${bug}, id FROM users ORDER BY id DESC LIMIT ${ON_CC}`)
}

/** The longest that can be, of letters of three bytes. */
export function addLongWhiteboards(database: DatabaseSync, { bugs }: Target): void {
  const update = database.prepare(
    'UPDATE bugs SET whiteboard = ? WHERE id IN (SELECT value FROM json_each(?))',
  )
  update.run('ꝏ'.repeat(65_535), JSON.stringify(bugs.slice(2, 102)))
}

export function addLongComments(database: DatabaseSync, { longBug }: Target): void {
  const last = `comments WHERE bug_id = ${longBug} ORDER BY id DESC`
  const body = 'lacewing '.repeat(10_000).slice(0, 65_535)
  addCopies(database, last, LONG_COMMENTS, (n, { number }) => ({
    number: Number(number) + n,
    body,
  }))
}

/** Copies of the one webhook of the data that hears of all changes of all bugs. */
export function addWebhooks(database: DatabaseSync): void {
  addCopies(database, 'webhooks', WEBHOOKS, (n) => {
    const name = `flood ${n}`
    return { name, name_fold: name, events: 'change', product_id: null, component_id: null }
  })
}

/** The webhook of the data for which `addBacklog` lets messages wait. */
export const WEBHOOK = 1

export function addBacklog(database: DatabaseSync): void {
  database.exec(`${NUMBERS}
    CREATE TEMP TABLE waiting AS SELECT (SELECT coalesce(max(id), 0) FROM notices) + value AS notice_id, b.id AS bug_id,
      b.reporter_id, unixepoch() AS at FROM numbers JOIN bugs b ON b.id = 1 + value % (SELECT max(id) FROM bugs);
    INSERT INTO notices (id, bug_id, author_id, kind, happened_at, next_attempt_at, done_at)
      SELECT notice_id, bug_id, reporter_id, 'created', at, at, at FROM waiting;
    INSERT INTO webhook_deliveries (webhook_id, event, bug_id, notice_id, created_at, next_attempt_at)
      SELECT ${WEBHOOK}, 'create', bug_id, notice_id, at, at FROM waiting`)
}

export function addChanges(database: DatabaseSync, { longBug }: Target): void {
  const last = `history WHERE field = 'priority' ORDER BY id DESC`
  addCopies(database, last, CHANGES, (n, { changed_at }) => {
    const [removed, added] = n % 2 ? ['P1', 'P2'] : ['P2', 'P1']
    return {
      ...{ bug_id: longBug, changed_at: Number(changed_at) + n, notice_id: null, removed, added },
      ...{ removed_fold: removed.toLowerCase(), added_fold: added.toLowerCase() },
    }
  })
}

type Row = Record<string, SQLOutputValue>

/** Adds copies of the first row of a table, or of its rows in an order, that differ in some columns. */
function addCopies(
  database: DatabaseSync,
  rows: string,
  count: number,
  change: (n: number, row: Row) => Row,
): void {
  const { id, ...row } = database.prepare(`SELECT * FROM ${rows} LIMIT 1`).get() ?? {}
  if (id === undefined) {
    throw new Error(`the tracker has no row in ${rows}`)
  }
  const [table = ''] = rows.split(' ')
  const names = Object.keys(row)
  const places = names.map(() => '?')
  const insert = database.prepare(`INSERT INTO ${table} (${names}) VALUES (${places})`)
  for (let n = 1; n <= count; n += 1) {
    insert.run(...Object.values({ ...row, ...change(n, row) }))
  }
}
