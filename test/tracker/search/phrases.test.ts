import { expect, test } from 'vitest'
import { neighboursIn } from '../../../src/tracker/search/compile/text-index.ts'
import type { FieldCondition, PositiveExpression } from '../../../src/tracker/search/expression.ts'
import { cutPhrases } from '../../../src/tracker/search/rewrite.ts'
import { assertSearchSize } from '../../../src/tracker/search/size.ts'
import { insertDiscussion } from '../../support/builders/discussions.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

import { get } from '../../support/client.ts'

const COMMENTS = 100

type Condition = FieldCondition<'matches'>

function content(value: string): Condition {
  const source = 'content'
  return { kind: 'condition', field: 'content', operator: 'matches', values: [value], source }
}

function valuesOf(expression: PositiveExpression): unknown {
  return expression.kind === 'all'
    ? expression.members.map(valuesOf)
    : expression.kind === 'condition' && expression.values
}

test.each([
  ['the page does not close', 'the page does not close', 5],
  ['the page does not close', 'page does', 2],
  ['the page, does not close the dialog', 'close the dialog', 3],
  ['a-b "the" c', 'the', 1],
  ['the…the…the…the of it', 'of it', 3],
  ['the…the…the…the', 'the', 3],
  ['\u{10c80}a'.repeat(5), 'a', 2],
  ['a\u{10c80} b\u{10c80}c d', 'a\u{10c80} b\u{10c80}c', 2],
  ['', '', 3],
])('%s is looked up as %s', (text, part, most) => {
  expect(neighboursIn(text, most)).toBe(part)
})

test('one phrase counts with the four neighbours that are longest', () => {
  const long = content('a-b +"to open the window of a page" c')
  expect(valuesOf(cutPhrases(long))).toEqual(['a-b +"to open the window" c'])
})

test('of many phrases each counts with two words', () => {
  const members = [content('"open the window" "to do it"'), content('-"it does not close')]
  expect(valuesOf(cutPhrases({ kind: 'all', members }))).toEqual([
    ['"the window" "to do"'],
    ['-"not close"'],
  ])
})

test.each([10, 11])('a search may have ten phrases (%i)', (count) => {
  const members = Array.from({ length: count }, (_, n) => content(`"a b${n}" c.d e`))
  const code = catchFaultCode(() => assertSearchSize({ kind: 'all', members }))
  expect(code).toBe(count === 10 ? undefined : 32000)
})

test('comments that a quicksearch finds by a phrase are not looked up by it again', async () => {
  const [word, other] = [uniqueName('sail').toLowerCase(), uniqueName('loft').toLowerCase()]
  const texts = Array.from({ length: COMMENTS }, () => `The ${word} ${other} is cold`)
  const id = await insertDiscussion('Cold', texts)
  const reader = await insertPerson()
  const search = (text: string) =>
    get(reader, `/rest/bug?include_fields=id&limit=20&quicksearch=${text}`)
  const nothing = await search(`ALL "${word} no ${other}"`)
  const found = await search(`ALL "${word} ${other}"`)
  expect([nothing.body.bugs, found.body.bugs]).toEqual([[], [{ id }]])
  expect(found.cost.read - nothing.cost.read).toBeLessThan(10 * COMMENTS)
})
