import { describe, expect, test } from 'vitest'
import { acceptedTags } from '../../src/comments/tagging.ts'
import { told } from '../support/workflow.ts'

describe('tags', () => {
  test.each<[string[], string[]]>([
    [[], []],
    [['spam'], ['spam']],
    [
      ['Spam', 'spam', 'SPAM', 'ham'],
      ['Spam', 'ham'],
    ],
    [
      ['a.b', '1-2', '___'],
      ['a.b', '1-2', '___'],
    ],
    [['ｓｐａｍ', 'spam'], ['ｓｐａｍ']],
  ])('%j are stored as %j', (given, names) => {
    expect(acceptedTags('add', given).map(({ name }) => name)).toEqual(names)
  })

  test.each<[string, number]>([
    ['', 127],
    ['ab', 127],
    ['a'.repeat(25), 128],
    ['a b', 126],
    ['a\tb', 126],
    ["a'b", 126],
    ['a\0b', 126],
    ['emoji😀', 126],
  ])('%j is refused with %d', (tag, code) => {
    expect(told(() => acceptedTags('add', ['fine', tag]))).toBe(code)
  })
})
