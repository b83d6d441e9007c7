import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Migration = { name: string; statements: string[] }

const CREATE_RECORD_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

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
 * Applies the missing migrations to a D1 database. Each is one transaction, recorded in `d1_migrations` as by
 * `wrangler d1 migrations apply`, so that either continues the work of the other; those of a new database are one
 * together. Of two concurrent runs, the second finds the migration recorded and goes on.
 */
export async function applyMigrations(
  db: D1Database,
  migrations: Migration[],
  report: (event: string, facts: object) => void = () => {},
): Promise<void> {
  await db.prepare(CREATE_RECORD_TABLE).run()
  const known = await loadRecordedNames(db)
  const missing = migrations.filter(({ name }) => !known.has(name))
  const transactions = known.size === 0 ? [missing] : missing.map((migration) => [migration])
  for (const transaction of transactions) {
    const names = transaction.map(({ name }) => name)
    const facts = known.size === 0 ? { migrations: names.length } : { migration: names[0] }
    if (known.size > 0) {
      report('migration begun', facts)
    }
    const begun = performance.now()
    try {
      await db.batch(
        transaction.flatMap(({ name, statements }) => [
          db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
          ...statements.map((statement) => db.prepare(statement)),
        ]),
      )
    } catch (error) {
      const recorded = await loadRecordedNames(db)
      if (names.some((name) => !recorded.has(name))) {
        throw error
      }
    }
    const ms = Math.round(performance.now() - begun)
    report(known.size === 0 ? 'database created' : 'migration applied', { ...facts, ms })
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

async function loadRecordedNames(db: D1Database): Promise<Set<string>> {
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  return new Set(results.map(({ name }) => name))
}
