import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  ownHeaderInput,
  parseOwnHeader,
  parseWebhookName,
} from '../../../src/edges/webhooks/values.ts'
import { parseInput } from '../../../src/platform/http/operations/input.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

describe('the name of a webhook', () => {
  test('is one line of up to 64 characters', () => {
    expect(parseWebhookName(' to\nchat ')).toBe('to chat')
    expect(parseWebhookName('😀'.repeat(64))).toHaveLength(128)
  })

  test.each([
    [' ', 50],
    ['a'.repeat(65), 53],
  ])('%j is rejected with %i', (name, code) => {
    expect(catchFaultCode(() => parseWebhookName(name))).toBe(code)
  })
})

const input = z.object({ header: ownHeaderInput() })

function readHeader(given: unknown) {
  const { header } = parseInput(input, { header: given }) as z.output<typeof input>
  return parseOwnHeader(header)
}

describe('the header of an owner', () => {
  test.each([
    [
      { name: 'Authorization', value: 'Bearer abc' },
      { name: 'Authorization', value: 'Bearer abc' },
    ],
    [
      { name: ' X-Key ', value: ' k ' },
      { name: 'X-Key', value: 'k' },
    ],
    [[{ name: 'a', value: 'b' }], { name: 'a', value: 'b' }],
    [{ name: '', value: '' }, null],
    [{}, null],
    [null, null],
    ['', null],
  ])('%j is read as %j', (given, header) => {
    expect(readHeader(given)).toEqual(header)
  })

  test.each([
    'Authorization: x',
    [],
    { name: 'X-Key' },
    { value: 'x' },
    { nam: 'X-Key', valu: 'x' },
    { name: 'X-Key', value: 'x', secret: true },
    { name: 'X Key', value: 'x' },
    { name: 'X-Key:', value: 'x' },
    { name: 'X-Key', value: 'a\r\nHost: b' },
    { name: 'X-Key', value: 'ä' },
    { name: 'X-Key', value: 7 },
    { name: 'a'.repeat(65), value: 'x' },
    { name: 'X-Key', value: 'a'.repeat(65) },
    { name: 'Content-Type', value: 'x' },
    { name: 'HOST', value: 'x' },
    { name: 'webhook-signature', value: 'x' },
    { name: 'X-Hub-Signature-256', value: 'x' },
    { name: 'CF-Connecting-IP', value: 'x' },
    { name: 'Transfer-Encoding', value: 'chunked' },
  ])('%j is rejected with 53', (given) => {
    expect(catchFaultCode(() => readHeader(given))).toBe(53)
  })
})
