import { describe, expect, test } from 'vitest'
import { isStorageFailure } from '../../../src/platform/db/storage-failure.ts'

describe('a failure of the storage', () => {
  test.each([
    'D1_ERROR: internal error; reference = p5dgcjm7ej6soe6j1el7uk1g',
    'D1_ERROR: database or disk is full: SQLITE_FULL',
    'D1_ERROR: attempt to write a readonly database: SQLITE_READONLY',
    'D1_ERROR: Network connection lost.',
    'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
    'put: Unspecified error (0)',
  ])('is recognised by its text: %s', (message) => {
    expect(isStorageFailure(new Error(message))).toBe(true)
    expect(isStorageFailure(new Error('Failed query', { cause: new Error(message) }))).toBe(true)
  })

  test.each([
    'D1_ERROR: UNIQUE constraint failed: bugs.alias: SQLITE_CONSTRAINT',
    'D1_ERROR: no such table: bugs: SQLITE_ERROR',
    'Cannot read properties of undefined',
  ])('is no error of a request: %s', (message) => {
    expect(isStorageFailure(new Error(message))).toBe(false)
    expect(isStorageFailure(message)).toBe(false)
  })
})
