import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { is, Table } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { openMigratedDatabase, readMigrations } from '../../scripts/migrations.ts'

const root = join(import.meta.dirname, '../..')

type Column = { name: string; type: string; notnull: number; pk: number }

/** Everything in a database except the internal tables of full-text indexes. */
function contents(database: DatabaseSync): string[] {
  const rows = database
    .prepare(
      `SELECT m.type || ' ' || m.name || ' ' || m.sql AS entry FROM sqlite_master m
       LEFT JOIN pragma_table_list l ON l.name = m.tbl_name
       WHERE m.sql IS NOT NULL AND coalesce(l.type, '') <> 'shadow' AND m.name <> 'sqlite_sequence'`,
    )
    .all() as { entry: string }[]
  return rows.map(({ entry }) => entry).sort()
}

async function drizzleTables(): Promise<SQLiteTable[]> {
  const folder = join(root, 'src/platform/db/schema')
  const modules = await Promise.all(
    readdirSync(folder).map((name): Promise<Record<string, unknown>> => import(join(folder, name))),
  )
  return modules
    .flatMap((module) => Object.values(module))
    .filter((value): value is SQLiteTable => is(value, Table))
}

function addBug(database: DatabaseSync, id: number, summary: string): void {
  const columns = `product_id, component_id, version_id, milestone_id, status_id, resolution_id,
    is_confirmed, type_id, priority_id, severity_id, platform_id, op_sys_id, assigned_to_id, reporter_id,
    created_at, changed_at`
  database
    .prepare(
      `INSERT INTO bugs (id, summary, summary_fold, ${columns}) VALUES (?, ?, ?${', 1'.repeat(16)})`,
    )
    .run(id, summary, summary)
}

describe('the schema', () => {
  const migrated = openMigratedDatabase(readMigrations(join(root, 'drizzle')))

  test('of schema.sql equals that of the migrations', () => {
    const fromPicture = new DatabaseSync(':memory:')
    fromPicture.exec(readFileSync(join(root, 'schema.sql'), 'utf8'))
    expect(contents(fromPicture)).toEqual(contents(migrated))
  })

  test('of the query builder has the tables and columns that the migrations build', async () => {
    const tables = await drizzleTables()
    expect(tables.length).toBeGreaterThan(40)
    for (const table of tables) {
      const { name, columns, primaryKeys } = getTableConfig(table)
      const inKey = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)))
      const wanted = columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull,
        isKey: column.primary || inKey.has(column.name),
      }))
      const built = (
        migrated.prepare(`SELECT * FROM pragma_table_info('${name}')`).all() as Column[]
      ).map((column) => ({
        name: column.name,
        type: column.type,
        notnull: column.notnull === 1,
        isKey: column.pk > 0,
      }))
      expect({ name, columns: built }).toEqual({ name, columns: wanted })
    }
  })

  test('has no table that the query builder lacks, except the full-text ones', async () => {
    const expected = (await drizzleTables()).map((table) => getTableConfig(table).name).sort()
    const built = migrated
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name`,
      )
      .all() as { name: string }[]
    expect(built.map(({ name }) => name)).toEqual(expected)
  })

  test('has no trigger on inserted bugs, for which SQLite would copy every page that POST /bug touches', () => {
    const triggers = migrated
      .prepare(`SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'bugs'`)
      .all()
      .filter(({ sql }) => /\b(?:AFTER|BEFORE)\s+INSERT\b/i.test(String(sql)))
    expect(triggers).toEqual([])
  })

  test('indexes a summary once, with the description, and keeps the index whole', () => {
    const database = openMigratedDatabase(readMigrations(join(root, 'drizzle')))
    database.exec('PRAGMA foreign_keys = OFF')
    const describeBug = (id: number) =>
      database.exec(`INSERT INTO comments (bug_id, number, author_id, created_at, body)
        VALUES (${id}, (SELECT count(*) FROM comments WHERE bug_id = ${id}), 1, 1, 'again')`)
    const change = (id: number, summary: string) =>
      database.prepare('UPDATE bugs SET summary_fold = ? WHERE id = ?').run(summary, id)
    const found = (word: string) =>
      database
        .prepare('SELECT rowid FROM bugs_summary_fts WHERE bugs_summary_fts MATCH ?')
        .all(word)
        .map(({ rowid }) => rowid)
    addBug(database, 1, 'described twice')
    describeBug(1)
    database.exec('DELETE FROM comments')
    addBug(database, 2, 'never described')
    addBug(database, 3, 'a first thought')
    change(3, 'a second thought')
    expect(found('thought')).toEqual([])
    for (const id of [1, 3, 3]) {
      describeBug(id)
    }
    expect([found('twice'), found('never'), found('first'), found('second')]).toEqual([
      [1],
      [],
      [],
      [3],
    ])
    change(1, 'changed since')
    database.exec('DELETE FROM comments; DELETE FROM bugs WHERE id IN (2, 3)')
    expect([found('twice'), found('since'), found('thought')]).toEqual([[], [1], []])
    // with 1, the index is compared with the table too
    database.exec(
      `INSERT INTO bugs_summary_fts(bugs_summary_fts, rank) VALUES ('integrity-check', 1)`,
    )
  })

  test('has only strict tables, and its seed refers to what exists', () => {
    const loose = migrated
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND strict = 0 AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
      )
      .all()
    expect(loose).toEqual([])
    expect(migrated.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  })

  test('of the query builder needs no further migration', () => {
    const args = ['generate', '--name', 'nothing']
    const before = readdirSync(join(root, 'drizzle'))
    const run = spawnSync('drizzle-kit', args, { cwd: root, encoding: 'utf8' })
    expect(run.stdout + run.stderr).toContain('No schema changes')
    expect(readdirSync(join(root, 'drizzle'))).toEqual(before)
  })
})
