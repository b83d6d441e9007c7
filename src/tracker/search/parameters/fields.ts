import { FIELD_TYPE } from '../../../platform/db/schema/fields.ts'
import { fault } from '../../../platform/faults/fault.ts'
import type { FieldName } from '../../fields/catalogue.ts'
import type { ParseContext } from '../context.ts'
import type { Expression } from '../expression.ts'
import { searchInvalid } from '../faults.ts'
import { comparesWhole, kindOfOperator, type Operator } from '../operators.ts'
import { assertMaySearchBy, requireOperator } from '../require.ts'
import { FIRST_COMMENT, findSearchField, type SearchField } from '../search-fields.ts'
import { parseComparison, splitAt } from './comparison.ts'
import { firstText, type GivenParameters } from './given.ts'

/** What the names of the API compare with, where the internal name of the field compares otherwise. */
const PUBLIC_OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['summary', 'substring'],
  ['whiteboard', 'substring'],
  ['url', 'anyexact'],
])

const OPERATORS_OF_FIELDS: ReadonlyMap<string, Operator> = new Map<FieldName, Operator>([
  ['short_desc', 'allwordssubstr'],
  ['longdesc', 'allwordssubstr'],
  ['bug_file_loc', 'allwordssubstr'],
  ['status_whiteboard', 'allwordssubstr'],
  ['keywords', 'allwords'],
  ['content', 'matches'],
  ['creation_ts', 'greaterthaneq'],
  ['delta_ts', 'greaterthaneq'],
])

/** Fields whose values may hold commas, beside those that have a list of values. */
const UNSPLIT = ['short_desc', 'status_whiteboard', 'bug_file_loc', FIRST_COMMENT.name, 'tag']
const UNSPLIT_TYPES: readonly number[] = [FIELD_TYPE.single, FIELD_TYPE.multi]
const SINGLE_VALUED = ['creation_ts', 'delta_ts']

type FieldParameter = {
  readonly field: SearchField
  readonly fallback: Operator
  /** Under all names that mean this field and compare alike. */
  readonly names: string[]
  readonly values: string[]
}

/**
 * The expressions of the parameters that are named like a field, with the operators of their
 * `_type` companions. Unknown names are ignored, as are fields that are not for the caller.
 */
export function parseFieldParameters(given: GivenParameters, context: ParseContext): Expression[] {
  return collectParameters(given, context).flatMap((parameter) => {
    const operator = findOperator(parameter, given, context) ?? parameter.fallback
    const expression = parseParameter(parameter, operator, context)
    return expression ?? []
  })
}

function collectParameters(given: GivenParameters, context: ParseContext): FieldParameter[] {
  const found = new Map<string, FieldParameter>()
  for (const [name, values] of given) {
    const field = findField(name, context)
    if (field !== undefined) {
      const fallback =
        PUBLIC_OPERATORS.get(name) ?? OPERATORS_OF_FIELDS.get(field.name) ?? 'anyexact'
      const key = `${field.name} ${fallback}`
      const { names, values: others } = found.get(key) ?? { names: [], values: [] }
      found.set(key, {
        field,
        fallback,
        names: [...names, name],
        values: [...others, ...values],
      })
    }
  }
  return [...found.values()]
}

/** The parameter `description` is no field of the search screen. */
function findField(name: string, { configuration, caller }: ParseContext): SearchField | undefined {
  return name === 'description' ? FIRST_COMMENT : findSearchField(name, configuration, caller)
}

/** The operator of a companion, preferably of that of the name which was used. */
function findOperator(
  { field, names, values }: FieldParameter,
  given: GivenParameters,
  context: ParseContext,
): Operator | undefined {
  if (values.every((value) => value === '') && field.name !== 'resolution') {
    return undefined
  }
  const companions = [...given.keys()].filter(
    (key) =>
      key.endsWith('_type') &&
      firstText(given, key) !== '' &&
      findField(key, context) === undefined &&
      findField(key.slice(0, -'_type'.length), context)?.name === field.name,
  )
  const own = companions.find((key) => names.some((name) => key === `${name}_type`))
  const companion = own ?? companions[0]
  if (companion !== undefined) {
    return requireOperator(firstText(given, companion), companion)
  }
  return field.name === 'bug_id' ? readIdType(firstText(given, 'bugidtype')) : undefined
}

/** The older companion of `bug_id`. */
function readIdType(text: string): Operator | undefined {
  switch (text.toLowerCase()) {
    case '':
      return undefined
    case 'include':
      return 'anyexact'
    case 'exclude':
      return 'nowords'
    default:
      throw fault(searchInvalid, {
        source: 'bugidtype',
        reason: `is '${text}'; it may be 'include' or 'exclude'`,
      })
  }
}

function parseParameter(
  { field, names: [source = ''], values }: FieldParameter,
  operator: Operator,
  context: ParseContext,
): Expression | null {
  const keepsBlank = field.name === 'resolution' && comparesWhole(operator)
  const texts = keepsBlank ? values : values.filter((value) => value !== '')
  if (texts.length === 0) {
    return null
  }
  assertMaySearchBy(field, context.caller)
  const counted = SINGLE_VALUED.includes(field.name) ? texts.slice(0, 1) : texts
  const elements = kindOfOperator(operator) === 'list' ? splitElements(field, counted) : counted
  return elements.includes('__all__') && field.name === 'bug_status' && operator === 'anyexact'
    ? null
    : parseComparison({ field, operator, values: elements, source })
}

function splitElements(field: SearchField, values: readonly string[]): readonly string[] {
  if (field.family === 'person' || field.family === 'people') {
    return splitAt(/[\s,]+/, values)
  }
  if (field.name === 'bug_status') {
    return values.map((value) => (/^__\w+__$/.test(value) ? value.toLowerCase() : value))
  }
  const isWhole =
    field.family === 'select' ||
    UNSPLIT.includes(field.name) ||
    (field.custom !== undefined && UNSPLIT_TYPES.includes(field.custom.type))
  return isWhole ? values : splitAt(',', values)
}
