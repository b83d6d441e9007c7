import { expect, test } from 'vitest'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import { conditionsOf } from '../../../../src/tracker/search/expression.ts'
import { printExpression } from '../../../support/print-expression.ts'
import { parse } from '../../../support/quicksearch.ts'

const SEED = 20_260
const TEXTS = 4000
const MAX_PIECES = 40

const PIECES = [
  ...'"\'\\-|,:=!<>?+#@[]()&%/. \t\u00a0',
  ...['\0', '\udc00', '\udc01', '🙂', 'ß', 'İ', '__proto__', 'constructor', 'toString'],
  ...[' AND ', ' OR ', ' NOT ', ' ALL ', 'OPEN', 'FIX', 'NEW+', '++comments', '--description'],
  ...['summary', 'status', 'resolution', 'flag', 'content', 'owner_idle_time', 'deadline'],
  ...['com', 'a', 'cf_', 'build', 'P1', 'P2-4', 'p99', 'x', '12', '""', '---', '%user%', '//'],
]

/** Numbers below a bound, the same ones in every run. */
function drawNumbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

function drawTexts(): string[] {
  const draw = drawNumbers(SEED)
  return Array.from({ length: TEXTS }, () =>
    Array.from({ length: 1 + draw(MAX_PIECES) }, () => PIECES[draw(PIECES.length)] ?? '').join(''),
  )
}

test('a quicksearch of any characters is parsed or refused with 108, 1000 or 32000', () => {
  const outcomes = { parsed: 0, 108: 0, 1000: 0, 32000: 0 }
  for (const text of drawTexts()) {
    try {
      const { expression } = parse(text)
      expect(printExpression(expression)).not.toBe('FALSE')
      for (const { operator, values } of conditionsOf(expression)) {
        const isPresence = operator === 'isempty' || operator === 'isnotempty'
        expect(isPresence ? values : values.every((value) => value === value.trim())).toEqual(
          isPresence ? [] : true,
        )
        expect(values.filter((value) => value === '')).toEqual([])
      }
      outcomes.parsed += 1
    } catch (error) {
      if (!(error instanceof Fault) || !(error.code in outcomes)) {
        throw new Error(`${JSON.stringify(text)} fails`, { cause: error })
      }
      outcomes[error.code as keyof typeof outcomes] += 1
    }
  }
  // each outcome is reached, so that the texts are no nonsense alone
  expect(Object.values(outcomes).every((times) => times > 3)).toBe(true)
})

test('quotes make any text one plain word', () => {
  for (const text of drawTexts()) {
    const quoted = `"${text.replaceAll('\\', '').replaceAll('"', '')}"`
    const words = quoted.slice(1, -1).trim()
    if (words !== '') {
      const values = conditionsOf(parse(`ALL ${quoted}`).expression).flatMap(({ values }) => values)
      expect(new Set(values)).toEqual(new Set([words, `"${words}"`]))
    }
  }
})
