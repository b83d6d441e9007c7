import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Caller } from '../../access/caller.ts'
import { visibleBugCondition, visibleCommentCount } from '../../access/visibility.ts'
import { bugs } from '../../db/schema/bugs.ts'
import { components } from '../../db/schema/components.ts'
import { fields, fieldValues } from '../../db/schema/fields.ts'
import { classifications, milestones, products, versions } from '../../db/schema/products.ts'
import { users } from '../../db/schema/users.ts'
import { aliasColumns, jsonList, sql } from '../../db/sql.ts'
import { fold } from '../../lib/text.ts'
import { hoursWorked } from '../hours-worked.ts'
import type { Operator } from '../operators.ts'
import type { OrderIndex } from '../order-index.ts'
import type { CompileContext } from './compile-context.ts'
import { SELECTIVITY } from './condition.ts'
import { isPronoun } from './people.ts'
import {
  computedValue,
  indexedColumn,
  type SingleValue,
  type TextCandidates,
} from './single-value.ts'
import { textCandidatesOf } from './text-candidates.ts'
import type { ValueSource } from './value-source.ts'
import type { DateOperand, NumberOperand, TextOperand } from './value-test.ts'

const v = aliasColumns(fieldValues, 'v')
const p = aliasColumns(products, 'p')
const c = aliasColumns(components, 'c')
const d = aliasColumns(classifications, 'd')
const s = aliasColumns(versions, 's')
const m = aliasColumns(milestones, 'm')
const other = aliasColumns(bugs, 'other')
const u = aliasColumns(users, 'u')

type Column = (column: SQLiteColumn) => SQL
type Index = Omit<NonNullable<SingleValue['index']>, 'column'>

const BY_ID: readonly OrderIndex[] = [bugs.id]

/** The fields of which a bug has one value in its own row. Reference: search.md, "Search fields". */
export const BUG_FIELDS: Readonly<Record<string, (context: CompileContext) => SingleValue>> = {
  bug_id: () =>
    number((column) => column(bugs.id), { selectivity: SELECTIVITY.named, orders: BY_ID }),
  alias,
  short_desc: () => ({
    ...text(bugs.summaryFold, bugs.summary),
    textCandidates: textCandidatesOf('summary_fold'),
  }),
  status_whiteboard: () => ({
    ...text(bugs.whiteboardFold, bugs.whiteboard),
    textCandidates: textCandidatesOf('whiteboard_fold'),
  }),
  bug_file_loc: () => ({
    ...text(bugs.urlFold, bugs.url),
    textCandidates: textCandidatesOf('url_fold'),
  }),
  filed_via: () => text(bugs.filedVia, bugs.filedVia),
  team_name: () => ofComponent(c.teamName),
  product: () =>
    named(bugs.productId, sql`products p`, p, {
      selectivity: SELECTIVITY.product,
      orders: [bugs.id, bugs.createdAt, bugs.changedAt],
    }),
  component,
  classification: () => ofClassification(),
  version: () =>
    named(bugs.versionId, sql`versions s`, s, { selectivity: SELECTIVITY.part, orders: [] }),
  target_milestone: () =>
    named(bugs.milestoneId, sql`milestones m`, m, { selectivity: SELECTIVITY.part, orders: [] }),
  bug_status: () =>
    choice(bugs.statusId, 'bug_status', VALUE_INDEX, (value) => OPENNESS[value.toLowerCase()]),
  resolution: () =>
    choice(bugs.resolutionId, 'resolution', VALUE_INDEX, (value) =>
      value === '---' ? sql`${v.nameFold} = ''` : undefined,
    ),
  priority: () => choice(bugs.priorityId, 'priority', VALUE_INDEX),
  bug_severity: () => choice(bugs.severityId, 'bug_severity', VALUE_INDEX),
  bug_type: () => choice(bugs.typeId, 'bug_type'),
  rep_platform: () => choice(bugs.platformId, 'rep_platform'),
  op_sys: () => choice(bugs.opSysId, 'op_sys'),
  assigned_to: () => person(bugs.assignedToId),
  reporter: () => person(bugs.reporterId),
  qa_contact: () => person(bugs.qaContactId),
  triage_owner: () => ({
    shape: 'single',
    source: () => ({
      kind: 'person',
      person: sql`(SELECT ${c.triageOwnerId} FROM components c WHERE ${c.id} = ${bugs.componentId})`,
    }),
    textCandidates: triageOwnerCandidates,
  }),
  everconfirmed: () => number((column) => column(bugs.isConfirmed)),
  reporter_accessible: () => number((column) => column(bugs.isCreatorAccessible)),
  cclist_accessible: () => number((column) => column(bugs.isCcAccessible)),
  creation_ts: () => time(bugs.createdAt),
  delta_ts: () => time(bugs.changedAt),
  deadline: () => day(sql`${bugs.deadline}`),
  estimated_time: () => hours(sql`${bugs.estimatedTime}`),
  remaining_time: () => hours(sql`${bugs.remainingTime}`),
  work_time: ({ caller }) => hours(hoursWorked(caller)),
  percentage_complete: ({ caller }) => computedNumber(percentage(caller)),
  'longdescs.count': ({ caller }) => computedNumber(visibleCommentCount(caller)),
  days_elapsed: ({ now }) =>
    number(() => sql`CAST(${Math.floor(now / 86_400)} - ${bugs.changedAt} / 86400 AS INTEGER)`),
  dup_id: ({ caller }) =>
    computedNumber(sql`coalesce((SELECT ${other.id} FROM bugs other
      WHERE ${other.id} = ${bugs.dupeOfId} AND ${visibleBugCondition(caller, 'other')}), 0)`),
}

/** The bugs of the components of people who are named; words for people are no logins. */
function triageOwnerCandidates(
  operator: Operator,
  values: readonly string[],
): TextCandidates | undefined {
  return (operator === 'equals' || operator === 'anyexact') && !values.some(isPronoun)
    ? {
        select: sql`SELECT ${bugs.id} FROM bugs WHERE ${bugs.componentId} IN (
          SELECT ${c.id} FROM users u JOIN components c ON ${c.triageOwnerId} = ${u.id}
            WHERE ${u.loginFold} IN ${jsonList(values.map(fold))})`,
      }
    : undefined
}

/** Words that stand for all statuses of a kind. */
const OPENNESS: Readonly<Record<string, SQL>> = {
  __open__: sql`${v.isOpen} = 1`,
  __closed__: sql`${v.isOpen} = 0`,
}

const VALUE_INDEX: Index = { selectivity: SELECTIVITY.value, orders: BY_ID }

function single(source: (column: Column) => ValueSource): SingleValue
function single(
  source: (column: Column) => ValueSource,
  column: SQLiteColumn,
  index?: Index,
): SingleValue
function single(
  source: (column: Column) => ValueSource,
  column?: SQLiteColumn,
  index?: Index,
): SingleValue {
  return { shape: 'single', source, ...(column && index && { index: { ...index, column } }) }
}

function text(folded: SQLiteColumn, original: SQLiteColumn): SingleValue {
  const operand: TextOperand = {
    kind: 'text',
    folded: sql`coalesce(${folded}, '')`,
    original: sql`coalesce(${original}, '')`,
  }
  return single(() => ({ kind: 'own', operand, key: sql`${bugs.id}` }))
}

/** NULL for no alias: the unique index holds the others alone, and only they are found by it. */
function alias(): SingleValue {
  const operand = (column: Column): TextOperand => ({
    kind: 'text',
    folded:
      column === indexedColumn ? column(bugs.aliasFold) : sql`coalesce(${bugs.aliasFold}, '')`,
    original: sql`coalesce(${bugs.alias}, '')`,
  })
  const candidates = textCandidatesOf('alias_fold')
  return {
    ...single(
      (column) => ({ kind: 'own', operand: operand(column), key: sql`${bugs.id}` }),
      bugs.aliasFold,
      { selectivity: SELECTIVITY.named, orders: BY_ID },
    ),
    // the unique index finds whole aliases
    textCandidates: (operator, values) =>
      operator === 'equals' || operator === 'anyexact' ? undefined : candidates(operator, values),
  }
}

function number(value: (column: Column) => SQL, index?: Index): SingleValue {
  const operand = (column: Column): NumberOperand => ({
    kind: 'number',
    value: value(column),
    text: sql`CAST(${value(column)} AS TEXT)`,
  })
  return single(
    (column) => ({ kind: 'own', operand: operand(column), key: sql`${bugs.id}` }),
    bugs.id,
    index,
  )
}

function computedNumber(value: SQL): SingleValue {
  return computedValue({ kind: 'number', value, text: sql`CAST(${value} AS TEXT)` })
}

/** Hours as numbers, and as texts with two digits. */
function hours(value: SQL): SingleValue {
  const operand: NumberOperand = { kind: 'number', value, text: sql`printf('%.2f', ${value})` }
  return single(() => ({ kind: 'own', operand, key: sql`${bugs.id}` }))
}

function time(column: OrderIndex): SingleValue {
  const operand = (value: SQL): DateOperand => ({
    kind: 'date',
    value,
    text: sql`strftime('%Y-%m-%d %H:%M:%S', ${value}, 'unixepoch')`,
  })
  return single(
    (reference) => ({ kind: 'own', operand: operand(reference(column)), key: sql`${bugs.id}` }),
    column,
    { selectivity: SELECTIVITY.time, orders: [column] },
  )
}

/** A day that is stored as `YYYY-MM-DD`, or NULL. */
export function dayOperand(column: SQL): DateOperand {
  return {
    kind: 'date',
    value: sql`coalesce(unixepoch(${column}), 0)`,
    text: sql`coalesce(${column} || ' 00:00:00', '')`,
    isDay: true,
  }
}

function day(column: SQL): SingleValue {
  return single(() => ({ kind: 'own', operand: dayOperand(column), key: sql`${bugs.id}` }))
}

type NameTable = { readonly id: SQL; readonly name: SQL; readonly nameFold: SQL }

function named(column: SQLiteColumn, from: SQL, table: NameTable, index?: Index): SingleValue {
  return single(
    (reference) => ({
      kind: 'named',
      reference: reference(column),
      from,
      id: table.id,
      operand: { kind: 'text', folded: table.nameFold, original: table.name },
      isUnique: column === bugs.productId,
    }),
    column,
    index,
  )
}

/** `Product :: Component` means that component of that product. */
function component(): SingleValue {
  return single(
    (reference) => ({
      kind: 'named',
      reference: reference(bugs.componentId),
      from: sql`components c`,
      id: c.id,
      operand: { kind: 'text', folded: c.nameFold, original: c.name },
      special: (value) => {
        const [, product, name] = /^(.+?) +:: +(.+)$/s.exec(value) ?? []
        return product === undefined || name === undefined
          ? undefined
          : sql`(${c.nameFold} = ${fold(name)} AND ${c.productId} =
              (SELECT ${p.id} FROM products p WHERE ${p.nameFold} = ${fold(product)}))`
      },
    }),
    bugs.componentId,
    { selectivity: SELECTIVITY.component, orders: [] },
  )
}

function choice(
  column: SQLiteColumn,
  field: string,
  index?: Index,
  special?: (value: string) => SQL | undefined,
): SingleValue {
  return single(
    (reference) => ({
      ...choiceSource(reference(column), field),
      ...(special && { special }),
    }),
    column,
    index,
  )
}

/** A value of a select field. */
export function choiceSource(
  reference: SQL,
  field: string,
): ValueSource & { readonly kind: 'named' } {
  return {
    kind: 'named',
    reference,
    from: sql`field_values v`,
    id: sql`${v.id}`,
    where: sql`${v.fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = ${sql.raw(`'${field}'`)})`,
    operand: { kind: 'text', folded: v.nameFold, original: v.name },
    isUnique: true,
  }
}

function person(column: SQLiteColumn): SingleValue {
  return single((reference) => ({ kind: 'person', person: reference(column) }), column, {
    selectivity: SELECTIVITY.person,
    orders: BY_ID,
  })
}

function ofComponent(name: SQL): SingleValue {
  return single((reference) => ({
    kind: 'named',
    reference: reference(bugs.componentId),
    from: sql`components c`,
    id: c.id,
    operand: { kind: 'text', folded: sql`lower(${name})`, original: name },
  }))
}

function ofClassification(): SingleValue {
  return single((reference) => ({
    kind: 'named',
    reference: reference(bugs.productId),
    from: sql`products p JOIN classifications d ON ${d.id} = ${p.classificationId}`,
    id: p.id,
    operand: { kind: 'text', folded: d.nameFold, original: d.name },
  }))
}

/** How much of the work is done, rounded down; 0 where nothing is worked or left. */
function percentage(caller: Caller): SQL {
  const worked = hoursWorked(caller)
  return sql`CASE WHEN ${worked} + ${bugs.remainingTime} > 0
    THEN CAST(100 * ${worked} / (${worked} + ${bugs.remainingTime}) AS INTEGER) ELSE 0 END`
}
