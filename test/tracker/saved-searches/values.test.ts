import { describe, expect, test } from 'vitest'
import { parseSavedSearchName } from '../../../src/tracker/saved-searches/values.ts'

describe('the name of a saved search', () => {
  test.each([
    [' My bugs ', 'My bugs'],
    ['a\tb', 'a b'],
    ['😀'.repeat(64), '😀'.repeat(64)],
  ])('%j is %j', (given, name) => {
    expect(parseSavedSearchName(given)).toBe(name)
  })

  test.each([
    ['', 50],
    [' \n', 50],
    ['x'.repeat(65), 53],
  ])('is not %j: %d', (given, code) => {
    expect(() => parseSavedSearchName(given)).toThrow(expect.objectContaining({ code }))
  })
})
