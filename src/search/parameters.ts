import type { SQL } from 'drizzle-orm'
import { bugs } from '../db/schema/bugs.ts'
import { components } from '../db/schema/components.ts'
import {
  classifications,
  milestones,
  products as productsTable,
  versions,
} from '../db/schema/products.ts'
import { aliasColumns, allOf, jsonList, sql } from '../db/sql.ts'
import {
  bugColumn,
  containsAll,
  containsAny,
  descriptionCondition,
  type IdStream,
  INDEX_RANK,
  NO_MATCH,
  type SearchCondition,
  sinceCondition,
  summaryCondition,
  summaryWordsCondition,
  unindexedCondition,
  valueCondition,
} from './conditions.ts'
import {
  assertFewTexts,
  commentCountCondition,
  foldAll,
  idCondition,
  loginCondition,
  type ParameterContext,
  partCondition,
  productsCondition,
  type SearchContext,
  splitAtCommas,
  splitWords,
  statusCondition,
  tagCondition,
} from './parameters-conditions.ts'
import { parseSearchDate } from './relative-dates.ts'

const p = aliasColumns(productsTable, 'p')
const c = aliasColumns(classifications, 'c')

/** One search parameter: its other names, and the condition of its values; null for no condition. */
export type SearchParameter = {
  readonly aliases?: readonly string[]
  /** Blank values count; elsewhere they are dropped. */
  readonly keepsBlank?: boolean
  /** The search screen's names of this comparison; absent for equality with any value. */
  readonly operators?: readonly string[]
  readonly condition: (values: string[], context: ParameterContext) => SearchCondition | null
}

/** The simple search parameters, one row each. Reference: search.md, "Criteria". */
export const SEARCH_PARAMETERS: Readonly<Record<string, SearchParameter>> = {
  id: { aliases: ['bug_id'], condition: idCondition },
  alias: {
    condition: (values) => ({
      rank: INDEX_RANK.named,
      sql: (isLeading) =>
        sql`${bugColumn('alias_fold', isLeading)} IN ${jsonList(foldAll(splitAtCommas(values)))}`,
    }),
  },
  product: { condition: productsCondition },
  component: { condition: partCondition('component_id', components, INDEX_RANK.component) },
  classification: {
    condition: (values) =>
      unindexedCondition(sql`+${bugs.productId} IN (SELECT ${p.id} FROM classifications c
        JOIN products p ON ${p.classificationId} = ${c.id} WHERE ${c.nameFold} IN ${jsonList(foldAll(values))})`),
  },
  status: { aliases: ['bug_status'], condition: statusCondition },
  resolution: {
    keepsBlank: true,
    condition: (values, { orderIndex }) =>
      valueCondition(
        'resolution_id',
        'resolution',
        foldAll(values.map((value) => (value === '---' ? '' : value))),
        orderIndex,
      ),
  },
  type: select('type_id', 'bug_type', ['bug_type']),
  priority: select('priority_id', 'priority'),
  severity: select('severity_id', 'bug_severity', ['bug_severity']),
  platform: select('platform_id', 'rep_platform', ['rep_platform']),
  op_sys: select('op_sys_id', 'op_sys'),
  version: { condition: partCondition('version_id', versions, INDEX_RANK.part) },
  target_milestone: { condition: partCondition('milestone_id', milestones, INDEX_RANK.part) },
  summary: {
    operators: ['substring'],
    condition: (values) => summaryCondition(foldAll(assertFewTexts(values))),
  },
  whiteboard: {
    operators: ['substring'],
    condition: (values) =>
      unindexedCondition(containsAny('whiteboard_fold', foldAll(assertFewTexts(values)))),
  },
  short_desc: {
    operators: ['allwordssubstr'],
    condition: (values) => summaryWordsCondition(foldAll(assertFewTexts(splitWords(values)))),
  },
  status_whiteboard: {
    operators: ['allwordssubstr'],
    condition: (values) =>
      unindexedCondition(
        containsAll('whiteboard_fold', foldAll(assertFewTexts(splitWords(values)))),
      ),
  },
  url: {
    condition: (values) => unindexedCondition(sql`${bugs.urlFold} IN ${jsonList(foldAll(values))}`),
  },
  description: {
    condition: (values, { caller }) => descriptionCondition(assertFewTexts(values), caller),
  },
  assigned_to: person('assigned_to_id'),
  creator: person('reporter_id', ['reporter']),
  qa_contact: person('qa_contact_id'),
  triage_owner: {
    condition: (values, { caller }) => ({
      rank: INDEX_RANK.triage,
      sql: (
        isLeading,
      ) => sql`${bugColumn('component_id', isLeading)} IN (SELECT ${components.id} FROM components
        WHERE ${loginCondition(sql`${components.triageOwnerId}`, values, caller)})`,
    }),
  },
  filed_via: {
    condition: (values) =>
      unindexedCondition(sql`${bugs.filedVia} IN ${jsonList(foldAll(values))}`),
  },
  tags: { aliases: ['tag'], condition: tagCondition },
  creation_time: since('created_at', ['creation_ts']),
  last_change_time: since('changed_at', ['delta_ts']),
  'longdescs.count': {
    aliases: ['longdescs_count', 'comment_count'],
    condition: commentCountCondition,
  },
}

/** A search as a condition on bugs, and perhaps as a stream of them in the order of their IDs. */
export type CompiledSearch = { readonly condition: SQL; readonly stream: IdStream | null }

/**
 * The condition of a search: all parameters must hold, any value of one will do. Null when there is
 * none. Reference: search.md, "Criteria".
 */
export function compileSearch(
  parameters: Readonly<Record<string, string[] | undefined>>,
  context: SearchContext,
): CompiledSearch | null {
  const given = Object.entries(SEARCH_PARAMETERS).map(([name, parameter]) => ({
    name,
    parameter,
    values: valuesOf(parameters, name, parameter),
  }))
  const products = foldAll(given.find(({ name }) => name === 'product')?.values ?? [])
  const conditions = given.flatMap(({ name, parameter, values }) => {
    const condition =
      values.length === 0 ? null : parameter.condition(values, { ...context, products })
    return condition === null ? [] : [{ name, ...condition }]
  })
  const [first] = conditions.toSorted((a, b) => a.rank - b.rank)
  if (first === undefined) {
    return null
  }
  const isLeading = (condition: SearchCondition & { name: string }) =>
    condition.rank < INDEX_RANK.unindexed &&
    (condition === first || isIndexedBeside(condition.name, first.name, products))
  return {
    condition: allOf(conditions.map((condition) => condition.sql(isLeading(condition)))),
    stream: streamOf(first, conditions),
  }
}

/** The others are tested on what the first finds, bug by bug. */
function streamOf(first: SearchCondition, conditions: readonly SearchCondition[]): IdStream | null {
  const { stream } = first
  const others = conditions
    .filter((condition) => condition !== first)
    .map((condition) => condition.sql(false))
  return stream === undefined
    ? null
    : { ...stream, condition: allOf([stream.condition, ...others]) }
}

/** The values of a parameter under any of its names: trimmed, and without blank ones that mean nothing. */
export function valuesOf(
  parameters: Readonly<Record<string, string[] | undefined>>,
  name: string,
  parameter: SearchParameter,
): string[] {
  const given = [name, ...(parameter.aliases ?? [])].flatMap((key) => parameters[key] ?? [])
  const trimmed = given.map((value) => value.trim())
  return parameter.keepsBlank ? trimmed : trimmed.filter((value) => value !== '')
}

/** Whether an index holds the condition next to the leading one, so that both are looked up at once. */
function isIndexedBeside(name: string, first: string, products: readonly string[]): boolean {
  switch (name) {
    case 'status':
      return ['assigned_to', 'component', 'product', 'triage_owner'].includes(first)
    case 'creation_time':
    case 'last_change_time':
      return first === 'product' && products.length === 1
    default:
      return false
  }
}

function select(name: string, field: string, aliases: readonly string[] = []): SearchParameter {
  return {
    aliases,
    condition: (values, { orderIndex }) => valueCondition(name, field, foldAll(values), orderIndex),
  }
}

function person(name: string, aliases: readonly string[] = []): SearchParameter {
  return {
    aliases,
    condition: (values, { caller }) => ({
      rank: INDEX_RANK.person,
      sql: (isLeading) => loginCondition(bugColumn(name, isLeading), values, caller),
    }),
  }
}

function since(name: 'created_at' | 'changed_at', aliases: readonly string[]): SearchParameter {
  return {
    aliases,
    operators: ['greaterthaneq'],
    condition: ([value = ''], { now, orderIndex }) => {
      const seconds = parseSearchDate(value, now)
      return seconds === null ? NO_MATCH : sinceCondition(name, seconds, orderIndex)
    },
  }
}
