import type { SQL } from 'drizzle-orm'
import { selectableProductCondition } from '../../platform/access/visibility.ts'
import { type ExpressionSelect, readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { components, milestones, products, versions } from '../../platform/db/schema/products.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { aliasColumns, jsonRows, sql } from '../../platform/db/sql.ts'
import { type Fault, fault, invalidParameter } from '../../platform/faults/fault.ts'
import { LIST_COLUMNS } from '../fields/names.ts'
import { shapeOf } from './compile/compile.ts'
import { comparableOf, foldFor, type TextOperand } from './compile/operand.ts'
import { sourceOfShape } from './compile/row-values.ts'
import type { NamedSource, ValueSource } from './compile/value-source.ts'
import { wordsOf } from './compile/value-test.ts'
import { WORD_OF_ROW, wholeWord, wholeWordCondition } from './compile/whole-word.ts'
import type { CompileContext, SearchParameters } from './context.ts'
import {
  conditionsOf,
  type FieldCondition,
  membersOf,
  type PositiveExpression,
} from './expression.ts'
import { searchFieldUnknown } from './faults.ts'
import { comparesWhole, kindOfOperator } from './operators.ts'
import { isSearchParameter, listUnknownParameters } from './parameters/parse.ts'
import { listWithoutEffect } from './parameters/without-effect.ts'
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
  const ignored = listWithoutEffect(parameters).map(({ source, missing }) => ({
    source,
    fault: invalidParameter(source, `has no effect without '${missing}'`),
  }))
  return [...fields, ...values, ...ignored].slice(0, MAX_NAMED)
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
  if (kindOfOperator(condition.operator) === 'pattern') {
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
  const isOrder = kindOfOperator(condition.operator) === 'order'
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

/** A condition on names, and those of them that are looked up. */
type NamedCondition = {
  readonly condition: FieldCondition
  readonly source: NamedSource
  readonly operand: TextOperand
  /** How its names are compared. */
  readonly by: 'part' | 'whole' | 'words' | 'change'
  readonly names: readonly string[]
}

/** A name that nothing has, and the place of the condition that names it. */
type UnknownName = { readonly place: number; readonly value: string }

/** Finds the names in a search that nothing within reach of the caller has. Hidden and missing names are told alike. */
export type NameCheck = {
  /** Finds them all, for a search that found nothing: a round trip where it names anything. */
  readonly findAll: () => Promise<Misunderstood[]>
  /** Reads, beside what a search finds, names in which it may find nothing and yet find bugs. */
  readonly select: ExpressionSelect<UnknownName> | undefined
  /** Explains what `select` read, unless one of the bugs that are shown has the name. */
  readonly explain: (
    unknown: readonly UnknownName[] | undefined,
    shown: readonly Readonly<Record<string, unknown>>[],
  ) => Misunderstood[]
}

/** Checks the names in a search, such as a product with a slip of the keyboard, and parts of names. */
export function checkNames(
  ctx: SessionHolder,
  expression: PositiveExpression,
  context: CompileContext,
): NameCheck {
  const needed = new Set(neededConditions(expression))
  const all = conditionsOf(expression)
    .flatMap((condition) => namedCondition(condition, needed.has(condition), context) ?? [])
    .slice(0, MAX_NAMED)
  // where one that everything found must meet is about a single name, nothing is found unless it exists
  const alone: ReadonlySet<FieldCondition | null> = new Set(
    membersOf(expression).map((one) => (one.kind === 'condition' ? one : null)),
  )
  const beside = all.filter(
    ({ condition, by }) => by === 'whole' && (condition.values.length > 1 || !alone.has(condition)),
  )
  return {
    async findAll() {
      const select = selectUnknown(all, context)
      const { unknown } = await readBatch(ctx, { unknown: select })
      return (unknown ?? []).flatMap((name) => explainName(all, name))
    },
    select: selectUnknown(beside, context),
    explain: (unknown = [], shown) =>
      unknown
        .filter((name) => !isShown(beside, name, shown))
        .flatMap((name) => explainName(beside, name)),
  }
}

/** Of history, which keeps the names of what was renamed or removed, only the present is told: bugs may be hidden. */
const REASONS: Readonly<Record<NamedCondition['by'], string>> = {
  part: 'stands in no name',
  whole: 'does not exist',
  words: 'does not exist',
  change: 'does not exist any more, if it ever did',
}

function explainName(
  checked: readonly NamedCondition[],
  { place, value }: UnknownName,
): Misunderstood[] {
  const { condition, by } = checked[place] ?? {}
  return condition === undefined || by === undefined
    ? []
    : [misunderstood(condition, `names '${value.slice(0, MAX_LENGTH)}', which ${REASONS[by]}`)]
}

/** A caller may see bugs of a product that is out of reach otherwise. */
function isShown(
  checked: readonly NamedCondition[],
  { place, value }: UnknownName,
  shown: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const { condition, operand } = checked[place] ?? {}
  return (
    condition !== undefined &&
    operand !== undefined &&
    shown.some((bug) => {
      const name = bug[condition.field]
      return typeof name === 'string' && foldFor(operand, name) === foldFor(operand, value)
    })
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

/** Null where its values are no names. */
function namedCondition(
  condition: FieldCondition,
  isNeeded: boolean,
  context: CompileContext,
): NamedCondition | null {
  const { field, operator, values } = condition
  const isOfProduct = Object.hasOwn(PRODUCTS, field)
  const isNamed =
    isOfProduct || PUBLIC_FIELDS.includes(field) || context.configuration.customFields.has(field)
  const source = isNamed ? sourceOf(condition, context) : undefined
  if (source?.kind !== 'named' || source.operand.kind !== 'text') {
    return null
  }
  const { operand, special } = source
  const named = { condition, source, operand }
  if (operator === 'substring') {
    return isNeeded ? { ...named, by: 'part', names: values } : null
  }
  const plain = values.filter((value) => value !== '' && special?.(value) === undefined)
  if (comparesWhole(operator)) {
    return { ...named, by: 'whole', names: plain }
  }
  if (operator === 'changedfrom' || operator === 'changedto') {
    const hasOneValue = isOfProduct || Object.hasOwn(LIST_COLUMNS, field)
    return hasOneValue ? { ...named, by: 'change', names: plain } : null
  }
  return !isOfProduct && (operator === 'anywords' || operator === 'allwords')
    ? { ...named, by: 'words', names: wordsOf(values) }
    : null
}

/** Selects the names that nothing has. */
function selectUnknown(
  checked: readonly NamedCondition[],
  context: CompileContext,
): ExpressionSelect<UnknownName> | undefined {
  const rows = checked.flatMap(({ operand, names }, place) =>
    names
      .slice(0, MAX_NAMED)
      .map((value) => ({ place, value, ...wholeWord(foldFor(operand, value)) })),
  )
  const tests = checked.map(
    (named, place) => sql`WHEN ${sql.raw(String(place))} THEN ${existsCondition(named, context)}`,
  )
  return rows.length === 0
    ? undefined
    : selectOf(
        { place: sql<number>`r.value ->> 'place'`, value: sql<string>`r.value ->> 'value'` },
        sql`FROM ${jsonRows(rows)}
          WHERE NOT CASE r.value ->> 'place' ${sql.join(tests, sql` `)} END`,
      )
}

/** The condition that something within reach has the name of a row. */
function existsCondition(
  { condition: { field }, source: { from, where }, operand, by }: NamedCondition,
  { caller }: CompileContext,
): SQL {
  const product = Object.hasOwn(PRODUCTS, field) ? PRODUCTS[field] : undefined
  const isWithinReach =
    product === undefined
      ? sql`1`
      : sql`EXISTS (SELECT 1 FROM products WHERE ${products.id} = ${product}
          AND ${selectableProductCondition(caller)})`
  const named = (test: SQL) => sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where ?? sql`1`}
    AND ${test} AND ${isWithinReach})`
  const isName = named(sql`${operand.folded} = ${WORD_OF_ROW.word}`)
  const isInName = named(
    by === 'part'
      ? sql`instr(${operand.folded}, ${WORD_OF_ROW.word}) > 0`
      : wholeWordCondition(operand.folded, WORD_OF_ROW),
  )
  // an index finds the name, and seldom is a text only a part of one
  return by === 'whole' || by === 'change' ? isName : sql`(${isName} OR ${isInName})`
}
