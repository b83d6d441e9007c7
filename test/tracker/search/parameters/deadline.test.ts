import { expect, test } from 'vitest'
import { parseQuery, TRACKER } from '../../../support/search/parse-query.ts'

test.each([
  ['deadlinefrom=2024-01-01', 'deadline greaterthaneq "2024-01-01"'],
  ['deadlineto=+7d', 'deadline lessthaneq "+7d"'],
  [
    'deadlinefrom=2024-01-01&deadlineto=2024-02-01',
    '(deadline greaterthaneq "2024-01-01" AND deadline lessthaneq "2024-02-01")',
  ],
  ['deadlinefrom=', 'NONE'],
])(
  'a range of deadlines counts for members of the time-tracking group: %s',
  (query, expression) => {
    expect(parseQuery(query, TRACKER)).toBe(expression)
    expect(parseQuery(query)).toBe('NONE')
  },
)
