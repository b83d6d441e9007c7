import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/lib/pattern.ts'
import { sources } from '../support/sources.ts'

async function matching(source: string, texts: readonly string[]): Promise<string[] | null> {
  const pattern = await compilePattern(source)
  return pattern === null ? null : texts.filter((text) => pattern.matches(text))
}

describe('a pattern finds', () => {
  test.each([
    ['a plain text anywhere', 'ann', ['joann@x.test', 'ann', 'bob'], ['joann@x.test', 'ann']],
    ['either case', '@EXAMPLE', ['a@example.test', 'a@other.test'], ['a@example.test']],
    ['either case of other letters', 'ÄRGER', ['ärger@x.test'], ['ärger@x.test']],
    ['both ends where they are asked for', '^a.*z$', ['abz', 'xabz', 'abzx'], ['abz']],
    [
      'alternatives',
      '@(one|two)\\.test$',
      ['a@one.test', 'a@two.test', 'a@six.test'],
      ['a@one.test', 'a@two.test'],
    ],
    ['classes and counts', '^[a-c]{2}\\d+@', ['ab12@x', 'abc1@x', 'ab@x'], ['ab12@x']],
    ['letters of all scripts', '^\\pL+$', ['łódź', 'a1'], ['łódź']],
    ['what is quoted as itself', '\\.\\*', ['a.*b', 'aab'], ['a.*b']],
    ['everything', '.*', ['', 'a', '☃'], ['', 'a', '☃']],
  ])('%s', async (_, source, texts, found) => {
    expect(await matching(source, texts)).toEqual(found)
  })

  test('the same when it is asked again', async () => {
    const pattern = await compilePattern('a')
    expect([1, 2, 3].map(() => pattern?.matches('ba'))).toEqual([true, true, true])
  })
})

describe('a pattern is refused', () => {
  test.each([
    ['a lone backslash', '\\'],
    ['an open class', '[a-'],
    ['an open group', '(a'],
    ['a repetition of nothing', '*a'],
    ['a repetition of a repetition', 'a*+'],
    ['looking ahead', 'a(?=b)'],
    ['looking behind', '(?<=a)b'],
    ['a reference back', '(a)\\1'],
    ['an unknown escape', '\\y'],
    ['too many repetitions', 'a{1001}'],
    ['repetitions that multiply', '((a{100}){100}){100}'],
    ['a program that is too large', '\\pL{400}\\pL{400}'],
    ['more than 255 characters', 'a'.repeat(256)],
  ])('for %s', async (_, source) => {
    expect(await compilePattern(source)).toBeNull()
  })

  test('at 256 characters, not at 255', async () => {
    expect(await matching('a'.repeat(255), ['a'.repeat(254), 'a'.repeat(255)])).toEqual([
      'a'.repeat(255),
    ])
  })
})

describe('a pattern that makes others run for ever', () => {
  const victim = `${'a'.repeat(5_000)}!`

  test.each([
    '(a+)+$',
    '(a|aa)+$',
    '(.*a){20}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?:\\pL{0,6}){0,32}x$',
    '(a?){90}a{90}$',
    `${'.*'.repeat(120)}x`,
  ])('costs steps in proportion to the text: %s', async (source) => {
    const pattern = await compilePattern(source)
    // a backtracking matcher would not come back from any of these before the test times out
    expect(pattern?.matches(victim)).toBe(false)
  })
})

test('the engine is loaded by the first pattern alone', () => {
  const named = Object.entries(sources).filter(([, text]) => text.includes('re2js'))
  expect(named.map(([path]) => path)).toEqual(['src/lib/pattern.ts'])
  expect(sources['src/lib/pattern.ts']).toContain("await import('re2js')")
  expect(sources['src/lib/pattern.ts']).not.toMatch(/^import/m)
})
