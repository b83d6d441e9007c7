import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { compile } from '../../src/db/compile.ts'
import { PLACEHOLDER, preparedFragment } from '../../src/db/prepared-fragment.ts'

test('each use has its own value, in every hole and bound once', () => {
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

test('a piece without holes stays as it is', () => {
  expect(compile(preparedFragment(sql`SELECT 1`)(7))).toEqual({ sql: 'SELECT 1', params: [] })
})

test('a piece that names another value is refused: it would be everybody’s', () => {
  expect(() => preparedFragment(sql`SELECT ${PLACEHOLDER}, ${'mine'}`)).toThrow('no value but')
})
