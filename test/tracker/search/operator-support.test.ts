import { describe, expect, test } from 'vitest'
import { FIELD_CATALOGUE } from '../../../src/tracker/fields/catalogue.ts'
import { OPERATORS, type Operator } from '../../../src/tracker/search/operators.ts'
import { assertOperatorFits, requireOperator } from '../../../src/tracker/search/require.ts'
import { findSearchField } from '../../../src/tracker/search/search-fields.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { CONFIGURATION, TRACKER } from '../../support/search/parse-query.ts'

const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[]

const HISTORY = 'everchanged changedbefore changedafter changedfrom changedto changedby'.split(' ')
const ACCOUNT = 'isdisabled isnotdisabled'.split(' ')
const FULLTEXT = 'matches notmatches'.split(' ')
const ORDER = 'lessthan lessthaneq greaterthan greaterthaneq'.split(' ')
const PLAIN = OPERATOR_NAMES.filter((name) => ![...HISTORY, ...ACCOUNT, ...FULLTEXT].includes(name))
const COUNT_HISTORY = HISTORY.filter((name) => !['changedfrom', 'changedto'].includes(name))

/** The operators that a field has, and those that are refused with another fault than 32000. */
function findOperators(name: string): { fitting: string[]; others: (number | undefined)[] } {
  const field = findSearchField(name, CONFIGURATION, TRACKER)
  const codes = OPERATOR_NAMES.map((operator) => ({
    operator,
    code: catchFaultCode(() => {
      if (field !== undefined) {
        assertOperatorFits(field, operator, 'o1')
      }
      return undefined
    }),
  }))
  return {
    fitting: codes.filter(({ code }) => code === undefined).map(({ operator }) => operator),
    others: [...new Set(codes.map(({ code }) => code))].filter(
      (code) => code !== undefined && code !== 32000,
    ),
  }
}

describe('the operators of a field', () => {
  test.each([
    ['short_desc', [...PLAIN, ...HISTORY]],
    ['bug_status', [...PLAIN, ...HISTORY]],
    ['bug_id', [...PLAIN, ...HISTORY]],
    ['everconfirmed', [...PLAIN, ...HISTORY]],
    ['delta_ts', [...PLAIN, ...HISTORY]],
    ['keywords', [...PLAIN, ...HISTORY]],
    ['longdesc', [...PLAIN, ...HISTORY]],
    ['cf_multi', [...PLAIN, ...HISTORY]],
    ['assigned_to', [...PLAIN, ...ACCOUNT, ...HISTORY]],
    ['cc', [...PLAIN, ...ACCOUNT, ...HISTORY]],
    ['setters.login_name', [...PLAIN, ...ACCOUNT, ...HISTORY]],
    ['longdescs.count', [...PLAIN, ...HISTORY]],
    ['keywords.count', [...PLAIN, ...COUNT_HISTORY]],
    ['attachments.count', [...PLAIN, ...COUNT_HISTORY]],
    ['content', FULLTEXT],
    ['owner_idle_time', ORDER],
    ['anything', HISTORY],
  ])('are those that can be answered: %s', (name, operators) => {
    const { fitting, others } = findOperators(name)
    expect(fitting.toSorted()).toEqual(operators.toSorted())
    expect(others).toEqual([])
  })

  test.each(['cc_count', 'see_also_count', 'dupe_count'])(
    'leave out the history of a number that has none, with 108: %s',
    (name) => {
      const { fitting, others } = findOperators(name)
      expect(fitting.toSorted()).toEqual(PLAIN.toSorted())
      expect(others).toEqual([108])
    },
  )

  test('exist for every field', () => {
    const without = Object.keys(FIELD_CATALOGUE).filter(
      (name) => name !== 'longdescs.isprivate' && findOperators(name).fitting.length === 0,
    )
    expect(without).toEqual([])
  })
})

describe('requireOperator', () => {
  test('knows operators by their names and synonyms, whose case counts', () => {
    expect(requireOperator('substr', 'o1')).toBe('substring')
    expect(requireOperator('exact', 'o1')).toBe('equals')
    expect(catchFaultCode(() => requireOperator('Equals', 'o1'))).toBe(32000)
    expect(catchFaultCode(() => requireOperator('constructor', 'o1'))).toBe(32000)
  })

  test('names all operators when it refuses', () => {
    const all = OPERATOR_NAMES.join(', ')
    expect(() => requireOperator('like', 'o1')).toThrow(
      `o1 is 'like', which is no operator; these are: ${all}.`,
    )
  })
})
