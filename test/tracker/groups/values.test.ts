import { describe, expect, test } from 'vitest'
import {
  parseGroupDescription,
  parseGroupIcon,
  parseGroupName,
  parseGroupPattern,
} from '../../../src/tracker/groups/values.ts'

describe('a value of a group is kept', () => {
  test.each([
    ['a name on one line, trimmed', parseGroupName, ' a\nb ', 'a b'],
    [
      'a name of 255 characters, those of two units too',
      parseGroupName,
      `${'☃😀'.repeat(127)}a`,
      `${'☃😀'.repeat(127)}a`,
    ],
    ['a description trimmed', parseGroupDescription, '\tWhat it is ', 'What it is'],
    ['a blank address as none', parseGroupIcon, ' ', null],
    ['an address trimmed', parseGroupIcon, ' https://x.test/i ', 'https://x.test/i'],
  ])('%s', (_, of, given, kept) => {
    expect(of(given)).toBe(kept)
  })

  test('a pattern trimmed, with what it compiles to', async () => {
    const { source, pattern } = await parseGroupPattern(' ^A ')
    expect(source).toBe('^A')
    expect(pattern?.matches('ann')).toBe(true)
  })

  test.each([undefined, null, '', '  '])(
    'no pattern when it is %j, matching nobody',
    async (given) => {
      expect(await parseGroupPattern(given)).toEqual({ source: '', pattern: null })
    },
  )
})

describe('a value of a group is refused', () => {
  test.each([
    ['no name', parseGroupName, undefined, 800],
    ['a blank name', parseGroupName, '\n', 800],
    ['a long name', parseGroupName, 'a'.repeat(256), 53],
    ['no description', parseGroupDescription, undefined, 802],
    ['a blank description', parseGroupDescription, ' ', 802],
  ])('%s', (_, of, given, code) => {
    expect(() => of(given)).toThrow(expect.objectContaining({ code }))
  })

  test('a pattern that cannot be used: 803', async () => {
    await expect(parseGroupPattern('(')).rejects.toMatchObject({ code: 803 })
  })
})
