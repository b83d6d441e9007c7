import { type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { isInsider } from '../access/rights.ts'
import { visibleComment } from '../access/visible.ts'
import { allOf, anyOf, contains, jsonList } from '../db/sql.ts'
import { fold, lengthOf } from '../lib/text.ts'
import { parseMoment } from '../lib/time.ts'

/** What compiling a search may ask about the call. */
export type Asking = {
  readonly caller: Caller
  /** The result is walked from the newest bug on, so indexes on times would only lead astray. */
  readonly newestFirst: boolean
}

/** One search parameter: its other names, and what its values mean as a condition on `bugs`. */
type Criterion = {
  readonly aliases?: readonly string[]
  /** Blank values count; elsewhere they are dropped. */
  readonly keepsBlank?: boolean
  readonly condition: (values: string[], asking: Asking) => SQL | null
}

/** Neither true nor false: an invalid value finds nothing. */
const NEVER = sql`NULL`

/** The simple parameters of the contract's search table, one row each. */
export const CRITERIA: Readonly<Record<string, Criterion>> = {
  id: { aliases: ['bug_id'], condition: byId },
  alias: { condition: (values) => sql`bugs.alias_fold IN ${jsonList(folds(commas(values)))}` },
  product: { condition: byProduct },
  component: { condition: (values) => among('component_id', 'components', values) },
  classification: {
    condition: (values) => sql`bugs.product_id IN (SELECT p.id FROM classifications c
      JOIN products p ON p.classification_id = c.id WHERE c.name_fold IN ${jsonList(folds(values))})`,
  },
  status: { aliases: ['bug_status'], condition: byStatus },
  resolution: {
    keepsBlank: true,
    condition: (values, asking) => {
      const resolutions = values.map((value) => (value === '---' ? '' : value))
      return choice('resolution_id', 'resolution', resolutions, asking)
    },
  },
  type: select('type_id', 'bug_type', ['bug_type']),
  priority: select('priority_id', 'priority'),
  severity: select('severity_id', 'bug_severity', ['bug_severity']),
  platform: select('platform_id', 'rep_platform', ['rep_platform']),
  op_sys: select('op_sys_id', 'op_sys'),
  version: { condition: (values) => among('version_id', 'versions', values) },
  target_milestone: { condition: (values) => among('milestone_id', 'milestones', values) },
  summary: { condition: (values) => anyOf(values.map(summaryContains)) },
  whiteboard: {
    condition: (values) =>
      anyOf(values.map((value) => contains(sql`bugs.whiteboard_fold`, fold(value)))),
  },
  url: { condition: (values) => sql`bugs.url_fold IN ${jsonList(folds(values))}` },
  description: {
    condition: (values, { caller }) => anyOf(values.map((value) => descriptionIs(value, caller))),
  },
  assigned_to: people('assigned_to_id'),
  creator: { aliases: ['reporter'], condition: people('reporter_id').condition },
  qa_contact: people('qa_contact_id'),
  triage_owner: {
    condition: (values, { caller }) => sql`bugs.component_id IN (SELECT id FROM components
      WHERE triage_owner_id IN ${userIds(values, caller)})`,
  },
  filed_via: { condition: (values) => sql`bugs.filed_via IN ${jsonList(folds(values))}` },
  tags: { aliases: ['tag'], condition: byTag },
  creation_time: { aliases: ['creation_ts'], condition: since('created_at') },
  last_change_time: { aliases: ['delta_ts'], condition: since('changed_at') },
  'longdescs.count': { aliases: ['longdescs_count', 'comment_count'], condition: byCommentCount },
}

/**
 * The condition of a search: all parameters must hold, any value of one will do. Null when nothing was
 * asked. Contract "Bugs", Search Bugs.
 */
export function compileCriteria(
  parameters: Readonly<Record<string, string[] | undefined>>,
  asking: Asking,
): SQL | null {
  const conditions = Object.entries(CRITERIA).flatMap(([name, criterion]) => {
    const given = [name, ...(criterion.aliases ?? [])].flatMap((key) => parameters[key] ?? [])
    const trimmed = given.map((value) => value.trim())
    const values = criterion.keepsBlank ? trimmed : trimmed.filter((value) => value !== '')
    return values.length === 0 ? [] : (criterion.condition(values, asking) ?? [])
  })
  return conditions.length === 0 ? null : allOf(conditions)
}

function byId(values: string[]): SQL {
  const ids = commas(values).filter((value) => /^\d{1,15}$/.test(value))
  return ids.length === 0 ? NEVER : sql`bugs.id IN ${jsonList(ids.map(Number))}`
}

function byStatus(values: string[], asking: Asking): SQL | null {
  if (values.includes('__all__')) {
    return null
  }
  if (!values.includes('__open__') && !values.includes('__closed__')) {
    return choice('status_id', 'bug_status', values, asking)
  }
  const openness = values.flatMap((value) =>
    value === '__open__' ? [1] : value === '__closed__' ? [0] : [],
  )
  return sql`bugs.status_id IN (SELECT v.id FROM field_values v
    WHERE v.field_id = (SELECT id FROM fields WHERE name = 'bug_status')
      AND (v.name_fold IN ${jsonList(folds(values))} OR v.is_open IN ${jsonList(openness)}))`
}

function select(column: string, field: string, aliases: readonly string[] = []): Criterion {
  return { aliases, condition: (values, asking) => choice(column, field, values, asking) }
}

/** One value is an equality, whose index also gives the order of the IDs. */
function choice(column: string, field: string, values: string[], { newestFirst }: Asking): SQL {
  const found = sql`SELECT v.id FROM field_values v
    WHERE v.field_id = (SELECT id FROM fields WHERE name = ${field})`
  const [only = '', ...others] = folds(values)
  if (others.length === 0) {
    return sql`bugs.${sql.raw(column)} = (${found} AND v.name_fold = ${only})`
  }
  const walked = sql.raw(newestFirst ? `+bugs.${column}` : `bugs.${column}`)
  return sql`${walked} IN (${found} AND v.name_fold IN ${jsonList([only, ...others])})`
}

function among(column: string, table: string, values: string[]): SQL {
  return sql`bugs.${sql.raw(column)} IN (SELECT id FROM ${sql.raw(table)}
    WHERE name_fold IN ${jsonList(folds(values))})`
}

function byProduct(values: string[]): SQL {
  const [only = '', ...others] = folds(values)
  return others.length === 0
    ? sql`bugs.product_id = (SELECT id FROM products WHERE name_fold = ${only})`
    : among('product_id', 'products', values)
}

/** Three characters or more are found by the trigram index, fewer by looking at each summary. */
function summaryContains(value: string): SQL {
  const folded = fold(value)
  if (lengthOf(folded) < 3) {
    return contains(sql`bugs.summary_fold`, folded)
  }
  const phrase = `"${folded.replaceAll('"', '""')}"`
  return sql`bugs.id IN (SELECT rowid FROM bugs_summary_fts WHERE bugs_summary_fts MATCH ${phrase})`
}

/** The word index narrows down the candidates; a text without any word is compared one by one. */
function descriptionIs(value: string, caller: Caller): SQL {
  const words = value.match(/[\p{L}\p{N}]+/gu) ?? []
  const phrase = `"${words.slice(0, 50).join(' ')}"`
  const indexed =
    words.length === 0
      ? sql`1`
      : sql`comments.id IN (SELECT rowid FROM comments_body_fts WHERE comments_body_fts MATCH ${phrase})`
  return sql`bugs.id IN (SELECT comments.bug_id FROM comments WHERE comments.number = 0 AND ${indexed}
    AND ${visibleComment(caller)} AND lower(comments.body) = lower(${value}))`
}

function people(column: string): Criterion {
  return {
    condition: (values, { caller }) => sql`bugs.${sql.raw(column)} IN ${userIds(values, caller)}`,
  }
}

/** Exact logins, separated by commas or blanks; `%user%` is the caller. */
function userIds(values: string[], caller: Caller): SQL {
  const logins = values.flatMap((value) => value.split(/[\s,]+/)).filter((value) => value !== '')
  const self = logins.some((login) => ['%user%', '%self%'].includes(login.toLowerCase()))
  const own = self && caller.kind === 'person' ? [caller.id] : []
  return sql`(SELECT id FROM users
    WHERE login_fold IN ${jsonList(folds(logins))} OR id IN ${jsonList(own)})`
}

function byTag(values: string[], { caller }: Asking): SQL {
  return caller.kind === 'person'
    ? sql`bugs.id IN (SELECT bug_id FROM bug_tags
        WHERE user_id = ${caller.id} AND name_fold IN ${jsonList(folds(values))})`
    : NEVER
}

function since(column: string) {
  return ([value = '']: string[], { newestFirst }: Asking): SQL => {
    const seconds = parseMoment(value)
    const indexed = sql.raw(newestFirst ? `+bugs.${column}` : `bugs.${column}`)
    return seconds === null ? NEVER : sql`${indexed} >= ${seconds}`
  }
}

function byCommentCount(values: string[], { caller }: Asking): SQL {
  const counts = values.filter((value) => /^\d{1,9}$/.test(value)).map(Number)
  const column = sql.raw(isInsider(caller) ? 'comment_count' : 'public_comment_count')
  return counts.length === 0 ? NEVER : sql`bugs.${column} IN ${jsonList(counts)}`
}

function commas(values: string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

function folds(values: string[]): string[] {
  return values.map(fold)
}
