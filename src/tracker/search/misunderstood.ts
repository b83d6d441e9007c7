import type { SQL } from 'drizzle-orm'
import { selectableProductCondition } from '../../platform/access/visibility.ts'
import { type ExpressionSelect, readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { components, milestones, products, versions } from '../../platform/db/schema/products.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { aliasColumns, jsonRows, sql } from '../../platform/db/sql.ts'
import { type Fault, fault, invalidParameter } from '../../platform/faults/fault.ts'
import { LIST_COLUMNS } from '../fields/names.ts'
import { shapeOf } from './compile/compile.ts'
import { comparableOf, foldFor } from './compile/operand.ts'
import { sourceOfShape } from './compile/row-values.ts'
import type { ValueSource } from './compile/value-source.ts'
import { wordsOf } from './compile/value-test.ts'
import { WORD_OF_ROW, wholeWord, wholeWordCondition } from './compile/whole-word.ts'
import type { CompileContext, SearchParameters } from './context.ts'
import { conditionsOf, type FieldCondition, type PositiveExpression } from './expression.ts'
import { searchFieldUnknown } from './faults.ts'
import { comparesWhole, kindOf } from './operators.ts'
import { isSearchParameter, listUnknownParameters } from './parameters/parse.ts'
import { parseSearchDate } from './relative-dates.ts'

/** What a search names that means nothing: it finds no bug by it, and says so. */
export type Misunderstood = {
  /** The parameter that names it. */
  readonly source: string
  readonly fault: Fault
}

const MAX_NAMED = 20
const MAX_LENGTH = 100

/** What can be told without a look at the database. */
export function listMisunderstood(
  parameters: SearchParameters,
  expression: PositiveExpression,
  context: CompileContext,
): Misunderstood[] {
  const fields = listUnknownParameters(parameters, context)
    .filter(isSearchParameter)
    .map((name) => ({
      source: name,
      fault: fault(searchFieldUnknown, { source: 'A parameter', name, hint: '' }),
    }))
  const values = conditionsOf(expression).flatMap((condition) =>
    listUnreadable(condition, context).map(({ value, what }) =>
      misunderstood(condition, `has '${value.slice(0, MAX_LENGTH)}', which is no ${what}`),
    ),
  )
  return [...fields, ...values].slice(0, MAX_NAMED)
}

function misunderstood(condition: FieldCondition, reason: string): Misunderstood {
  // of a quicksearch, the part follows
  const [source = ''] = condition.source.split(' ')
  return { source, fault: invalidParameter(source, reason) }
}

function listUnreadable(
  condition: FieldCondition,
  context: CompileContext,
): { value: string; what: string }[] {
  const [pattern = ''] = condition.values
  if (kindOf(condition.operator) === 'pattern') {
    return context.patternMatches.has(condition)
      ? []
      : [{ value: pattern, what: 'regular expression that can be used' }]
  }
  if (condition.operator === 'changedafter' || condition.operator === 'changedbefore') {
    return condition.values
      .filter((value) => value !== '' && parseSearchDate(value, context.now) === null)
      .map((value) => ({ value, what: 'date' }))
  }
  const source = sourceOf(condition, context)
  const isOrder = kindOf(condition.operator) === 'order'
  if (source?.kind !== 'own' || source.operand.kind === 'text') {
    return []
  }
  const { operand } = source
  return isOrder || comparesWhole(condition.operator)
    ? condition.values
        .filter((value) => value !== '' && comparableOf(operand, value, context.now) === null)
        .map((value) => ({ value, what: operand.kind }))
    : []
}

function sourceOf({ field }: FieldCondition, context: CompileContext): ValueSource | undefined {
  const shape = shapeOf(field, context)
  if (shape === undefined || shape.shape === 'special') {
    return undefined
  }
  return sourceOfShape(shape)
}

const p = aliasColumns(products, 'p')
const c = aliasColumns(components, 'c')
const s = aliasColumns(versions, 's')
const m = aliasColumns(milestones, 'm')

/** The fields whose names exist within products, with the product: of hidden ones nobody learns. */
const PRODUCTS: Readonly<Record<string, SQL>> = {
  product: p.id,
  classification: p.id,
  component: c.productId,
  version: s.productId,
  target_milestone: m.productId,
}

/** The fields whose names everybody may know. */
const PUBLIC_FIELDS: readonly string[] = [...Object.keys(LIST_COLUMNS), 'keywords']

/**
 * The names in a search, and parts of names, that nothing within reach of the caller has, such as a product with a slip
 * of the keyboard. Hidden names and missing ones are told alike. For a search that found nothing: costs a round trip
 * where it names anything.
 */
export async function findUnknownNames(
  ctx: SessionHolder,
  expression: PositiveExpression,
  context: CompileContext,
): Promise<Misunderstood[]> {
  const needed = new Set(neededConditions(expression))
  const wanted = conditionsOf(expression)
    .flatMap((condition) => {
      const isPart = condition.operator === 'substring' && needed.has(condition)
      const select = selectUnknown(condition, context, isPart)
      const reason = isPart ? 'stands in no name' : 'does not exist'
      return select === null ? [] : [{ condition, select, reason }]
    })
    .slice(0, MAX_NAMED)
  if (wanted.length === 0) {
    return []
  }
  const read = await readBatch(
    ctx,
    Object.fromEntries(wanted.map(({ select }, index) => [index, select])),
  )
  return wanted.flatMap(({ condition, reason }, index) =>
    (read[index] ?? []).map(({ value }) =>
      misunderstood(condition, `names '${value.slice(0, MAX_LENGTH)}', which ${reason}`),
    ),
  )
}

/** Those that hold of every bug found, or several of one field of which one does: a plain word names no field. */
function neededConditions(expression: PositiveExpression): FieldCondition[] {
  switch (expression.kind) {
    case 'condition':
      return [expression]
    case 'all':
      return expression.members.flatMap(neededConditions)
    case 'any': {
      const { members } = expression
      const fields = new Set(members.map((one) => (one.kind === 'condition' ? one.field : null)))
      return fields.size === 1 ? members.flatMap(neededConditions) : []
    }
    default:
      return []
  }
}

function selectUnknown(
  condition: FieldCondition,
  context: CompileContext,
  isPart: boolean,
): ExpressionSelect<{ value: string }> | null {
  const { field, operator, values } = condition
  const product = Object.hasOwn(PRODUCTS, field) ? PRODUCTS[field] : undefined
  const isNamed =
    product !== undefined ||
    PUBLIC_FIELDS.includes(field) ||
    context.configuration.customFields.has(field)
  const source = isNamed ? sourceOf(condition, context) : undefined
  if (source?.kind !== 'named' || source.operand.kind !== 'text') {
    return null
  }
  const { from, where, operand, special } = source
  const isWords = product === undefined && (operator === 'anywords' || operator === 'allwords')
  const isWhole = comparesWhole(operator)
  const names = isPart
    ? values
    : isWhole
      ? values.filter((value) => value !== '' && special?.(value) === undefined)
      : wordsOf(isWords ? values : [])
  const rows = names
    .slice(0, MAX_NAMED)
    .map((value) => ({ value, ...wholeWord(foldFor(operand, value)) }))
  const isWithinReach =
    product === undefined
      ? sql`1`
      : sql`EXISTS (SELECT 1 FROM products WHERE ${products.id} = ${product}
          AND ${selectableProductCondition(context.caller)})`
  const named = (test: SQL) => sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where ?? sql`1`}
    AND ${test} AND ${isWithinReach})`
  const isName = named(sql`${operand.folded} = ${WORD_OF_ROW.word}`)
  const isInName = named(
    isPart
      ? sql`instr(${operand.folded}, ${WORD_OF_ROW.word}) > 0`
      : wholeWordCondition(operand.folded, WORD_OF_ROW),
  )
  return rows.length === 0
    ? null
    : selectOf(
        { value: sql<string>`r.value ->> 'value'` },
        // an index finds the name, and seldom is a text only a part of one
        sql`FROM ${jsonRows(rows)} WHERE NOT ${isWhole ? isName : sql`(${isName} OR ${isInName})`}`,
      )
}
