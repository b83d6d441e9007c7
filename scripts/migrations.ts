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
 * Applies the missing migrations to a D1 database and returns their names. Each is one transaction,
 * recorded in `d1_migrations` as by `wrangler d1 migrations apply`, so that either continues the work of
 * the other. Of two concurrent runs, the second finds the migration recorded and goes on.
 */
export async function applyMigrations(db: D1Database, migrations: Migration[]): Promise<string[]> {
  await db.prepare(CREATE_RECORD_TABLE).run()
  const known = await loadRecordedNames(db)
  const applied: string[] = []
  for (const { name, statements } of migrations.filter((migration) => !known.has(migration.name))) {
    const record = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)
    try {
      await db.batch([record, ...statements.map((statement) => db.prepare(statement))])
      applied.push(name)
    } catch (error) {
      if (!(await loadRecordedNames(db)).has(name)) {
        throw error
      }
    }
  }
  return applied
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
