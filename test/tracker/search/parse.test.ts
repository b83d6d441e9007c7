import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { EMPTY_CONFIGURATION } from '../../../src/tracker/search/configuration.ts'
import { allOfExpressions } from '../../../src/tracker/search/expression.ts'
import { parseSearch } from '../../../src/tracker/search/parse.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { printExpression } from '../../support/print-expression.ts'

const CONFIGURATION = {
  ...EMPTY_CONFIGURATION,
  statuses: [
    { name: 'NEW', isOpen: true },
    { name: 'DONE', isOpen: false },
  ],
}

function parse(query: string) {
  const search = new URLSearchParams(query)
  const parameters = Object.fromEntries(
    [...search.keys()].map((name) => [name, search.getAll(name)]),
  )
  return parseSearch(parameters, { caller: ANONYMOUS, configuration: CONFIGURATION })
}

describe('a search', () => {
  test('needs parameters and quicksearch to hold side by side', () => {
    const { members } = parse('product=P&alias=x&quicksearch=summary:lamp')
    expect(members.length).toBeGreaterThan(2)
    const text = printExpression(allOfExpressions(members))
    expect(text).toMatch(/product/)
    expect(text).toMatch(/alias/)
    expect(text).toMatch(/short_desc~lamp/)
  })

  test('finds closed bugs by its quicksearch when a parameter is about statuses', () => {
    expect(printExpression(allOfExpressions(parse('quicksearch=summary:lamp').members))).toMatch(
      /bug_status|resolution/,
    )
    expect(
      printExpression(allOfExpressions(parse('quicksearch=summary:lamp&status=DONE').members)),
    ).not.toMatch(/NEW|resolution/)
  })

  test.each([
    ['', 1000],
    ['limit=5&order=id&nonsense=1', 1000],
    ['quicksearch=,%20,', 1000],
    ['quicksearch=%20', 1000],
    ['f1=nonsense&o1=equals&v1=x', 108],
    ['f1=product&o1=nonsense&v1=x', 32000],
    ['quicksearch="open', 32000],
  ])('%j fails with %i', (query, code) => {
    expect(catchFaultCode(() => parse(query))).toBe(code)
  })

  test.each([
    ['1', 'first_comment'],
    ['0', 'longdesc'],
  ])('with longdesc_initial=%s looks at %s', (initial, field) => {
    const { members } = parse(`longdesc=lamp&longdesc_initial=${initial}`)
    expect(printExpression(allOfExpressions(members))).toBe(`${field} allwordssubstr lamp`)
  })
})
