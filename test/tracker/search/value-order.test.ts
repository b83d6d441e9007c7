import { getTableName } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { VALUE_INDEXES } from '../../../src/tracker/search/value-order.ts'

const namesOf = (columns: readonly unknown[]) =>
  columns.map((column) => (column as { readonly name: string }).name)

test.each([...VALUE_INDEXES])(
  'the index %s holds all bugs by the columns that a walk expects, and then by ID',
  (name, expected) => {
    const index = getTableConfig(bugs).indexes.find(({ config }) => config.name === name)
    expect(index, `${name} of ${getTableName(bugs)}`).toBeDefined()
    expect(index?.config.where).toBeUndefined()
    const columns = namesOf(index?.config.columns ?? [])
    expect(columns.slice(0, expected.length)).toEqual(namesOf(expected))
    expect(columns[expected.length] ?? 'id').toBe('id')
  },
)
