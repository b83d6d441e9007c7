import { expect, test } from 'vitest'
import { parseKeyDescription } from '../../../src/tracker/keys/description.ts'

test.each([
  ['for the build', 'for the build'],
  ['  for\tthe\r\nbuild  ', 'for the build'],
  ['😀'.repeat(255), '😀'.repeat(255)],
])('%j describes a key as %j', (given, description) => {
  expect(parseKeyDescription(given)).toBe(description)
})

test.each([
  ['', 50],
  [' \n ', 50],
  ['x'.repeat(256), 53],
])('%j does not describe a key: %s', (given, code) => {
  expect(() => parseKeyDescription(given)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining("'description'") }),
  )
})
