import { expect, test } from 'vitest'
import { findClientAddress } from '../../../../src/platform/http/request/client-address.ts'

test.each<[string, Record<string, string>, string]>([
  ['CF-Connecting-IP', { 'cf-connecting-ip': '192.0.2.7' }, '192.0.2.7'],
  ['CF-Connecting-IP', { 'x-forwarded-for': '192.0.2.7' }, 'unknown'],
  ['X-Forwarded-For', { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' }, '192.0.2.7'],
  ['X-Forwarded-For', { 'cf-connecting-ip': '192.0.2.7' }, 'unknown'],
  ['X-Real-IP', { 'x-real-ip': ' ' }, 'unknown'],
  ['', { 'cf-connecting-ip': '192.0.2.7', 'x-forwarded-for': '192.0.2.7' }, 'unknown'],
])('with CLIENT_ADDRESS_HEADER %j the address in %j is %s', (name, sent, expected) => {
  expect(findClientAddress(new Headers(sent), { CLIENT_ADDRESS_HEADER: name })).toBe(expected)
})
