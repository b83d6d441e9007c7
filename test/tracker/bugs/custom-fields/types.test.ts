import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import { customFieldType } from '../../../../src/tracker/bugs/custom-fields/types.ts'

function parse(type: keyof typeof FIELD_TYPE, text: string): unknown {
  try {
    return customFieldType(FIELD_TYPE[type]).parse?.('cf_x', text)
  } catch (error) {
    return error instanceof Fault ? error.code : error
  }
}

const textValue = (historyValue: string) => ({ historyValue, fold: historyValue.toLowerCase() })
const number = (value: number) => ({ historyValue: `${value}`, fold: `${value}`, number: value })

describe('a value of a custom field', () => {
  test.each<[keyof typeof FIELD_TYPE, string, unknown]>([
    ['freeText', ' One\nline ', textValue('One line')],
    ['freeText', ' ', null],
    ['freeText', 'x'.repeat(255), textValue('x'.repeat(255))],
    ['freeText', 'x'.repeat(256), 104],
    ['largeText', ' Two\r\nlines \n', textValue(' Two\nlines')],
    ['largeText', ' \n', null],
    ['largeText', 'x'.repeat(65_536), 104],
    ['date', '2024-02-29', textValue('2024-02-29')],
    ['date', '2024-02-29T00:00:00Z', textValue('2024-02-29')],
    ['date', '2023-02-29', 56],
    ['date', '2023', 56],
    ['date', '', null],
    [
      'datetime',
      '2023-11-14 22:13:20',
      { historyValue: '2023-11-14T22:13:20Z', fold: '2023-11-14t22:13:20z', number: 1_700_000_000 },
    ],
    ['datetime', '2023-11-14', { ...textValue('2023-11-14T00:00:00Z'), number: 1_699_920_000 }],
    ['datetime', 'tomorrow', 56],
    ['integer', '-5', number(-5)],
    ['integer', '+7', number(7)],
    ['integer', '-0', number(0)],
    ['integer', '3.0', number(3)],
    ['integer', '2147483647', number(2_147_483_647)],
    ['integer', '2147483648', 54],
    ['integer', '-2147483649', 55],
    ['integer', '1.5', 52],
    ['integer', 'x', 52],
    ['integer', '', null],
  ])('of the type %s is parsed from %j', (type, text, value) => {
    expect(parse(type, text)).toEqual(value)
  })
})

test('choices and bugs are not parsed from their text, because they are looked up', () => {
  const parsed = Object.values(FIELD_TYPE).filter((type) => customFieldType(type).parse !== null)
  const { freeText, largeText, datetime, date, integer } = FIELD_TYPE
  expect(parsed).toEqual([freeText, largeText, datetime, date, integer])
})
