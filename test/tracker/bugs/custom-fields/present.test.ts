import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { presentCustom } from '../../../../src/tracker/bugs/custom-fields/present.ts'
import type { CustomTuple } from '../../../../src/tracker/bugs/custom-fields/types.ts'

const row = (custom: string) => ({ id: 7, custom })

const field = (type: number, isObsolete = false) => [{ id: 1, name: 'cf_x', type, isObsolete }]

describe('a custom field of a bug', () => {
  test.each<[keyof typeof FIELD_TYPE, CustomTuple[], unknown]>([
    ['freeText', [], ''],
    ['freeText', [[1, 'one line', null, null]], 'one line'],
    ['largeText', [], ''],
    ['largeText', [[1, 'two\nlines', null, null]], 'two\nlines'],
    ['single', [], '---'],
    ['single', [[1, null, null, 'Blue']], 'Blue'],
    ['multi', [], []],
    [
      'multi',
      [
        [1, null, null, 'Blue'],
        [1, null, null, 'Red'],
      ],
      ['Blue', 'Red'],
    ],
    ['datetime', [], null],
    ['datetime', [[1, null, 1_700_000_000, null]], '2023-11-14T22:13:20Z'],
    ['date', [], null],
    ['date', [[1, '2023-11-14', null, null]], '2023-11-14T00:00:00Z'],
    ['bugId', [], null],
    ['bugId', [[1, null, 12, null]], 12],
    ['integer', [], null],
    ['integer', [[1, null, -5, null]], '-5'],
  ])('of the type %s with the rows %j is presented as %j', (type, values, expected) => {
    expect(presentCustom(row(JSON.stringify(values)), field(FIELD_TYPE[type]))).toEqual({
      cf_x: expected,
    })
  })

  test('that is obsolete is presented while the bug has a value', () => {
    const obsolete = field(FIELD_TYPE.freeText, true)

    expect(presentCustom(row('[]'), obsolete)).toEqual({})
    expect(presentCustom(row('[[1,"kept",null,null]]'), obsolete)).toEqual({ cf_x: 'kept' })
  })

  test('has its own values and none of other fields', () => {
    const two = [
      { id: 1, name: 'cf_a', type: FIELD_TYPE.freeText, isObsolete: false },
      { id: 2, name: 'cf_b', type: FIELD_TYPE.freeText, isObsolete: false },
    ]

    expect(presentCustom(row('[[2,"b",null,null],[3,"c",null,null]]'), two)).toEqual({
      cf_a: '',
      cf_b: 'b',
    })
  })

  test('that is broken is omitted, and the others stay', () => {
    const three = [
      { id: 1, name: 'cf_a', type: FIELD_TYPE.datetime, isObsolete: false },
      { id: 2, name: 'cf_b', type: FIELD_TYPE.freeText, isObsolete: false },
      { id: 3, name: 'cf_c', type: FIELD_TYPE.datetime, isObsolete: false },
    ]

    expect(
      presentCustom(row('[[1,null,1e300,null],[2,"b",null,null],[3,null,0,null]]'), three),
    ).toEqual({
      cf_b: 'b',
      cf_c: '1970-01-01T00:00:00Z',
    })
  })
})
