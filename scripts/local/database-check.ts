import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LIST_ADMINISTRATORS } from '../administrator/first-administrator.ts'
import { CommandError } from '../command.ts'
import { type Migration, openMigratedDatabase, readMigrations } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { describeDamage, explainDatabaseError } from './file-errors.ts'
import { findDatabaseFiles, type StateFolder, wasUsed } from './state.ts'

/** What a start has to know of a database before the runtime opens it. */
type DatabaseFacts = {
  /** Whether all migrations are on record. */
  isMigrated: boolean
  /** The logins of some administrators. */
  administrators: string[]
  /** The IDs of the secrets that encrypted API keys and the secrets of webhooks. */
  keyIds: string[]
}

/** What takes about a second. Of a larger database only a sample is checked before the runtime opens it. */
const MAX_CHECKED_BYTES = 16 * 1024 * 1024

const NEW_DATABASE: DatabaseFacts = { isMigrated: false, administrators: [], keyIds: [] }

const KEY_IDS = `SELECT DISTINCT substr(sealed, 4, 8) AS id FROM api_keys WHERE sealed LIKE 'v1.%'
  UNION SELECT DISTINCT substr(secret_sealed, 4, 8) FROM webhooks WHERE secret_sealed LIKE 'v1.%'`

/** What is in the database of a folder, by its file; several files when its ID has changed. */
export function inspectDatabases(state: StateFolder): Map<string, DatabaseFacts> {
  return new Map(findDatabaseFiles(state).map((file) => [file, inspectDatabase(file, state)]))
}

export function isLarge(file: string): boolean {
  return statSync(file).size > MAX_CHECKED_BYTES
}

/**
 * Checks that the tracker can run on a database file: an intact one of its own, whose tables are those of
 * the migrations on record. It may be empty only where the tracker has never run. Throws a CommandError that says
 * what is wrong. The runtime must not run yet.
 */
function inspectDatabase(file: string, state: StateFolder): DatabaseFacts {
  try {
    const database = new DatabaseSync(file)
    try {
      assertIntact(database, file, state.folder)
      return readFacts(database, state)
    } finally {
      database.close()
    }
  } catch (error) {
    throw explainDatabaseError(error, state.folder)
  }
}

function assertIntact(database: DatabaseSync, file: string, folder: string): void {
  const isIntact = isLarge(file)
    ? isComplete(database, file)
    : selectTexts(database, 'PRAGMA quick_check(1)')[0] === 'ok'
  if (!isIntact) {
    throw describeDamage(folder, 'is damaged')
  }
}

/** Whether the file has all its pages, and the last row of each table can be read. */
function isComplete(database: DatabaseSync, file: string): boolean {
  const [pages] = selectTexts(
    database,
    'SELECT page_count * page_size FROM pragma_page_count, pragma_page_size',
  )
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  for (const table of listAllTables(database)) {
    const order = hasRowid(database, table) ? 'ORDER BY rowid DESC' : ''
    database.prepare(`SELECT * FROM ${quote(table)} ${order} LIMIT 1`).get()
  }
  return statSync(file).size >= Number(pages)
}

/** Whether a table and its indexes are as SQLite writes them. */
export function isTableSound(database: DatabaseSync, table: string): boolean {
  try {
    return selectTexts(database, `PRAGMA quick_check(${quote(table)})`)[0] === 'ok'
  } catch {
    return false
  }
}

/** Every table that has pages of its own, those of full-text indexes too. */
export function listAllTables(database: DatabaseSync): string[] {
  return selectTexts(
    database,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0",
  )
}

function hasRowid(database: DatabaseSync, table: string): boolean {
  const [isWithout] = selectTexts(
    database,
    `SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ${quote(table)}`,
  )
  return isWithout === '0'
}

function quote(name: string): string {
  return `'${name.replaceAll("'", "''")}'`
}

function readFacts(database: DatabaseSync, state: StateFolder): DatabaseFacts {
  const tables = listTables(database)
  if (tables.length === 0) {
    if (wasUsed(state)) {
      throw describeDamage(state.folder, 'is empty')
    }
    // a first start was killed before the first migration
    return NEW_DATABASE
  }
  const migrations = readMigrations(join(ROOT, 'drizzle'))
  const recorded = assertOwnTables(database, state.folder, tables, migrations)
  if (recorded === 0) {
    return NEW_DATABASE
  }
  return {
    isMigrated: recorded === migrations.length,
    administrators: selectTexts(database, LIST_ADMINISTRATORS.sql),
    keyIds: selectTexts(database, KEY_IDS),
  }
}

/** Returns how many migrations are on record. */
function assertOwnTables(
  database: DatabaseSync,
  folder: string,
  tables: string[],
  migrations: Migration[],
): number {
  if (!tables.includes('d1_migrations')) {
    throw tables.includes('bugs') && tables.includes('users')
      ? describeDamage(folder, 'has lost the table d1_migrations, the record of its migrations')
      : describeDamage(folder, 'is not that of a tracker')
  }
  const recorded = selectTexts(database, 'SELECT name FROM d1_migrations ORDER BY id')
  const known = migrations.filter(({ name }) => recorded.includes(name))
  if (known.length < recorded.length) {
    throw new CommandError(
      `The database of ${folder} was written by a newer version: update the program, or name another folder with --persist-to.`,
    )
  }
  if (
    migrations.slice(0, known.length).some(({ name }) => !recorded.includes(name)) ||
    (known.length === 0 && tables.length > 1)
  ) {
    throw describeDamage(folder, 'has lost a row of d1_migrations, the record of its migrations')
  }
  const missing = listTables(openMigratedDatabase(known)).find((name) => !tables.includes(name))
  if (missing !== undefined) {
    throw describeDamage(folder, `has lost the table ${missing}`)
  }
  return known.length
}

/** The tables of a database, but not those of D1 and of SQLite itself. */
function listTables(database: DatabaseSync): string[] {
  return selectTexts(
    database,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  )
}

/** The first column of the rows. */
function selectTexts(database: DatabaseSync, sql: string): string[] {
  return database
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]))
}
