import { describe, expect, test } from 'vitest'
import { FIELD_CATALOGUE } from '../../../../src/tracker/fields/catalogue.ts'
import { shapeOf } from '../../../../src/tracker/search/compile/compile.ts'
import { EMPTY_CONFIGURATION } from '../../../../src/tracker/search/configuration.ts'
import { type FieldCondition, negate } from '../../../../src/tracker/search/expression.ts'
import {
  kindOfOperator,
  OPERATORS,
  type Operator,
} from '../../../../src/tracker/search/operators.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { buildRowsWorld } from '../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

const COMPARISONS = (Object.keys(OPERATORS) as Operator[]).filter(
  (operator) => !['change', 'fulltext'].includes(kindOfOperator(operator)),
)
const CUSTOM = ['freeText', 'single', 'multi', 'largeText', 'datetime', 'bugId', 'date', 'integer']
const VALUES = ['12', '2025-06-01', `"Größe' OR (x*) NOT %_[a-z`, '%user%', 'ЖЩЮ, àéîõü'.repeat(9)]

// `anything` stands for the changes of all fields
const WITH_VALUES = Object.keys(FIELD_CATALOGUE).filter((field) => field !== 'anything')

test.each(WITH_VALUES)('the compiler knows what a bug has in %s', (field) => {
  const context = {
    ...{ configuration: EMPTY_CONFIGURATION, now: 0, baseUrl: '', hidesDomains: false },
    caller: buildCaller({ id: 1, login: '' }, ['timetracking', 'insider']),
    patternMatches: new Map(),
  }
  expect(shapeOf(field, context)).toBeDefined()
})

describe('all forms of a condition agree', () => {
  test.each([...Object.keys(FIELD_CATALOGUE), ...CUSTOM.map((type) => `{${type}}`)])(
    'with every operator on %s',
    async (field) => {
      for (const [n, operator] of COMPARISONS.entries()) {
        const value = VALUES[n % VALUES.length] ?? ''
        for (const other of [value, '12']) {
          const values = operator === 'anyexact' ? [other, ...VALUES] : [other]
          await world.find('ines', world.condition(field, operator, ...values))
        }
      }
    },
  )

  test.each(['dupe_count', '{freeText}', 'longdesc', 'flagtypes.name', 'cc', 'dependson'])(
    'with many words on %s',
    async (field) => {
      // each word of letters outside ASCII is looked for in every comment
      const length = field === 'longdesc' ? 6 : 60
      const words = Array.from({ length }, (_, n) => `wörd${n}`).join(' ')
      expect(await world.find('anyone', world.condition(field, 'anywords', words))).toBe('')
      expect(await world.find('anyone', world.condition(field, 'nowords', words))).toBe('abde')
      const some = words.slice(0, 200)
      expect(await world.find('anyone', world.condition(field, 'allwords', some))).toBe('')
    },
  )

  test('with conditions that are nested', async () => {
    const crash = world.condition('longdesc', 'substring', 'the crash-report of')
    const cc = world.condition('cc', 'equals', '{bob}')
    const unknown = world.condition('dependson', 'equals', 'x')
    const find = (...members: (FieldCondition | ReturnType<typeof negate>)[]) =>
      world.find('alice', { kind: 'all', members: [{ kind: 'any', members }, cc] })
    expect(await find(crash, unknown)).toBe('a')
    expect(await find(negate(crash))).toBe('b')
    expect(await find(negate({ kind: 'all', members: [crash, unknown] }))).toBe('b')
    expect(await find(negate({ kind: 'any', members: [crash, unknown] }))).toBe('')
  })
})
