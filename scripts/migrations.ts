import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from './command.ts'

export type Migration = { name: string; statements: string[] }

const CREATE_RECORD_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1
const SQLITE_CONSTRAINT = 19

/** Reads the migrations in `folder` in the order of their numbers, split at the breakpoints. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      name,
      statements: readFileSync(join(folder, name), 'utf8')
        .split('--> statement-breakpoint')
        .map((statement) => statement.trim())
        .filter((statement) => statement.replace(/^--.*$/gm, '').trim() !== ''),
    }))
}

/**
 * Applies the missing migrations to a database that nobody else uses. Each is one transaction, recorded in
 * `d1_migrations` as by `wrangler d1 migrations apply`, so that either continues the work of the other; those of a new
 * database are one together.
 */
export function applyMigrations(
  database: DatabaseSync,
  migrations: Migration[],
  report: (event: string, facts: object) => void,
): void {
  database.exec(CREATE_RECORD_TABLE)
  const known = new Set(
    database
      .prepare('SELECT name FROM d1_migrations')
      .all()
      .map(({ name }) => name),
  )
  const missing = migrations.filter(({ name }) => !known.has(name))
  const transactions = known.size === 0 ? [missing] : missing.map((migration) => [migration])
  for (const transaction of transactions) {
    const [first] = transaction
    const facts = known.size === 0 ? { migrations: transaction.length } : { migration: first?.name }
    if (known.size > 0) {
      report('migration begun', facts)
    }
    const begun = performance.now()
    inTransaction(database, () => {
      for (const migration of transaction) {
        applyMigration(database, migration)
      }
    })
    const ms = Math.round(performance.now() - begun)
    report(known.size === 0 ? 'database created' : 'migration applied', { ...facts, ms })
  }
}

function applyMigration(database: DatabaseSync, { name, statements }: Migration): void {
  database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name)
  try {
    for (const statement of statements) {
      database.exec(statement)
    }
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string }
    // others are about the disk and the file, whoever writes
    if (errcode === undefined || ![SQLITE_ERROR, SQLITE_CONSTRAINT].includes(errcode & 0xff)) {
      throw error
    }
    throw new CommandError(
      `The migration ${name} failed and is undone (${message}), so the former version still runs on this database. This is a defect: please report it.`,
    )
  }
}

/** Runs everything or nothing of an action. */
export function inTransaction(database: DatabaseSync, action: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    action()
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) {
      database.exec('ROLLBACK')
    }
  }
}

/** Opens a new in-memory database with the migrations applied, for checks of the schema. */
export function openMigratedDatabase(migrations: Migration[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const { statements } of migrations) {
    for (const statement of statements) {
      database.exec(statement)
    }
  }
  return database
}
