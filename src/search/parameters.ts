import type { SQL } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { visibleCommentCount } from '../access/visibility.ts'
import { allOf, jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import {
  column,
  containsAll,
  containsAny,
  descriptionTerm,
  isOneOf,
  NEVER,
  RANK,
  refersTo,
  type Stream,
  sinceTerm,
  summaryTerm,
  summaryWordsTerm,
  type Term,
  tested,
  valueRank,
  valueTerm,
  type Walk,
} from './conditions.ts'
import { searchMoment } from './relative-dates.ts'

/** What compiling a search may ask about the call. */
export type Asking = {
  readonly caller: Caller
  /** Unix seconds. */
  readonly now: number
  /** The order in which a short page is wanted; null when all matches are looked at anyway. */
  readonly walk: Walk | null
}

type Asked = Asking & {
  /** Folded names of the products that the search is limited to. */
  readonly products: readonly string[]
}

/** One search parameter: its other names, and what its values mean. Null means nothing was asked. */
export type Criterion = {
  readonly aliases?: readonly string[]
  /** Blank values count; elsewhere they are dropped. */
  readonly keepsBlank?: boolean
  /** What the search screen calls the comparison made here; absent for equality with any value. */
  readonly operators?: readonly string[]
  readonly term: (values: string[], asked: Asked) => Term | null
}

/** More texts to look for make one search as dear as many. */
const MOST_TEXTS = 20

/** The simple parameters of the contract's search table, one row each. */
export const CRITERIA: Readonly<Record<string, Criterion>> = {
  id: { aliases: ['bug_id'], term: byId },
  alias: {
    term: (values) => ({
      rank: RANK.named,
      sql: (leads) => sql`${column('alias_fold', leads)} IN ${jsonList(folds(commas(values)))}`,
    }),
  },
  product: { term: byProduct },
  component: { term: byPart('component_id', 'components', RANK.component) },
  classification: {
    term: (values) =>
      tested(sql`+bugs.product_id IN (SELECT p.id FROM classifications c
        JOIN products p ON p.classification_id = c.id WHERE c.name_fold IN ${jsonList(folds(values))})`),
  },
  status: { aliases: ['bug_status'], term: byStatus },
  resolution: {
    keepsBlank: true,
    term: (values, { walk }) =>
      valueTerm(
        'resolution_id',
        'resolution',
        folds(values.map((value) => (value === '---' ? '' : value))),
        walk,
      ),
  },
  type: select('type_id', 'bug_type', ['bug_type']),
  priority: select('priority_id', 'priority'),
  severity: select('severity_id', 'bug_severity', ['bug_severity']),
  platform: select('platform_id', 'rep_platform', ['rep_platform']),
  op_sys: select('op_sys_id', 'op_sys'),
  version: { term: byPart('version_id', 'versions', RANK.part) },
  target_milestone: { term: byPart('milestone_id', 'milestones', RANK.part) },
  summary: { operators: ['substring'], term: (values) => summaryTerm(folds(few(values))) },
  whiteboard: {
    operators: ['substring'],
    term: (values) => tested(containsAny('whiteboard_fold', folds(few(values)))),
  },
  short_desc: {
    operators: ['allwordssubstr'],
    term: (values) => summaryWordsTerm(folds(few(wordsOf(values)))),
  },
  status_whiteboard: {
    operators: ['allwordssubstr'],
    term: (values) => tested(containsAll('whiteboard_fold', folds(few(wordsOf(values))))),
  },
  url: { term: (values) => tested(sql`bugs.url_fold IN ${jsonList(folds(values))}`) },
  description: { term: (values, { caller }) => descriptionTerm(few(values), caller) },
  assigned_to: person('assigned_to_id'),
  creator: person('reporter_id', ['reporter']),
  qa_contact: person('qa_contact_id'),
  triage_owner: {
    term: (values, { caller }) => ({
      rank: RANK.triage,
      sql: (leads) => sql`${column('component_id', leads)} IN (SELECT id FROM components
        WHERE ${among(sql`triage_owner_id`, values, caller)})`,
    }),
  },
  filed_via: { term: (values) => tested(sql`bugs.filed_via IN ${jsonList(folds(values))}`) },
  tags: { aliases: ['tag'], term: byTag },
  creation_time: since('created_at', ['creation_ts']),
  last_change_time: since('changed_at', ['delta_ts']),
  'longdescs.count': { aliases: ['longdescs_count', 'comment_count'], term: byCommentCount },
}

/** A search as a condition on bugs, and perhaps as a stream of them in the order of their IDs. */
export type Compiled = { readonly condition: SQL; readonly stream: Stream | null }

/**
 * The condition of a search: all parameters must hold, any value of one will do. Null when nothing was
 * asked. Contract "Bugs", Search Bugs.
 */
export function compileCriteria(
  parameters: Readonly<Record<string, string[] | undefined>>,
  asking: Asking,
): Compiled | null {
  const given = Object.entries(CRITERIA).map(([name, criterion]) => ({
    name,
    criterion,
    values: valuesOf(parameters, name, criterion),
  }))
  const products = folds(given.find(({ name }) => name === 'product')?.values ?? [])
  const terms = given.flatMap(({ name, criterion, values }) => {
    const term = values.length === 0 ? null : criterion.term(values, { ...asking, products })
    return term === null ? [] : [{ name, ...term }]
  })
  const [first] = terms.toSorted((a, b) => a.rank - b.rank)
  if (first === undefined) {
    return null
  }
  const leads = (term: Term & { name: string }) =>
    term.rank < RANK.unindexed && (term === first || assists(term.name, first.name, products))
  return {
    condition: allOf(terms.map((term) => term.sql(leads(term)))),
    stream: streamOf(first, terms),
  }
}

/** The others are tested on what the first finds, bug by bug. */
function streamOf(first: Term, terms: readonly Term[]): Stream | null {
  const { stream } = first
  const others = terms.filter((term) => term !== first).map((term) => term.sql(false))
  return stream === undefined
    ? null
    : { ...stream, condition: allOf([stream.condition, ...others]) }
}

/** The values of a criterion under any of its names: trimmed, and without blank ones that mean nothing. */
export function valuesOf(
  parameters: Readonly<Record<string, string[] | undefined>>,
  name: string,
  criterion: Criterion,
): string[] {
  const given = [name, ...(criterion.aliases ?? [])].flatMap((key) => parameters[key] ?? [])
  const trimmed = given.map((value) => value.trim())
  return criterion.keepsBlank ? trimmed : trimmed.filter((value) => value !== '')
}

/** Whether an index holds the term next to the leading one, so that both are looked up at once. */
function assists(name: string, first: string, products: readonly string[]): boolean {
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

function byId(values: string[]): Term {
  const ids = commas(values).filter((value) => /^\d{1,15}$/.test(value))
  return ids.length === 0
    ? NEVER
    : {
        rank: RANK.named,
        sql: (leads) => sql`${column('id', leads)} IN ${jsonList(ids.map(Number))}`,
      }
}

function byProduct(values: string[]): Term {
  const found = {
    select: sql`SELECT id FROM products WHERE true`,
    nameColumn: 'name_fold',
    isUnique: true,
  }
  return {
    rank: RANK.product,
    sql: (leads) => refersTo('product_id', leads, found, folds(values)),
  }
}

/** What products have parts of the same name for; in one product a name is unique. */
function byPart(name: string, table: string, rank: number) {
  return (values: string[], { products }: Asked): Term => {
    const inProducts = products.length === 0 ? sql`true` : refersToProducts(products)
    const found = {
      select: sql`SELECT part.id FROM ${sql.raw(table)} part WHERE ${inProducts}`,
      nameColumn: 'part.name_fold',
      isUnique: products.length === 1,
    }
    return { rank, sql: (leads) => refersTo(name, leads, found, folds(values)) }
  }
}

function refersToProducts(products: readonly string[]): SQL {
  const [only] = products
  return products.length === 1
    ? sql`part.product_id = (SELECT id FROM products WHERE name_fold = ${only})`
    : sql`part.product_id IN (SELECT id FROM products WHERE name_fold IN ${jsonList(products)})`
}

function byStatus(values: string[], { walk }: Asked): Term | null {
  const wanted = folds(values)
  if (wanted.includes('__all__')) {
    return null
  }
  if (!wanted.includes('__open__') && !wanted.includes('__closed__')) {
    return valueTerm('status_id', 'bug_status', wanted, walk)
  }
  const openness = [
    ...(wanted.includes('__open__') ? [1] : []),
    ...(wanted.includes('__closed__') ? [0] : []),
  ]
  return {
    rank: valueRank(2, walk),
    sql: (leads) => sql`${column('status_id', leads)} IN (SELECT v.id FROM field_values v
      WHERE v.field_id = (SELECT id FROM fields WHERE name = 'bug_status')
        AND (v.name_fold IN ${jsonList(wanted)} OR v.is_open IN ${jsonList(openness)}))`,
  }
}

function select(name: string, field: string, aliases: readonly string[] = []): Criterion {
  return { aliases, term: (values, { walk }) => valueTerm(name, field, folds(values), walk) }
}

function person(name: string, aliases: readonly string[] = []): Criterion {
  return {
    aliases,
    term: (values, { caller }) => ({
      rank: RANK.person,
      sql: (leads) => among(column(name, leads), values, caller),
    }),
  }
}

/** Exact logins, separated by commas or blanks; `%user%` is the caller. */
function among(who: SQL, values: string[], caller: Caller): SQL {
  const names = folds(
    values.flatMap((value) => value.split(/[\s,]+/)).filter((name) => name !== ''),
  )
  const isSelf = (name: string) => name === '%user%' || name === '%self%'
  const logins = names.filter((name) => !isSelf(name))
  const self = names.some(isSelf) && caller.kind === 'person' ? caller.id : undefined
  return isOneOf(who, logins, self)
}

function byTag(values: string[], { caller }: Asked): Term {
  if (caller.kind !== 'person') {
    return NEVER
  }
  return {
    rank: RANK.named,
    sql: (leads) => sql`${column('id', leads)} IN (SELECT bug_id FROM bug_tags
      WHERE user_id = ${caller.id} AND name_fold IN ${jsonList(folds(values))})`,
  }
}

function since(name: 'created_at' | 'changed_at', aliases: readonly string[]): Criterion {
  return {
    aliases,
    operators: ['greaterthaneq'],
    term: ([value = ''], { now, walk }) => {
      const seconds = searchMoment(value, now)
      return seconds === null ? NEVER : sinceTerm(name, seconds, walk)
    },
  }
}

function byCommentCount(values: string[], { caller }: Asked): Term {
  const counts = values.filter((value) => /^\d{1,9}$/.test(value)).map(Number)
  return counts.length === 0
    ? NEVER
    : tested(sql`${visibleCommentCount(caller)} IN ${jsonList(counts)}`)
}

function commas(values: string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

function folds(values: readonly string[]): string[] {
  return [...new Set(values.map(fold))]
}

/** The words that the search screen's names of texts look for, all of them. */
function wordsOf(values: string[]): string[] {
  return values.flatMap((value) => value.split(/[\s,]+/)).filter((word) => word !== '')
}

/** Each text may have to be looked for in every bug. */
function few(texts: string[]): string[] {
  if (texts.length > MOST_TEXTS) {
    throw fault('searchTooLarge', { most: MOST_TEXTS })
  }
  return texts
}
