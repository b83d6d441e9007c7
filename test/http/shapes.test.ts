import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as atoms from '../../src/http/shapes.ts'

/** What an atom makes of a value: what it reads, or the refusal that it chose. */
function read(atom: z.ZodType, value: unknown): unknown {
  const parsed = z.object({ field: atom }).safeParse({ field: value })
  if (parsed.success) {
    return (parsed.data as { field?: unknown }).field
  }
  const [issue] = parsed.error.issues
  return {
    refused: issue?.code === 'custom' ? (issue.params?.fault ?? issue.message) : issue?.code,
  }
}

const refused = (how: string) => ({ refused: how })
const NOT_A_TEXT = refused('invalid_type')
const NOT_A_PLACE = refused('must be a whole number from -32768 to 32767')

const readings: Record<string, { atom: z.ZodType; cases: [unknown, unknown][] }> = {
  text: {
    atom: atoms.text(),
    cases: [
      ['a', 'a'],
      [' a ', ' a '],
      ['', ''],
      [7, '7'],
      [1.5, '1.5'],
      [null, undefined],
      [undefined, undefined],
      [true, NOT_A_TEXT],
      [['a'], NOT_A_TEXT],
      [{}, NOT_A_TEXT],
    ],
  },
  requiredText: {
    atom: atoms.requiredText(),
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
    atom: atoms.clearableText(),
    cases: [
      ['a', 'a'],
      [7, '7'],
      [null, null],
      [undefined, undefined],
      [false, NOT_A_TEXT],
    ],
  },
  flag: {
    atom: atoms.boolean(),
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
      [['1', '0'], NOT_A_TEXT],
      [{}, NOT_A_TEXT],
    ],
  },
  count: {
    atom: atoms.count(),
    cases: [
      [0, 0],
      ['0', 0],
      [20, 20],
      [' 20 ', 20],
      ['', undefined],
      [null, undefined],
      [undefined, undefined],
      [-1, refused('notACount')],
      [1.5, refused('notACount')],
      ['1e3', refused('notACount')],
      ['x', refused('notACount')],
      [true, refused('notACount')],
      [['1', '2'], refused('notACount')],
      ['9'.repeat(16), refused('notACount')],
    ],
  },
  sortKey: {
    atom: atoms.sortKey(),
    cases: [
      [0, 0],
      [-32_768, -32_768],
      [' 32767 ', 32_767],
      ['', undefined],
      [null, undefined],
      [undefined, undefined],
      [32_768, NOT_A_PLACE],
      ['-32769', NOT_A_PLACE],
      [1.5, NOT_A_PLACE],
      ['x', NOT_A_PLACE],
      [[1], NOT_A_PLACE],
    ],
  },
  id: {
    atom: atoms.id(),
    cases: [
      [1, 1],
      ['35', 35],
      [' 35 ', 35],
      [0, refused('notAnInteger')],
      ['0', refused('notAnInteger')],
      [-3, refused('notAnInteger')],
      [2.5, refused('notAnInteger')],
      ['x', refused('notAnInteger')],
      ['1,2', refused('notAnInteger')],
      [[1], refused('notAnInteger')],
      [1e20, refused('notAnInteger')],
      ['', refused('parameterMissing')],
      [null, refused('parameterMissing')],
      [undefined, refused('parameterMissing')],
    ],
  },
  ids: {
    atom: atoms.ids(),
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
      ['1,x', refused('notAnInteger')],
      [[0], refused('notAnInteger')],
      [[{}], refused('notAnInteger')],
    ],
  },
  names: {
    atom: atoms.names(),
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
      [{}, refused('must be a list of texts')],
      [[['a']], refused('must be a list of texts')],
    ],
  },
  criteria: {
    atom: atoms.criteria(),
    cases: [
      ['', ['']],
      [
        ['', 'a'],
        ['', 'a'],
      ],
      [true, ['true']],
      [null, []],
      [[{}], refused('must be a list of texts')],
    ],
  },
  moment: {
    atom: atoms.datetime(),
    cases: [
      ['1970-01-02', 86_400],
      ['1970-01-01T00:01:00Z', 60],
      ['', undefined],
      [null, undefined],
      [undefined, undefined],
      ['soon', refused('dateInvalid')],
      ['2024-02-30', refused('dateInvalid')],
      [86_400, refused('dateInvalid')],
    ],
  },
  include_fields: {
    atom: atoms.selectionInput.include_fields,
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
      [{}, refused('must be a list of texts')],
    ],
  },
}

test.each([
  [atoms.limitLength(atoms.text()), 'x'.repeat(65_535), 'x'.repeat(65_536)],
  [atoms.limitLength(atoms.text()), '\u{1f600}'.repeat(65_535), '\u{1f600}'.repeat(65_536)],
  [atoms.limitItems(atoms.names()), Array(1000).fill('a'), Array(1001).fill('a')],
])('what is too much is refused, and described as before', (atom, most, more) => {
  expect(read(atom, most)).toEqual(most)
  expect(read(atom, more)).toEqual(refused(expect.stringMatching(/^may (have|hold) at most/)))
  expect(z.toJSONSchema(atom, { io: 'input', unrepresentable: 'any' })).toHaveProperty('type')
  expect(z.object({ atom }).safeParse({}).success).toBe(true)
})

describe.each(Object.entries(readings))('%s', (_, { atom, cases }) => {
  test.each(cases)('reads %j as %j', (given, expected) => {
    expect(read(atom, given)).toEqual(expected)
  })

  test('describes itself', () => {
    expect(z.toJSONSchema(atom, { io: 'input', unrepresentable: 'any' })).toHaveProperty('type')
  })
})

test('an atom that may be absent is absent, not a key without a value', () => {
  const optional = z.object({
    text: atoms.text(),
    flag: atoms.boolean(),
    count: atoms.count(),
    sortKey: atoms.sortKey(),
    ids: atoms.ids(),
    names: atoms.names(),
    moment: atoms.datetime(),
  })
  expect(optional.parse({})).toEqual({})
})
