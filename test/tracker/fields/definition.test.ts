import { describe, expect, test } from 'vitest'
import {
  computeNextSortKey,
  parseCustomFieldName,
  parseDisplayName,
  parseValueName,
  requireFieldType,
} from '../../../src/tracker/fields/definition.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

describe('the name of a custom field', () => {
  test.each([
    ['cf_a', 'cf_a'],
    [' CF_Mixed_9 ', 'cf_mixed_9'],
    [`cf_${'x'.repeat(61)}`, `cf_${'x'.repeat(61)}`],
    ['', 50],
    ['  ', 50],
    ['a', 53],
    ['cf_', 53],
    ['cf_a b', 53],
    ['cf_a-b', 53],
    ['xcf_a', 53],
    ['cf_ä', 53],
    [`cf_${'x'.repeat(62)}`, 53],
  ])('%j is %j', (given, expected) => {
    expect(catchFaultCode(() => parseCustomFieldName(given))).toBe(expected)
  })
})

test.each([
  ['  What\nit is ', 'What it is'],
  ['x'.repeat(255), 'x'.repeat(255)],
  [' ', 50],
  ['x'.repeat(256), 53],
])('the display name %j is %j', (given, expected) => {
  expect(catchFaultCode(() => parseDisplayName(given))).toBe(expected)
})

test.each([
  [undefined, 50],
  [0, 53],
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 4],
  [5, 5],
  [6, 6],
  [7, 53],
  [8, 53],
  [9, 9],
  [10, 10],
  [11, 53],
  [99, 53],
])('the type %j is %j', (given, expected) => {
  expect(catchFaultCode(() => requireFieldType(given))).toBe(expected)
})

test.each([
  ['cf_x', ' a\tb ', 'a b'],
  ['cf_x', 'x'.repeat(64), 'x'.repeat(64)],
  ['cf_x', 'x'.repeat(65), 53],
  ['bug_type', 'x'.repeat(20), 'x'.repeat(20)],
  ['bug_type', 'x'.repeat(21), 53],
  ['priority', '', 50],
])('the value of %s named %j is %j', (field, given, expected) => {
  expect(catchFaultCode(() => parseValueName(field, given))).toBe(expected)
})

test.each([
  [0, 100, 100],
  [500, 100, 600],
  [32_700, 100, 32_767],
])('behind %d by %d is %d', (last, step, expected) => {
  expect(computeNextSortKey(last, step)).toBe(expected)
})
