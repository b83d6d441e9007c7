import { expect, test } from 'vitest'
import { sql } from '../../../../src/platform/db/sql.ts'
import { dayOperand } from '../../../../src/tracker/search/compile/operand.ts'
import { execute } from '../../../support/database/execute.ts'

test.each([
  ['2025-06-01', { value: 1_748_736_000, text: '2025-06-01 00:00:00' }],
  [null, { value: 0, text: '' }],
])('the day %s is the moment of its start, and 0 without one', async (day, expected) => {
  const { value, text } = dayOperand(sql`${day}`)
  expect(await execute(sql`SELECT ${value} AS value, ${text} AS text`)).toEqual([expected])
})
