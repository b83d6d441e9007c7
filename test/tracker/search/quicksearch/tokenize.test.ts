import { describe, expect, test } from 'vitest'
import {
  type Characters,
  splitWord,
  startsWithQuote,
  textOf,
  tokenize,
} from '../../../../src/tracker/search/quicksearch/tokenize.ts'
import { catchRefusal } from '../../../support/quicksearch.ts'

const texts = (text: string) => tokenize(text).map(textOf)

/** A text that counts how many of its characters are asked for. */
function countSteps(text: string): { characters: Characters; steps: () => number } {
  let steps = 0
  const characters: Characters = {
    length: text.length,
    charAt: (at) => {
      steps += 1
      return text.charAt(at)
    },
    slice: (from, to) => {
      const part = text.slice(from, to)
      steps += part.length
      return part
    },
  }
  return { characters, steps: () => steps }
}

describe('the words of a quicksearch', () => {
  test.each([
    [' , a  b\tc , ', ['a', 'b', 'c']],
    ['', []],
    [', ,', []],
    ['"a  b" c', ['a  b', 'c']],
    ['foo"a b"', ['fooa b']],
    ['field:"a b"c', ['field:a bc']],
    ['"a""b"', ['ab']],
    ['""', ['']],
    ['"a, b",', ['a, b']],
    ["don't won't", ["don't", "won't"]],
    ["'a b' c", ['a b', 'c']],
    ["summary:'a b' c", ['summary:a b', 'c']],
    ["summary='a b',", ['summary=a b']],
    ["-'a b'", ['-a b']],
    ["x|'a b'", ['x|a b']],
    ["'don't do' it", ["don't do", 'it']],
    ["'tis a'b", ["'tis", "a'b"]],
    ["a'b c'", ["a'b", "c'"]],
    ["'a \"b' c", ['a "b', 'c']],
    ['"it\'s"', ["it's"]],
    ['a\\"b', ['a"b']],
    ['"a\\"b c"', ['a"b c']],
    ["\\'a b\\'", ["'a", "b'"]],
    ['C:\\dir', ['C:\\dir']],
    ['a\u00a0b', ['a', 'b']],
  ])('of %j are %j', (text, expected) => {
    expect(texts(text)).toEqual(expected)
  })

  test.each(['"a', 'a"', '"a\\"', 'a "b c', '"a" "'])('cannot be told in %j', (text) => {
    expect(catchRefusal(text)).toMatch(/^32000 .*opens a quote at character \d+ that nothing/)
  })

  test('are refused with the place of the open quote, in characters', () => {
    expect(catchRefusal('🙂 "half')).toContain('at character 3 ')
  })

  test('know where they start', () => {
    expect(tokenize(' a "b c" d').map(({ index }) => index)).toEqual([1, 3, 9])
  })
})

describe('a part of a word', () => {
  test('lies between separators outside of quotes', () => {
    const [word] = tokenize('a,"b,c",,"",d\\"')
    expect(word && splitWord(word, ',').map(textOf)).toEqual(['a', 'b,c', '', 'd"'])
    expect(word && splitWord(word, ',').map(({ index }) => index)).toEqual([0, 2, 9, 12])
  })

  test('starts with a quote, but not with an escaped one', () => {
    const words = tokenize('"a" \'b\' \\"c d"e"')
    expect(words.map(startsWithQuote)).toEqual([true, true, false, false])
  })
})

describe('tokenizing takes steps in proportion to the length of', () => {
  test.each([
    ['words', 'ab '],
    ['quotes', '"a b" '],
    ['apostrophes that close nothing', "'a "],
    ['apostrophes that open and close', "'a' "],
    ['apostrophes within words', "a'b "],
    ['escapes', '\\" '],
    ['commas', ','],
    ['blanks', '   '],
    ['one word', 'a'],
  ])('%s', (_, piece) => {
    const stepsOf = (times: number) => {
      const { characters, steps } = countSteps(`x${piece.repeat(times)}x`)
      tokenize(characters)
      return steps() / (piece.length * times + 2)
    }
    expect(stepsOf(4000)).toBeLessThan(10)
    expect(stepsOf(4000)).toBeLessThan(stepsOf(400) * 1.1)
  })
})
