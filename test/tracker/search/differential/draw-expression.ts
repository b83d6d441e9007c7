import type { Random } from '../../../../scripts/generator/random.ts'
import { FIELD_CATALOGUE } from '../../../../src/tracker/fields/catalogue.ts'
import type { Expression, FieldCondition } from '../../../../src/tracker/search/expression.ts'
import {
  kindOfOperator,
  needsValue,
  OPERATORS,
  type Operator,
} from '../../../../src/tracker/search/operators.ts'
import { drawValue } from './draw-value.ts'
import { findField } from './evaluate/fields.ts'
import { hasRole, type Reader, type World } from './world.ts'

/** Fields that no client can name, only the parts of a search that stand for more than one condition. */
const INTERNAL_FIELDS = ['first_comment', 'defined_keyword']

const TIME_FIELDS = [
  'deadline',
  'estimated_time',
  'remaining_time',
  'work_time',
  'percentage_complete',
]

/** Counts whose history nobody can search, and fields that are known for the reader alone. */
const WITHOUT_HISTORY = [
  ...['cc_count', 'see_also_count', 'dupe_count', 'attachments.count', 'tag', 'last_visit_ts'],
  ...INTERNAL_FIELDS,
]

const ORDER: readonly Operator[] = ['lessthan', 'lessthaneq', 'greaterthan', 'greaterthaneq']

const ALL = Object.keys(OPERATORS) as Operator[]

/** The fields that the reader may search by. */
function fieldsFor(reader: Reader, world: World): string[] {
  return [
    ...Object.keys(FIELD_CATALOGUE),
    ...INTERNAL_FIELDS,
    ...world.customFields.map(({ name }) => name),
  ].filter(
    (name) =>
      (hasRole(reader, 'timetracking') || !TIME_FIELDS.includes(name)) &&
      (hasRole(reader, 'insider') || name !== 'longdescs.isprivate'),
  )
}

/** The operators that a field has. */
function operatorsOf(name: string, world: World): Operator[] {
  switch (name) {
    case 'content':
      return ['matches', 'notmatches']
    case 'owner_idle_time':
      return [...ORDER]
    case 'anything':
      return ALL.filter((operator) => kindOfOperator(operator) === 'change')
    case 'defined_keyword':
      return ['substring']
  }
  const { kind } = findField(name, world)
  const isCount = name.endsWith('.count')
  return ALL.filter((operator) => {
    switch (kindOfOperator(operator)) {
      case 'fulltext':
        return false
      case 'account':
        return kind === 'person'
      case 'change':
        return (
          !WITHOUT_HISTORY.includes(name) &&
          !(isCount && ['changedfrom', 'changedto'].includes(operator))
        )
      default:
        return true
    }
  })
}

/** Draws a tree of conditions that the reader may use, a single one as often as not. */
export function drawExpression(r: Random, world: World, reader: Reader): Expression {
  return r.chance(0.5) ? drawCondition(r, world, reader) : drawTree(r, world, reader, 3)
}

function drawTree(r: Random, world: World, reader: Reader, depth: number): Expression {
  const several = (most: number) =>
    Array.from({ length: 1 + r.below(most) }, () => drawTree(r, world, reader, depth - 1))
  const kind =
    depth === 0
      ? 'condition'
      : r.pickWeighted({ all: 3, any: 3, not: 2, sameRow: 3, condition: 4, unknown: 0.3 })
  switch (kind) {
    case 'all':
    case 'any':
      return { kind, members: several(3) }
    case 'not':
      return { kind, member: drawTree(r, world, reader, depth - 1) }
    case 'sameRow':
      return drawSameRow(r, world, reader)
    case 'unknown':
      return { kind }
    default:
      return drawCondition(r, world, reader)
  }
}

/** Conditions on one field, which is one that has rows more often than not. */
function drawSameRow(r: Random, world: World, reader: Reader): Expression {
  const fields = fieldsFor(reader, world).filter(
    (name) => !['content', 'owner_idle_time'].includes(name),
  )
  const rows = fields.filter(
    (name) => name !== 'anything' && findField(name, world).shape !== 'one',
  )
  const field = r.pick(r.chance(0.7) ? rows : fields)
  const members = Array.from({ length: 1 + r.below(3) }, () => ({
    condition: drawConditionOn(r, field, world, reader),
    isNegated: r.chance(0.3),
  }))
  return { kind: 'sameRow', members }
}

function drawCondition(r: Random, world: World, reader: Reader): FieldCondition {
  return drawConditionOn(r, r.pick(fieldsFor(reader, world)), world, reader)
}

function drawConditionOn(r: Random, field: string, world: World, reader: Reader): FieldCondition {
  return drawComparison(r, { field, operator: r.pick(operatorsOf(field, world)) }, world, reader)
}

/** Draws the values of a condition on this field with this operator. */
function drawComparison(
  r: Random,
  { field, operator }: Pick<FieldCondition, 'field' | 'operator'>,
  world: World,
  reader: Reader,
): FieldCondition {
  const count = operator === 'anyexact' ? 1 + r.below(3) : needsValue(operator) ? 1 : 0
  const values = Array.from({ length: count }, () =>
    drawValue(r, { field, operator }, world, reader),
  )
  return { kind: 'condition', field, operator, values, source: 'drawn' }
}
