import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { CommandError } from '../../scripts/command.ts'
import {
  applyMigrations,
  type Migration,
  openMigratedDatabase,
  readMigrations,
} from '../../scripts/migrations.ts'

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../drizzle'))

function isBefore({ name }: Migration, number: string): boolean {
  return name.slice(0, number.length) < number
}

/** A database as it was before the migration with a number, and what applies that one. */
function openBefore(number: string): { database: DatabaseSync; migrate: () => void } {
  const database = openMigratedDatabase(MIGRATIONS.filter((one) => isBefore(one, number)))
  database.exec('PRAGMA foreign_keys = OFF')
  const migrate = () => {
    const own = MIGRATIONS.find(({ name }) => name.startsWith(number))
    for (const statement of own?.statements ?? []) {
      database.exec(statement)
    }
  }
  return { database, migrate }
}

test('a migration that fails is named, and undone', () => {
  const database = new DatabaseSync(':memory:')
  const first = { name: '1.sql', statements: ['CREATE TABLE a (b UNIQUE)'] }
  const second = {
    name: '2.sql',
    statements: ['CREATE TABLE c (d)', 'INSERT INTO a VALUES (1), (1)'],
  }
  const apply = () => applyMigrations(database, [first, second], () => {})
  expect(apply).toThrow(CommandError)
  expect(apply).toThrow('The migration 2.sql failed and is undone (UNIQUE constraint failed: a.b)')
  expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'c'").all()).toEqual([])
})

test('0002 writes the empty choice into the history of fields with one choice alone', () => {
  const { database, migrate } = openBefore('0002')
  database.exec(`INSERT INTO fields (id, name, display_name, type, is_custom)
    VALUES (901, 'cf_one', 'One', 2, 1), (902, 'cf_many', 'Many', 3, 1)`)
  database.exec(`INSERT INTO field_values (field_id, name, name_fold)
    VALUES (901, '---', '---'), (901, 'Red', 'red'), (902, '---', '---')`)
  const fields = ['cf_one', 'cf_many', 'whiteboard']
  for (const field of fields) {
    database.exec(`INSERT INTO history
        (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
      VALUES (1, 1, 1, '${field}', '', '', 'Red', 'red'), (1, 1, 2, '${field}', 'Red', 'red', '', '')`)
  }
  migrate()

  const rows = database
    .prepare('SELECT field, removed, removed_fold, added, added_fold FROM history ORDER BY id')
    .all()
  expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
    'cf_one --- --- Red red',
    'cf_one Red red --- ---',
    ...fields.slice(1).flatMap((field) => [`${field}   Red red`, `${field} Red red  `]),
  ])
  const values = database.prepare('SELECT name FROM field_values WHERE field_id > 900').all()
  expect(values.map(({ name }) => name)).toEqual(['Red', '---'])
})

test('0003 removes the moves to closed statuses that nobody asked for', () => {
  const { database, migrate } = openBefore('0003')
  const pairs = () =>
    database
      .prepare('SELECT from_id, to_id FROM status_transitions WHERE from_id IS NOT NULL')
      .all()
      .map((row) => Object.values(row).join(' > '))
      .sort()
  const addStatus = (id: number, name: string) =>
    database.exec(`INSERT INTO field_values (id, field_id, name, name_fold, is_open)
      SELECT ${id}, id, '${name}', lower('${name}'), 0 FROM fields WHERE name = 'bug_status'`)
  const addMove = (from: number, to: number, commentRequired = 0) =>
    database.exec(`INSERT OR IGNORE INTO status_transitions (from_id, to_id, comment_required)
      VALUES (${from}, ${to}, ${commentRequired})`)
  const log = (id: number, changes: object) =>
    database.exec(`INSERT INTO audit_log (happened_at, object_class, object_id, action, changes)
      VALUES (1, 'FieldValue', ${id}, 'update', '${JSON.stringify(changes)}')`)
  const seeded = pairs()
  addStatus(901, 'CLOSED')
  addStatus(902, 'SHIPPED')
  // VERIFIED was the first closed status for a while
  for (const from of [1, 2, 3, 901, 902]) {
    addMove(from, 5)
  }
  // somebody wanted these
  addMove(4, 901)
  log(4, { can_change_to: { removed: '', added: 'CONFIRMED, CLOSED' } })
  addMove(5, 902)
  log(5, { can_change_to: { removed: '', added: 'DELIVERED' } })
  log(902, { name: { removed: 'DELIVERED', added: 'SHIPPED' } })
  addMove(3, 901, 1)
  migrate()

  expect(pairs()).toEqual([...seeded, '4 > 901', '5 > 902', '3 > 901'].sort())
})

type Column = { name: string; notnull: number; dflt_value: string | null }

/** The columns of each table that the code names, hence not those inside of full-text tables. */
function readTables(database: DatabaseSync): Map<string, Column[]> {
  const tables = database
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow'`)
    .all()
  return new Map(
    tables.map(({ name }) => [
      String(name),
      database.prepare(`SELECT * FROM pragma_table_info('${name}')`).all() as Column[],
    ]),
  )
}

/**
 * What breaks for code that knows the tables `before` when they become `after`: a column or table that is
 * gone, or a column that an insert must give.
 */
function listBreaks(before: Map<string, Column[]>, after: Map<string, Column[]>): string[] {
  return [...before].flatMap(([table, columns]) => {
    const now = after.get(table)
    if (now === undefined) {
      return [`${table} is gone`]
    }
    const known = new Set(columns.map(({ name }) => name))
    const gone = columns.filter(({ name }) => now.every((column) => column.name !== name))
    const demanded = now.filter(
      ({ name, notnull, dflt_value }) => !known.has(name) && notnull === 1 && dflt_value === null,
    )
    return [
      ...gone.map(({ name }) => `${table}.${name} is gone`),
      ...demanded.map(({ name }) => `${table}.${name} must be given`),
    ]
  })
}

/** The last migration that removed something; nothing before it was ever released. */
const LAST_BREAK = '0007'

test('each migration leaves what the version before it uses, which serves until the new code is uploaded', () => {
  const database = openMigratedDatabase(MIGRATIONS.filter((one) => isBefore(one, LAST_BREAK)))
  const breaks: string[] = []
  for (const { name, statements } of MIGRATIONS.filter((one) => !isBefore(one, LAST_BREAK))) {
    const before = readTables(database)
    for (const statement of statements) {
      database.exec(statement)
    }
    breaks.push(...listBreaks(before, readTables(database)).map((text) => `${name}: ${text}`))
  }
  // the breaks of the first one show that the comparison sees them
  expect(breaks).toEqual([
    '0007_later_work.sql: reminders.sent is gone',
    '0007_later_work.sql: reminders.next_attempt_at must be given',
    '0007_later_work.sql: webhook_deliveries.status is gone',
    '0007_later_work.sql: webhook_deliveries.error is gone',
  ])
})

/** What makes an index of every row of a table with ten million rows at a million bugs. */
function listLongStatements(statements: readonly string[]): string[] {
  return statements.filter(
    (statement) =>
      /^CREATE (UNIQUE )?INDEX \S+ ON `comments`/.test(statement) && !/ WHERE /.test(statement),
  )
}

test('no migration makes a whole index of comments, which takes nine seconds at a million bugs', () => {
  const [schema, ...later] = MIGRATIONS
  expect(listLongStatements(schema?.statements ?? [])).not.toEqual([])
  expect(later.flatMap(({ statements }) => listLongStatements(statements))).toEqual([])
})
