import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../command.ts'
import { type Migration, openMigratedDatabase, readMigrations } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { describeDamage, explainDatabaseError } from './file-errors.ts'

/**
 * Checks that the tracker can run on a database file: an intact one of its own, whose tables are those of
 * the migrations on record. Throws a CommandError that says what is wrong. The runtime must not run yet.
 */
export function assertSoundDatabase(file: string, folder: string): void {
  try {
    const database = new DatabaseSync(file)
    try {
      assertIntact(database, folder)
      assertOwnTables(database, folder, readMigrations(join(ROOT, 'drizzle')))
    } finally {
      database.close()
    }
  } catch (error) {
    throw explainDatabaseError(error, folder)
  }
}

function assertIntact(database: DatabaseSync, folder: string): void {
  const result = database.prepare('PRAGMA quick_check(1)').get()
  if (result?.quick_check !== 'ok') {
    throw describeDamage(folder, 'is damaged')
  }
}

function assertOwnTables(database: DatabaseSync, folder: string, migrations: Migration[]): void {
  const tables = listTables(database)
  if (tables.length === 0) {
    // a first start was killed before the first migration
    return
  }
  if (!tables.includes('d1_migrations')) {
    throw tables.includes('bugs') && tables.includes('users')
      ? describeDamage(folder, 'has lost the table d1_migrations, the record of its migrations')
      : describeDamage(folder, 'is not that of a tracker')
  }
  const recorded = listRecordedNames(database)
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
}

/** The tables of a database, but not those of D1 and of SQLite itself. */
function listTables(database: DatabaseSync): string[] {
  return database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all()
    .map(({ name }) => String(name))
}

function listRecordedNames(database: DatabaseSync): string[] {
  return database
    .prepare('SELECT name FROM d1_migrations ORDER BY id')
    .all()
    .map(({ name }) => String(name))
}
