import type { SQL } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { visibleCommentCount } from '../access/visibility.ts'
import { bugTags } from '../db/schema/bug-sets.ts'
import type { components } from '../db/schema/components.ts'
import { fields, fieldValues } from '../db/schema/fields.ts'
import { type milestones, products as productsTable, type versions } from '../db/schema/products.ts'
import { aliasColumns, jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import {
  bugColumn,
  INDEX_RANK,
  NO_MATCH,
  personCondition,
  referenceCondition,
  type SearchCondition,
  unindexedCondition,
  valueCondition,
  valueRank,
} from './conditions.ts'
import type { OrderIndex } from './order-index.ts'

const v = aliasColumns(fieldValues, 'v')

/** What the compilation of a search depends on beside its parameters. */
export type SearchContext = {
  readonly caller: Caller
  /** Unix seconds. */
  readonly now: number
  /** The index that gives a short page in its order; null when the search reads all matches anyway. */
  readonly orderIndex: OrderIndex | null
}

/** The same for one parameter. */
export type ParameterContext = SearchContext & {
  /** Folded names of the products that the search is limited to. */
  readonly products: readonly string[]
}

/** Each text costs as much as a search of its own. */
const MOST_TEXTS = 20

export function idCondition(values: string[]): SearchCondition {
  const ids = splitAtCommas(values).filter((value) => /^\d{1,15}$/.test(value))
  return ids.length === 0
    ? NO_MATCH
    : {
        rank: INDEX_RANK.named,
        sql: (isLeading) => sql`${bugColumn('id', isLeading)} IN ${jsonList(ids.map(Number))}`,
      }
}

export function productsCondition(values: string[]): SearchCondition {
  const found = {
    select: sql`SELECT ${productsTable.id} FROM products WHERE true`,
    nameColumn: productsTable.nameFold,
    isUnique: true,
  }
  return {
    rank: INDEX_RANK.product,
    sql: (isLeading) => referenceCondition('product_id', isLeading, found, foldAll(values)),
  }
}

type PartTable = typeof components | typeof versions | typeof milestones

/** What products have parts of the same name for; in one product a name is unique. */
export function partCondition(name: string, table: PartTable, rank: number) {
  return (values: string[], { products }: ParameterContext): SearchCondition => {
    const inProducts = products.length === 0 ? sql`true` : productCondition(table, products)
    const found = {
      select: sql`SELECT ${table.id} FROM ${table} WHERE ${inProducts}`,
      nameColumn: table.nameFold,
      isUnique: products.length === 1,
    }
    return { rank, sql: (isLeading) => referenceCondition(name, isLeading, found, foldAll(values)) }
  }
}

function productCondition(table: PartTable, products: readonly string[]): SQL {
  const [only] = products
  return products.length === 1
    ? sql`${table.productId} = (SELECT ${productsTable.id} FROM products WHERE ${productsTable.nameFold} = ${only})`
    : sql`${table.productId} IN (SELECT ${productsTable.id} FROM products WHERE ${productsTable.nameFold} IN ${jsonList(products)})`
}

export function statusCondition(
  values: string[],
  { orderIndex }: ParameterContext,
): SearchCondition | null {
  const names = foldAll(values)
  if (names.includes('__all__')) {
    return null
  }
  if (!names.includes('__open__') && !names.includes('__closed__')) {
    return valueCondition('status_id', 'bug_status', names, orderIndex)
  }
  const openness = [
    ...(names.includes('__open__') ? [1] : []),
    ...(names.includes('__closed__') ? [0] : []),
  ]
  return {
    rank: valueRank(2, orderIndex),
    sql: (
      isLeading,
    ) => sql`${bugColumn('status_id', isLeading)} IN (SELECT ${v.id} FROM field_values v
      WHERE ${v.fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = 'bug_status')
        AND (${v.nameFold} IN ${jsonList(names)} OR ${v.isOpen} IN ${jsonList(openness)}))`,
  }
}

/** Exact logins, separated by commas or blanks; `%user%` is the caller. */
export function loginCondition(who: SQL, values: string[], caller: Caller): SQL {
  const names = foldAll(
    values.flatMap((value) => value.split(/[\s,]+/)).filter((name) => name !== ''),
  )
  const isSelf = (name: string) => name === '%user%' || name === '%self%'
  const logins = names.filter((name) => !isSelf(name))
  const self = names.some(isSelf) && caller.kind === 'person' ? caller.id : undefined
  return personCondition(who, logins, self)
}

export function tagCondition(values: string[], { caller }: ParameterContext): SearchCondition {
  if (caller.kind !== 'person') {
    return NO_MATCH
  }
  return {
    rank: INDEX_RANK.named,
    sql: (isLeading) => sql`${bugColumn('id', isLeading)} IN (SELECT ${bugTags.bugId} FROM bug_tags
      WHERE ${bugTags.userId} = ${caller.id} AND ${bugTags.nameFold} IN ${jsonList(foldAll(values))})`,
  }
}

export function commentCountCondition(
  values: string[],
  { caller }: ParameterContext,
): SearchCondition {
  const counts = values.filter((value) => /^\d{1,9}$/.test(value)).map(Number)
  return counts.length === 0
    ? NO_MATCH
    : unindexedCondition(sql`${visibleCommentCount(caller)} IN ${jsonList(counts)}`)
}

export function splitAtCommas(values: string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

export function foldAll(values: readonly string[]): string[] {
  return [...new Set(values.map(fold))]
}

/** The words that the search screen's names of texts look for, all of them. */
export function splitWords(values: string[]): string[] {
  return values.flatMap((value) => value.split(/[\s,]+/)).filter((word) => word !== '')
}

/** Returns the texts; throws a fault for more than 20, each of which may be looked for in every bug. */
export function assertFewTexts(texts: string[]): string[] {
  if (texts.length > MOST_TEXTS) {
    throw fault('searchTooLarge', { most: MOST_TEXTS })
  }
  return texts
}
