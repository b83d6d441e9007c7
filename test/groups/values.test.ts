import { describe, expect, test } from 'vitest'
import { groupDescription, groupIcon, groupName, groupPattern } from '../../src/groups/values.ts'

describe('a value of a group is kept', () => {
  test.each([
    ['a name on one line, trimmed', groupName, ' a\nb ', 'a b'],
    [
      'a name of 255 characters, those of two units too',
      groupName,
      `${'☃😀'.repeat(127)}a`,
      `${'☃😀'.repeat(127)}a`,
    ],
    ['a description trimmed', groupDescription, '\tWhat it is ', 'What it is'],
    ['a blank address as none', groupIcon, ' ', null],
    ['an address trimmed', groupIcon, ' https://x.test/i ', 'https://x.test/i'],
  ])('%s', (_, of, given, kept) => {
    expect(of(given)).toBe(kept)
  })

  test('a pattern trimmed, with what it compiles to', async () => {
    const { source, pattern } = await groupPattern(' ^A ')
    expect(source).toBe('^A')
    expect(pattern?.matches('ann')).toBe(true)
  })

  test.each([undefined, null, '', '  '])(
    'no pattern when it is %j, matching nobody',
    async (given) => {
      expect(await groupPattern(given)).toEqual({ source: '', pattern: null })
    },
  )
})

describe('a value of a group is refused', () => {
  test.each([
    ['no name', groupName, undefined, 800],
    ['a blank name', groupName, '\n', 800],
    ['a long name', groupName, 'a'.repeat(256), 53],
    ['no description', groupDescription, undefined, 802],
    ['a blank description', groupDescription, ' ', 802],
  ])('%s', (_, of, given, code) => {
    expect(() => of(given)).toThrow(expect.objectContaining({ code }))
  })

  test('a pattern that cannot be used: 803', async () => {
    await expect(groupPattern('(')).rejects.toMatchObject({ code: 803 })
  })
})
