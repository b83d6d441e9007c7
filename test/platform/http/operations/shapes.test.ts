import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as shapes from '../../../../src/platform/http/operations/shapes.ts'

/** The value that a shape parses, or the fault that it rejects it with. */
function parse(shape: z.ZodType, value: unknown): unknown {
  const parsed = z.object({ field: shape }).safeParse({ field: value })
  if (parsed.success) {
    return (parsed.data as { field?: unknown }).field
  }
  const [issue] = parsed.error.issues
  return {
    rejected: issue?.code === 'custom' ? (issue.params?.fault?.name ?? issue.message) : issue?.code,
  }
}

const rejected = (how: string) => ({ rejected: how })
const NOT_A_TEXT = rejected('invalid_type')
const NOT_ONE = rejected('must be one value, not a list')
const NOT_A_SORT_KEY = rejected('must be a whole number from -32768 to 32767')

const casesByShape: Record<string, { shape: z.ZodType; cases: [unknown, unknown][] }> = {
  text: {
    shape: shapes.text(),
    cases: [
      ['a', 'a'],
      [' a ', ' a '],
      ['', ''],
      [7, '7'],
      [1.5, '1.5'],
      [null, undefined],
      [undefined, undefined],
      [true, NOT_A_TEXT],
      [['a'], 'a'],
      [[7], '7'],
      [[null], undefined],
      [['a', 'b'], NOT_A_TEXT],
      [[], NOT_A_TEXT],
      [{}, NOT_A_TEXT],
    ],
  },
  requiredText: {
    shape: shapes.requiredText(),
    cases: [
      ['a', 'a'],
      ['', ''],
      [7, '7'],
      [null, NOT_A_TEXT],
      [undefined, NOT_A_TEXT],
      [[], NOT_A_TEXT],
    ],
  },
  clearableText: {
    shape: shapes.clearableText(),
    cases: [
      ['a', 'a'],
      [7, '7'],
      [null, null],
      [undefined, undefined],
      [['a'], 'a'],
      [[null], null],
      [['a', 'b'], NOT_A_TEXT],
      [false, NOT_A_TEXT],
    ],
  },
  boolean: {
    shape: shapes.boolean(),
    cases: [
      [true, true],
      [false, false],
      [1, true],
      [0, false],
      ['1', true],
      ['0', false],
      ['true', true],
      ['True', true],
      ['yes', true],
      ['anything', true],
      ['false', false],
      ['FALSE', false],
      ['No', false],
      ['off', false],
      [' false ', false],
      ['', false],
      [null, undefined],
      [undefined, undefined],
      [['0'], false],
      [[true], true],
      [['1', '0'], NOT_A_TEXT],
      [{}, NOT_A_TEXT],
    ],
  },
  count: {
    shape: shapes.count(),
    cases: [
      [0, 0],
      ['0', 0],
      [20, 20],
      [' 20 ', 20],
      ['', undefined],
      [null, undefined],
      [undefined, undefined],
      [-1, rejected('notACount')],
      [1.5, rejected('notACount')],
      ['1e3', rejected('notACount')],
      ['x', rejected('notACount')],
      [true, rejected('notACount')],
      [['1'], 1],
      [['1', '2'], NOT_ONE],
      [[], NOT_ONE],
      ['9'.repeat(16), rejected('notACount')],
    ],
  },
  sortKey: {
    shape: shapes.sortKey(),
    cases: [
      [0, 0],
      [-32_768, -32_768],
      [' 32767 ', 32_767],
      ['', undefined],
      [null, undefined],
      [undefined, undefined],
      [32_768, NOT_A_SORT_KEY],
      ['-32769', NOT_A_SORT_KEY],
      [1.5, NOT_A_SORT_KEY],
      ['x', NOT_A_SORT_KEY],
      [[1], 1],
      [[1, 2], NOT_ONE],
    ],
  },
  id: {
    shape: shapes.id(),
    cases: [
      [1, 1],
      ['35', 35],
      [' 35 ', 35],
      [0, rejected('notAnInteger')],
      ['0', rejected('notAnInteger')],
      [-3, rejected('notAnInteger')],
      [2.5, rejected('notAnInteger')],
      ['x', rejected('notAnInteger')],
      ['1,2', rejected('notAnInteger')],
      [[1], 1],
      [[1, 2], NOT_ONE],
      [1e20, rejected('notAnInteger')],
      ['', rejected('parameterMissing')],
      [null, rejected('parameterMissing')],
      [undefined, rejected('parameterMissing')],
    ],
  },
  ids: {
    shape: shapes.ids(),
    cases: [
      [3, [3]],
      ['3', [3]],
      ['1,2', [1, 2]],
      ['1, 2,', [1, 2]],
      [
        ['1', 2, '3,4'],
        [1, 2, 3, 4],
      ],
      ['', []],
      [null, []],
      [[null, '', 5], [5]],
      [[], []],
      ['1,x', rejected('notAnInteger')],
      [[0], rejected('notAnInteger')],
      [[{}], rejected('notAnInteger')],
    ],
  },
  names: {
    shape: shapes.names(),
    cases: [
      ['a', ['a']],
      ['a,b', ['a,b']],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
      [['a', '', ' ', null], ['a']],
      [7, ['7']],
      ['', []],
      [null, []],
      [{}, rejected('must be a list of texts')],
      [[['a']], rejected('must be a list of texts')],
    ],
  },
  textList: {
    shape: shapes.textList(),
    cases: [
      ['', ['']],
      [
        ['', 'a'],
        ['', 'a'],
      ],
      [true, ['true']],
      [null, []],
      [[{}], rejected('must be a list of texts')],
    ],
  },
  datetime: {
    shape: shapes.datetime(),
    cases: [
      ['1970-01-02', 86_400],
      ['1970-01-01T00:01:00Z', 60],
      ['', undefined],
      [null, undefined],
      [undefined, undefined],
      ['soon', rejected('dateInvalid')],
      ['2024-02-30', rejected('dateInvalid')],
      [86_400, rejected('dateInvalid')],
    ],
  },
  include_fields: {
    shape: shapes.selectionInput.include_fields,
    cases: [
      ['id,name', ['id', 'name']],
      [
        ['id', 'name+x'],
        ['id', 'name', 'x'],
      ],
      [
        ['id,name', ''],
        ['id', 'name'],
      ],
      ['', []],
      [null, []],
      [{}, rejected('must be a list of texts')],
      [','.repeat(4999), []],
      [','.repeat(5000), rejected('may hold at most 5000 items')],
      ['x'.repeat(65_536), rejected('may have at most 65535 characters')],
    ],
  },
}

test.each([
  [shapes.limitLength(shapes.text()), 'x'.repeat(65_535), 'x'.repeat(65_536)],
  [shapes.limitLength(shapes.text()), '\u{1f600}'.repeat(65_535), '\u{1f600}'.repeat(65_536)],
  [shapes.limitItems(shapes.names()), Array(1000).fill('a'), Array(1001).fill('a')],
])(
  'a limit rejects one more than it allows and keeps the schema of the shape',
  (shape, longest, tooLong) => {
    expect(parse(shape, longest)).toEqual(longest)
    expect(parse(shape, tooLong)).toEqual(
      rejected(expect.stringMatching(/^may (have|hold) at most/)),
    )
    expect(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })).toHaveProperty('type')
    expect(z.object({ shape }).safeParse({}).success).toBe(true)
  },
)

describe.each(Object.entries(casesByShape))('%s', (_, { shape, cases }) => {
  test.each(cases)('parses %j as %j', (value, expected) => {
    expect(parse(shape, value)).toEqual(expected)
  })

  test('has a type in its JSON schema', () => {
    expect(z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })).toHaveProperty('type')
  })
})

test('an absent optional parameter adds no key to the parsed input', () => {
  const optional = z.object({
    text: shapes.text(),
    flag: shapes.boolean(),
    count: shapes.count(),
    sortKey: shapes.sortKey(),
    ids: shapes.ids(),
    names: shapes.names(),
    datetime: shapes.datetime(),
  })
  expect(optional.parse({})).toEqual({})
})
