import { expect, test } from 'vitest'
import { takeSwitches } from '../../../../src/tracker/search/quicksearch/operands.ts'
import { textOf, tokenize } from '../../../../src/tracker/search/quicksearch/tokenize.ts'

test.each([
  ['a', true, false, ['a']],
  ['--comments a', false, false, ['a']],
  ['a --comment b', false, false, ['a', 'b']],
  ['--comments a ++Comments', true, false, ['a']],
  ['++description a', true, true, ['a']],
  ['++description a --description', true, false, ['a']],
  ['--comments ++description', false, true, []],
  ['"--comments" ++commentsx', true, false, ['--comments', '++commentsx']],
  ['++comment:x', true, false, ['++comment:x']],
])('%s searches comments %s, descriptions %s', (text, comments, description, words) => {
  const taken = takeSwitches(tokenize(text))
  expect(taken.switches).toEqual({ comments, description })
  expect(taken.words.map(textOf)).toEqual(words)
})
