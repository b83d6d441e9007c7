import { describe, expect, test } from 'vitest'
import { isScalarType, parseScalar } from '../../../../src/edges/rpc/xml/scalars.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'

describe('a value of XML-RPC', () => {
  test.each([
    ['string', '  as it is ', '  as it is '],
    ['int', ' -12 ', -12],
    ['i4', '+7', 7],
    ['i8', '123456789012345', 123456789012345],
    ['double', '-1.5', -1.5],
    ['boolean', '1', true],
    ['boolean', 'false', false],
    ['dateTime.iso8601', '20260131T12:30:00', '20260131T12:30:00'],
    ['dateTime.iso8601', '2026-01-31T12:30:00Z', '2026-01-31T12:30:00Z'],
    ['nil', '', null],
  ])('of the type %s is read from %j', (type, text, value) => {
    expect(parseScalar(type, text)).toBe(value)
  })

  test.each([
    ['int', ''],
    ['int', '1.5'],
    ['int', '1234567890123456'],
    ['double', ''],
    ['double', 'Infinity'],
    ['double', 'x'],
    ['boolean', '2'],
    ['dateTime.iso8601', 'today'],
  ])('of the type %s is refused with -32600 when its text is %j', (type, text) => {
    expect(catchFaultCode(() => parseScalar(type, text))).toBe(-32600)
  })

  test('has no type of a name that every object has', () => {
    expect(isScalarType('int')).toBe(true)
    expect(isScalarType('constructor')).toBe(false)
  })
})
