import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Migration = { name: string; statements: string[] }

const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

/** The migrations in `folder`, in the order of their numbers, cut into statements at the breakpoints. */
export function migrationFiles(folder: string): Migration[] {
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
 * Brings a D1 database up to date and answers the names of the migrations it took. Each one is a single
 * transaction, recorded in `d1_migrations` as `wrangler d1 migrations apply` does, so that either may go
 * on where the other stopped. Of two that run at once, the second finds the work done.
 */
export async function applyMigrations(db: D1Database, migrations: Migration[]): Promise<string[]> {
  await db.prepare(RECORD).run()
  const known = await recordedNames(db)
  const taken: string[] = []
  for (const { name, statements } of migrations.filter((migration) => !known.has(migration.name))) {
    const record = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)
    try {
      await db.batch([record, ...statements.map((statement) => db.prepare(statement))])
      taken.push(name)
    } catch (error) {
      if (!(await recordedNames(db)).has(name)) {
        throw error
      }
    }
  }
  return taken
}

/** A fresh in-memory database with the migrations applied: a place to look at, never to serve from. */
export function openMigrated(migrations: Migration[]): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const { statements } of migrations) {
    for (const statement of statements) {
      database.exec(statement)
    }
  }
  return database
}

async function recordedNames(db: D1Database): Promise<Set<string>> {
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  return new Set(results.map(({ name }) => name))
}
