import { describe, expect, test } from 'vitest'
import {
  idOrNameCondition,
  idOrNameOrder,
  type NamedObjects,
} from '../../../src/platform/db/id-or-name.ts'
import { jsonRows, sql } from '../../../src/platform/db/sql.ts'
import { runStatements } from '../../support/database/statements.ts'

const OBJECTS = jsonRows([
  { id: 1, name: '2' },
  { id: 2, name: 'core' },
  { id: 3, name: '77' },
  { id: 4, name: '1000000000000000' },
])

/** The IDs of the objects that the text may name, the one that it means first. */
async function named(digits: NamedObjects['digits'], text: string): Promise<unknown[]> {
  const objects = { id: sql`(r.value ->> 'id')`, name: sql`(r.value ->> 'name')`, digits }
  const [rows = []] = await runStatements([
    sql`SELECT r.value ->> 'id' AS id FROM ${OBJECTS}
      WHERE ${idOrNameCondition(objects, text)} ORDER BY ${idOrNameOrder(objects, text)}`,
  ])
  return rows.map(({ id }) => id)
}

describe('a text names an object', () => {
  test.each<[string, string, Record<NamedObjects['digits'], number[]>]>([
    ['by name', ' CORE ', { id: [2], 'id-else-name': [2], 'name-else-id': [2] }],
    ['by ID alone', '1', { id: [1], 'id-else-name': [1], 'name-else-id': [1] }],
    [
      'by digits that one has as ID, one as name',
      '2',
      { id: [2], 'id-else-name': [2, 1], 'name-else-id': [1, 2] },
    ],
    ['by digits that are a name alone', '77', { id: [], 'id-else-name': [3], 'name-else-id': [3] }],
    [
      'by more digits than an ID has',
      '1000000000000000',
      { id: [4], 'id-else-name': [4], 'name-else-id': [4] },
    ],
    ['not by what none is called', '0', { id: [], 'id-else-name': [], 'name-else-id': [] }],
  ])('%s: %j', async (_, text, expected) => {
    for (const digits of ['id', 'id-else-name', 'name-else-id'] as const) {
      expect(await named(digits, text), digits).toEqual(expected[digits])
    }
  })
})

test('names are compared in the form that the objects keep them in', async () => {
  const condition = idOrNameCondition(
    {
      id: sql`0`,
      name: sql`'short_desc'`,
      toComparable: (name) => (name === 'Summary' ? 'short_desc' : name),
      digits: 'id',
    },
    ' Summary ',
  )
  const [rows] = await runStatements([sql`SELECT ${condition} AS is_it`])
  expect(rows).toEqual([{ is_it: 1 }])
})
