import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../../src/platform/lib/pattern.ts'
import { sources } from '../../support/sources.ts'

async function findMatches(source: string, texts: readonly string[]): Promise<string[] | null> {
  const pattern = await compilePattern(source)
  return pattern === null ? null : texts.filter((text) => pattern.matches(text))
}

describe('a compiled pattern', () => {
  test.each([
    ['plain text anywhere', 'ann', ['joann@x.test', 'ann', 'bob'], ['joann@x.test', 'ann']],
    ['either case', '@EXAMPLE', ['a@example.test', 'a@other.test'], ['a@example.test']],
    ['either case of other letters', 'ÄRGER', ['ärger@x.test'], ['ärger@x.test']],
    ['anchors at both ends', '^a.*z$', ['abz', 'xabz', 'abzx'], ['abz']],
    [
      'alternatives',
      '@(one|two)\\.test$',
      ['a@one.test', 'a@two.test', 'a@six.test'],
      ['a@one.test', 'a@two.test'],
    ],
    ['classes and counts', '^[a-c]{2}\\d+@', ['ab12@x', 'abc1@x', 'ab@x'], ['ab12@x']],
    ['letters of all scripts', '^\\pL+$', ['łódź', 'a1'], ['łódź']],
    ['escaped characters literally', '\\.\\*', ['a.*b', 'aab'], ['a.*b']],
    ['everything', '.*', ['', 'a', '☃'], ['', 'a', '☃']],
  ])('matches %s', async (_, source, texts, found) => {
    expect(await findMatches(source, texts)).toEqual(found)
  })

  test('returns the same result every time', async () => {
    const pattern = await compilePattern('a')
    expect([1, 2, 3].map(() => pattern?.matches('ba'))).toEqual([true, true, true])
  })
})

describe('compilePattern', () => {
  test.each([
    ['a lone backslash', '\\'],
    ['an open class', '[a-'],
    ['an open group', '(a'],
    ['a repetition of nothing', '*a'],
    ['a repetition of a repetition', 'a*+'],
    ['a lookahead', 'a(?=b)'],
    ['a lookbehind', '(?<=a)b'],
    ['a back-reference', '(a)\\1'],
    ['an unknown escape', '\\y'],
    ['too many repetitions', 'a{1001}'],
    ['repetitions that multiply', '((a{100}){100}){100}'],
    ['a program that is too large', '\\pL{400}\\pL{400}'],
    ['more than 255 characters', 'a'.repeat(256)],
  ])('returns null for %s', async (_, source) => {
    expect(await compilePattern(source)).toBeNull()
  })

  test('accepts a source of 255 characters', async () => {
    expect(await findMatches('a'.repeat(255), ['a'.repeat(254), 'a'.repeat(255)])).toEqual([
      'a'.repeat(255),
    ])
  })
})

describe('a pattern with exponential cost for a backtracking engine', () => {
  const text = `${'a'.repeat(5_000)}!`

  test.each([
    '(a+)+$',
    '(a|aa)+$',
    '(.*a){20}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?:\\pL{0,6}){0,32}x$',
    '(a?){90}a{90}$',
    `${'.*'.repeat(120)}x`,
  ])('takes linear time: %s', async (source) => {
    const pattern = await compilePattern(source)
    // a backtracking engine would exceed the timeout of the test on each of these
    expect(pattern?.matches(text)).toBe(false)
  })
})

test('only compilePattern loads the engine, on first use', () => {
  const importers = Object.entries(sources).filter(([, text]) => text.includes('re2js'))
  expect(importers.map(([path]) => path)).toEqual(['src/platform/lib/pattern.ts'])
  expect(sources['src/platform/lib/pattern.ts']).toContain("await import('re2js')")
  expect(sources['src/platform/lib/pattern.ts']).not.toMatch(/^import/m)
})
