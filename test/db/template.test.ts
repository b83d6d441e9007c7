import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { compile } from '../../src/db/compile.ts'
import { HOLE, template } from '../../src/db/template.ts'

test('each use has its own value, in every hole and bound once', () => {
  const one = template(sql`SELECT ${HOLE}, (SELECT ${HOLE} + 1)`)
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
  expect(compile(template(sql`SELECT 1`)(7))).toEqual({ sql: 'SELECT 1', params: [] })
})

test('a piece that names another value is refused: it would be everybody’s', () => {
  expect(() => template(sql`SELECT ${HOLE}, ${'mine'}`)).toThrow('one value')
})
