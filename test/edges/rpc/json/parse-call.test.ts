import { describe, expect, test } from 'vitest'
import {
  formOfCall,
  parseJsonCall,
  parseJsonCalls,
  parseQueryCall,
} from '../../../../src/edges/rpc/json/parse-call.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'

describe('a call in JSON', () => {
  test.each([
    [
      { method: 'm', params: [{ a: 1 }], id: 'x' },
      { version: '1.0', id: 'x', parameters: { a: 1 } },
    ],
    [
      { method: 'm', version: '1.1', params: { a: 1 } },
      { version: '1.1', id: null, parameters: { a: 1 } },
    ],
    [
      { method: 'm', jsonrpc: '2.0', id: 0 },
      { version: '2.0', id: 0, parameters: {} },
    ],
    [
      { method: 'm', params: [], id: null },
      { version: '1.0', id: null, parameters: {} },
    ],
    [
      { method: 'm', params: [null], id: [1] },
      { version: '1.0', id: [1], parameters: {} },
    ],
  ])('is read from %j', (body, call) => {
    expect(parseJsonCall(body)).toEqual({
      ...{ method: 'm', isNotification: false, unknown: [] },
      ...call,
    })
    expect(formOfCall(body)).toEqual({ version: call.version, id: call.id, isNotification: false })
  })

  test.each([
    [{}],
    [{ method: 1 }],
    [{ method: 'm', params: [1] }],
    [{ method: 'm', params: 'x' }],
    [{ method: 'm', params: [{}, {}] }],
    [{ method: 'm', params: [[]] }],
  ])('is refused with -32600 when it is %j', (body) => {
    expect(catchFaultCode(() => parseJsonCall(body))).toBe(-32600)
  })

  test.each([
    [{ jsonrpc: '2.0', method: 'm' }, true],
    [{ jsonrpc: '2.0', method: 'm', id: null }, false],
    [{ jsonrpc: '2.0' }, false],
    [{ version: '1.1', method: 'm' }, false],
    [{ method: 'm', id: null }, false],
  ])('%j is a notification: %s', (body, isNotification) => {
    expect(formOfCall(body)).toMatchObject({ isNotification })
  })

  test('has members that no version knows, which are told', () => {
    const body = JSON.parse('{"method":"m","parms":[{}],"__proto__":1,"jsonrpc":"2.0","id":1}')
    expect(parseJsonCall(body).unknown).toEqual(['parms', '__proto__'])
  })

  test('may stand in a list', () => {
    expect(parseJsonCalls(' [{"method":"m"}, 1]')).toEqual([{ method: 'm' }, 1])
    expect(parseJsonCalls('{"method":"m"}')).toEqual({ method: 'm' })
  })

  test.each([
    '{',
    '[',
    '[],"a":1',
    '[],"calls":[]',
    '7',
    `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  ])('is refused with -32700 when its text is neither object nor list', (text) => {
    expect(catchFaultCode(() => parseJsonCalls(text))).toBe(-32700)
  })

  test('in a query has parameters as JSON', () => {
    expect(parseQueryCall({ method: 'm', params: '[{"a":"b"}]', id: '3' })).toEqual({
      ...{ version: '1.1', id: '3', method: 'm', parameters: { a: 'b' }, isNotification: false },
      unknown: [],
    })
    expect(parseQueryCall({ method: 'm' })).toMatchObject({ id: null, parameters: {} })
    expect(catchFaultCode(() => parseQueryCall({ method: 'm', params: '{' }))).toBe(-32700)
    expect(catchFaultCode(() => parseQueryCall({ params: '{}' }))).toBe(-32600)
  })
})
