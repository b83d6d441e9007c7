import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Migration = { name: string; statements: string[] }

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
