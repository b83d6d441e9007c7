import type {
  Expression,
  FieldCondition,
  RowCondition,
} from '../../../../../src/tracker/search/expression.ts'
import { kindOfOperator, positiveForm } from '../../../../../src/tracker/search/operators.ts'
import type { WorldBug } from '../world.ts'
import { testsOf } from './comparisons.ts'
import { matchesContent } from './content.ts'
import { readDate } from './dates.ts'
import { type Field, findField, type Value } from './fields.ts'
import { type Change, changesOf, testChange } from './history.ts'
import type { Sight } from './sight.ts'
import { allOfTruths, anyOfTruths, not, type Truth } from './truth.ts'

/**
 * Whether a bug fulfils an expression, as its reader sees the bug. Slow and plain: it reads the rules of
 * searches off the world in memory, to check what the database answers.
 */
export function evaluate(expression: Expression, bug: WorldBug, sight: Sight, now: number): Truth {
  switch (expression.kind) {
    case 'unknown':
      return null
    case 'all':
      return allOfTruths(expression.members.map((member) => evaluate(member, bug, sight, now)))
    case 'any':
      return anyOfTruths(expression.members.map((member) => evaluate(member, bug, sight, now)))
    case 'not':
      return not(evaluate(expression.member, bug, sight, now))
    case 'condition':
      return evaluateCondition(expression, bug, sight, now)
    case 'sameRow':
      return evaluateSameRow(expression.members, bug, sight, now)
  }
}

/** The IDs of the visible bugs for which the expression is true, in their order. */
export function findBugs(expression: Expression, sight: Sight, now: number): number[] {
  return sight.world.bugs
    .filter((bug) => sight.seesBug(bug.id) && evaluate(expression, bug, sight, now) === true)
    .map(({ id }) => id)
    .sort((a, b) => a - b)
}

function evaluateCondition(
  condition: FieldCondition,
  bug: WorldBug,
  sight: Sight,
  now: number,
): Truth {
  const { positive, isNegated } = positiveForm(condition.operator)
  const twin = { ...condition, operator: positive }
  const truth = evaluatePositive(twin, bug, sight, now)
  return isNegated ? not(truth) : truth
}

function evaluatePositive(
  condition: FieldCondition,
  bug: WorldBug,
  sight: Sight,
  now: number,
): Truth {
  if (kindOfOperator(condition.operator) === 'change') {
    const test = testChange(condition, bug, sight, now)
    return test && changesOf(condition.field, bug, sight).some(test)
  }
  if (condition.field === 'content') {
    return matchesContent(condition.values[0] ?? '', bug, sight)
  }
  if (condition.field === 'owner_idle_time') {
    return compareIdleTime(condition, bug, sight, now)
  }
  const field = findField(condition.field, sight.world)
  const tests = testsOfCondition(condition, field, bug, sight, now)
  const values = field.read(bug, sight, now)
  if (tests === null || values === null) {
    return null
  }
  return field.shape === 'set'
    ? tests.every((test) => values.some(test))
    : values.some((value) => tests.every((test) => test(value)))
}

function testsOfCondition(
  { field: name, operator, values: operands }: FieldCondition,
  field: Field,
  bug: WorldBug,
  sight: Sight,
  now: number,
) {
  return testsOf({ name, field, operator, operands, bug, sight, now })
}

/** Whether the assignee has done something on the bug since a moment: `less` has, `greater` has not. */
function compareIdleTime(
  { operator, values: [operand = ''] }: FieldCondition,
  bug: WorldBug,
  sight: Sight,
  now: number,
): Truth {
  const limit = readDate(operand, now)
  if (limit === null) {
    return null
  }
  const isActive = [...sight.comments(bug), ...sight.changes(bug)].some(
    ({ at, author }) => author === bug.assignee && at > limit,
  )
  return operator.startsWith('less') ? isActive : !isActive
}

/**
 * Tests of history hold for one change, tests of values for one value; a field with one value makes it an
 * ordinary AND. An invalid operand makes the whole unknown.
 */
function evaluateSameRow(
  members: readonly RowCondition[],
  bug: WorldBug,
  sight: Sight,
  now: number,
): Truth {
  const ofHistory = members.filter(
    ({ condition }) => kindOfOperator(condition.operator) === 'change',
  )
  const ofValues = members.filter((member) => !ofHistory.includes(member))
  return allOfTruths([
    ...(ofHistory.length === 0 ? [] : [isOneChange(ofHistory, bug, sight, now)]),
    ...(ofValues.length === 0 ? [] : [isOneValue(ofValues, bug, sight, now)]),
  ])
}

function isOneChange(
  members: readonly RowCondition[],
  bug: WorldBug,
  sight: Sight,
  now: number,
): Truth {
  const tests = members.map(({ condition, isNegated }) => {
    const test = testChange(condition, bug, sight, now)
    return test && ((change: Change) => test(change) !== isNegated)
  })
  const field = members[0]?.condition.field ?? ''
  return tests.includes(null)
    ? null
    : changesOf(field, bug, sight).some((change) => tests.every((test) => test?.(change)))
}

function isOneValue(
  members: readonly RowCondition[],
  bug: WorldBug,
  sight: Sight,
  now: number,
): Truth {
  const field = findField(members[0]?.condition.field ?? '', sight.world)
  if (field.shape === 'one') {
    return allOfTruths(
      members.map(({ condition, isNegated }) => {
        const truth = evaluateCondition(condition, bug, sight, now)
        return isNegated ? not(truth) : truth
      }),
    )
  }
  const values = field.read(bug, sight, now)
  const tests = members.map(({ condition, isNegated }) => {
    const { positive, isNegated: isNegativeOperator } = positiveForm(condition.operator)
    const twin = { ...condition, operator: positive }
    const own = testsOfCondition(twin, field, bug, sight, now)
    const isUnwanted = isNegated !== isNegativeOperator
    return own && ((value: Value) => own.every((test) => test(value)) !== isUnwanted)
  })
  return values === null || tests.includes(null)
    ? null
    : values.some((value) => tests.every((test) => test?.(value)))
}
