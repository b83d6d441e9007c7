import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { compile } from '../../../src/platform/db/compile.ts'
import {
  PLACEHOLDER,
  preparedFragment,
  preparedFragments,
} from '../../../src/platform/db/prepared-fragment.ts'

test('each use of a prepared fragment has its own value in every place, bound once', () => {
  const one = preparedFragment(sql`SELECT ${PLACEHOLDER}, (SELECT ${PLACEHOLDER} + 1)`)
  expect(compile(sql`${one(7)} WHERE x = ${'y'}`)).toEqual({
    sql: 'SELECT ?1, (SELECT ?1 + 1) WHERE x = ?2',
    params: [7, 'y'],
  })
  expect(compile(sql`${'y'} ${one(8)}`)).toEqual({
    sql: '?1 SELECT ?2, (SELECT ?2 + 1)',
    params: ['y', 8],
  })
})

test('a piece without a placeholder stays as it is', () => {
  expect(compile(preparedFragment(sql`SELECT 1`)(7))).toEqual({ sql: 'SELECT 1', params: [] })
})

test('a piece with another value is rejected, because all callers would share the value', () => {
  expect(() => preparedFragment(sql`SELECT ${PLACEHOLDER}, ${'mine'}`)).toThrow('no value but')
})

describe('cached fragments', () => {
  const builder = (most: number) => {
    const built: object[] = []
    const select = preparedFragments((key: { isInsider: boolean; names: readonly string[] }) => {
      built.push(key)
      return sql`SELECT ${sql.raw(key.names.join(', '))} WHERE ${PLACEHOLDER} OR ${sql.raw(String(key.isInsider))}`
    }, most)
    return { built, select }
  }

  test('are built once for each key, for all values', () => {
    const { built, select } = builder(10)
    const key = { isInsider: false, names: ['a', 'b'] }
    expect(compile(select(key, 7))).toEqual({ sql: 'SELECT a, b WHERE ?1 OR false', params: [7] })
    expect(compile(select({ ...key }, 8)).params).toEqual([8])
    expect(built).toEqual([key])
  })

  test('are separate for each key', () => {
    const { built, select } = builder(10)
    const keys = [
      { isInsider: false, names: ['a', 'b'] },
      { isInsider: true, names: ['a', 'b'] },
      { isInsider: true, names: ['a b'] },
    ]
    const texts = keys.map((key) => compile(select(key, 7)).sql)
    expect(new Set(texts).size).toBe(3)
    expect(built).toEqual(keys)
  })

  test('are cleared when there are too many, and built again', () => {
    const { built, select } = builder(1)
    const [one, two] = [
      { isInsider: false, names: ['a'] },
      { isInsider: true, names: ['a'] },
    ]
    for (const key of [one, two, one]) {
      select(key, 7)
    }
    expect(built).toEqual([one, two, one])
  })
})
