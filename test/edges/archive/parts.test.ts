/// <reference types="vite/types/importMeta.d.ts" />
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { PARTS, TABLES_LEFT_OUT } from '../../../src/edges/archive/parts.ts'
import { referenceKind } from '../../../src/edges/archive/references.ts'

const modules = import.meta.glob<Record<string, unknown>>('/src/platform/db/schema/*.ts', {
  eager: true,
})
const tables = Object.values(modules)
  .flatMap((module) => Object.values(module))
  .filter((value): value is SQLiteTable => is(value, SQLiteTable))
const schema = new Map(tables.map((table) => [getTableName(table), table]))

/** The columns of each table that lines are made of, by their names in the schema. */
const inArchive = new Map<string, Set<string>>()
/** Those that are left out, those that are constant within a list, and the owners of lists. */
const explained = new Map<string, Set<string>>()

function add(to: Map<string, Set<string>>, table: SQLiteTable, keys: readonly string[]): void {
  const name = getTableName(table)
  to.set(name, new Set([...(to.get(name) ?? []), ...keys]))
}

function keysOf(table: SQLiteTable, columns: readonly unknown[]): string[] {
  return Object.entries(getTableColumns(table)).flatMap(([key, column]) =>
    columns.includes(column) ? [key] : [],
  )
}

for (const part of PARTS) {
  add(
    inArchive,
    part.table,
    part.members.map(({ key }) => key),
  )
  add(explained, part.table, Object.keys(part.leftOut))
  for (const list of part.lists) {
    add(
      inArchive,
      list.table,
      list.members.map(({ key }) => key),
    )
    add(explained, list.table, [
      ...keysOf(list.table, [list.owner, ...list.fixed.map(({ column }) => column)]),
      // the number of a row that nothing refers to
      'id',
    ])
  }
}
// the custom fields of bugs
add(inArchive, schema.get('custom_values') as SQLiteTable, [])

describe('the parts of an archive', () => {
  test('have every table of the schema, or the archive says why not', () => {
    const missing = [...schema.keys()].filter(
      (name) => !inArchive.has(name) && !(name in TABLES_LEFT_OUT),
    )
    expect(missing, 'describe the table in src/edges/archive/parts*.ts, or leave it out').toEqual(
      [],
    )
    const both = Object.keys(TABLES_LEFT_OUT).filter((name) => inArchive.has(name))
    expect(both).toEqual([])
    expect(Object.keys(TABLES_LEFT_OUT).filter((name) => !schema.has(name))).toEqual([])
  })

  test('have every column of their tables, or the archive says why not', () => {
    const missing = [...inArchive].flatMap(([name, members]) => {
      const table = schema.get(name) as SQLiteTable
      return name === 'custom_values'
        ? []
        : Object.keys(getTableColumns(table))
            .filter((key) => key !== 'revision' && !key.endsWith('Fold'))
            .filter((key) => !members.has(key) && !explained.get(name)?.has(key))
            .map((key) => `${name}.${key}`)
    })
    expect(missing).toEqual([])
  })

  test('refer to themselves, or to parts before them', () => {
    const order = PARTS.map(({ name }) => name)
    const later = PARTS.flatMap(({ name, members, lists }) =>
      [...members, ...lists.flatMap((list) => list.members)].flatMap(({ reference }) => {
        const to = reference === null ? name : referenceKind(reference.kind).part
        return order.indexOf(to) > order.indexOf(name) || (to === name && reference !== null)
          ? [`${name} -> ${to}`]
          : []
      }),
    )
    expect(later).toEqual([])
  })

  test('have distinct names of members', () => {
    for (const { members, lists } of PARTS) {
      const names = [...members, ...lists].map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names[0]).toBe('id')
    }
  })
})
