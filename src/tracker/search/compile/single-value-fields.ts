import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Caller } from '../../../platform/access/caller.ts'
import { hoursWorked } from '../../../platform/access/privacy.ts'
import { visibleBugCondition, visibleCommentCount } from '../../../platform/access/visibility.ts'
import { bugs, isDiscussedCondition, MANY_COMMENTS } from '../../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../../platform/db/schema/fields.ts'
import {
  classifications,
  components,
  milestones,
  products,
  versions,
} from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, jsonList, sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import { type IdList, type OrderIndex, SELECTIVITY } from '../condition.ts'
import { comparesWhole, type RowOperator } from '../operators.ts'
import type { FieldsWith } from '../search-fields.ts'
import { dayOperand, hoursOperand, numberOperand, textOperand, timeOperand } from './operand.ts'
import {
  computedValue,
  indexedColumn,
  ownValue,
  rowField,
  type SingleValue,
  singleField,
} from './single-value.ts'
import { type IndexedText, textCandidatesOf } from './text-index.ts'
import { isPronoun, type NamedSource, type NameTable, namedSource } from './value-source.ts'

const v = aliasColumns(fieldValues, 'v')
const p = aliasColumns(products, 'p')
const c = aliasColumns(components, 'c')
const d = aliasColumns(classifications, 'd')
const s = aliasColumns(versions, 's')
const m = aliasColumns(milestones, 'm')
const other = aliasColumns(bugs, 'other')
const u = aliasColumns(users, 'u')

const BY_ID: readonly OrderIndex[] = [bugs.id]

/** The fields of which a bug has one value: in its row, of what its row refers to, or computed. */
export const SINGLE_VALUE_FIELDS = {
  bug_id: () =>
    singleField((column) => ownValue(numberOperand(column(bugs.id))), {
      column: bugs.id,
      selectivity: SELECTIVITY.named,
      orders: BY_ID,
    }),
  alias,
  short_desc: () => textField(bugs.summaryFold, bugs.summary, 'summary_fold'),
  status_whiteboard: () => textField(bugs.whiteboardFold, bugs.whiteboard, 'whiteboard_fold'),
  bug_file_loc: () => textField(bugs.urlFold, bugs.url, 'url_fold'),
  filed_via: () => textField(bugs.filedVia, bugs.filedVia),
  team_name: () =>
    singleField((column) => ({
      ...namedSource(column(bugs.componentId), sql`components c`, c),
      operand: textOperand(sql`lower(${c.teamName})`, c.teamName),
    })),
  product: () =>
    namedField(bugs.productId, sql`products p`, p, {
      selectivity: SELECTIVITY.product,
      orders: [bugs.id, bugs.createdAt, bugs.changedAt],
      isUnique: true,
    }),
  component: () =>
    namedField(bugs.componentId, sql`components c`, c, {
      selectivity: SELECTIVITY.component,
      special: componentOfProduct,
    }),
  classification: () =>
    singleField((column) => ({
      ...namedSource(
        column(bugs.productId),
        sql`products p JOIN classifications d ON ${d.id} = ${p.classificationId}`,
        d,
      ),
      id: p.id,
    })),
  version: () => namedField(bugs.versionId, sql`versions s`, s, { selectivity: SELECTIVITY.part }),
  target_milestone: () =>
    namedField(bugs.milestoneId, sql`milestones m`, m, { selectivity: SELECTIVITY.part }),
  bug_status: () =>
    choiceField(bugs.statusId, 'bug_status', (value) => OPENNESS.get(value.toLowerCase())),
  resolution: () =>
    choiceField(bugs.resolutionId, 'resolution', (value) =>
      value === '---' ? sql`${v.nameFold} = ''` : undefined,
    ),
  priority: () => choiceField(bugs.priorityId, 'priority'),
  bug_severity: () => choiceField(bugs.severityId, 'bug_severity'),
  bug_type: () => singleField((column) => choiceSource(column(bugs.typeId), 'bug_type')),
  rep_platform: () =>
    singleField((column) => choiceSource(column(bugs.platformId), 'rep_platform')),
  op_sys: () => singleField((column) => choiceSource(column(bugs.opSysId), 'op_sys')),
  assigned_to: () => personField(bugs.assignedToId),
  reporter: () => personField(bugs.reporterId),
  qa_contact: () => personField(bugs.qaContactId),
  triage_owner: () => ({
    ...singleField(() => ({
      kind: 'person',
      person: sql`(SELECT ${c.triageOwnerId} FROM components c WHERE ${c.id} = ${bugs.componentId})`,
    })),
    textCandidates: triageOwnerCandidates,
  }),
  everconfirmed: () => rowField(numberOperand(sql`${bugs.isConfirmed}`)),
  reporter_accessible: () => rowField(numberOperand(sql`${bugs.isCreatorAccessible}`)),
  cclist_accessible: () => rowField(numberOperand(sql`${bugs.isCcAccessible}`)),
  creation_ts: () => timeField(bugs.createdAt),
  delta_ts: () => timeField(bugs.changedAt),
  deadline: () => rowField(dayOperand(sql`${bugs.deadline}`)),
  estimated_time: () => rowField(hoursOperand(sql`${bugs.estimatedTime}`)),
  remaining_time: () => rowField(hoursOperand(sql`${bugs.remainingTime}`)),
  work_time: ({ caller }) => rowField(hoursOperand(hoursWorked(caller))),
  percentage_complete: ({ caller }) => computedValue(numberOperand(percentage(caller))),
  'longdescs.count': ({ caller }) => ({
    ...computedValue(numberOperand(visibleCommentCount(caller)), 'count'),
    textCandidates: findDiscussed,
  }),
  days_elapsed: ({ now }) =>
    rowField(
      numberOperand(sql`CAST(${Math.floor(now / 86_400)} - ${bugs.changedAt} / 86400 AS INTEGER)`),
    ),
  dup_id: ({ caller }) =>
    computedValue(
      numberOperand(sql`coalesce((SELECT ${other.id} FROM bugs other
        WHERE ${other.id} = ${bugs.dupeOfId} AND ${visibleBugCondition(caller, 'other')}), 0)`),
    ),
} as const satisfies FieldsWith<SingleValue>

/**
 * Nobody sees more comments than there are. SQLite takes the first bound for its index, the second one shows that it
 * may.
 */
function findDiscussed(operator: RowOperator, values: readonly string[]): IdList | undefined {
  const numbers = values.map((value) => (/^\d{1,9}$/.test(value) ? Number(value) : 0))
  const least = Math.min(...numbers) + (operator === 'greaterthan' ? 1 : 0)
  return DISCUSSED.has(operator) && values.length > 0 && least > MANY_COMMENTS
    ? {
        kind: 'list',
        selectivity: SELECTIVITY.part,
        select: sql`SELECT ${other.id} FROM bugs other
          WHERE ${other.commentCount} >= ${least} AND ${isDiscussedCondition(other.commentCount)}`,
      }
    : undefined
}

const DISCUSSED: ReadonlySet<RowOperator> = new Set([
  'equals',
  'anyexact',
  'greaterthan',
  'greaterthaneq',
])

/** NULL for no alias: the unique index holds the others alone, and only they are found by it. */
function alias(): SingleValue {
  const original = sql`coalesce(${bugs.alias}, '')`
  const candidates = textCandidatesOf('alias_fold')
  return {
    ...singleField(
      (column) =>
        ownValue(
          column === indexedColumn
            ? textOperand(column(bugs.aliasFold), original)
            : textOperand(sql`coalesce(${bugs.aliasFold}, '')`, original),
        ),
      { column: bugs.aliasFold, selectivity: SELECTIVITY.named, orders: BY_ID },
    ),
    // the unique index finds whole aliases
    textCandidates: (operator, values) =>
      comparesWhole(operator) ? undefined : candidates(operator, values),
  }
}

/** A text with its folded companion; the empty text for NULL. */
function textField(folded: SQLiteColumn, original: SQLiteColumn, index?: IndexedText): SingleValue {
  const operand = textOperand(sql`coalesce(${folded}, '')`, sql`coalesce(${original}, '')`)
  return { ...rowField(operand), ...(index && { textCandidates: textCandidatesOf(index) }) }
}

/** A moment in Unix seconds, which an index holds. */
function timeField(column: OrderIndex): SingleValue {
  return singleField((reference) => ownValue(timeOperand(reference(column))), {
    column,
    selectivity: SELECTIVITY.time,
    orders: [column],
  })
}

function personField(column: SQLiteColumn): SingleValue {
  return singleField((reference) => ({ kind: 'person', person: reference(column) }), {
    column,
    selectivity: SELECTIVITY.person,
    orders: BY_ID,
  })
}

/** A reference to something with a name, such as a version. */
function namedField(
  column: SQLiteColumn,
  from: SQL,
  table: NameTable,
  {
    selectivity,
    orders = [],
    ...more
  }: { selectivity: number; orders?: readonly OrderIndex[] } & Partial<NamedSource>,
): SingleValue {
  return singleField((reference) => ({ ...namedSource(reference(column), from, table), ...more }), {
    column,
    selectivity,
    orders,
  })
}

/** A reference to a value of a select field, which an index holds. */
function choiceField(
  column: SQLiteColumn,
  field: string,
  special?: NamedSource['special'],
): SingleValue {
  return singleField(
    (reference) => ({ ...choiceSource(reference(column), field), ...(special && { special }) }),
    { column, selectivity: SELECTIVITY.value, orders: BY_ID },
  )
}

function choiceSource(reference: SQL, field: string): NamedSource {
  return {
    ...namedSource(reference, sql`field_values v`, v),
    where: sql`${v.fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = ${sql.raw(`'${field}'`)})`,
    isUnique: true,
  }
}

/** Words for all statuses of a kind. */
const OPENNESS: ReadonlyMap<string, SQL> = new Map([
  ['__open__', sql`${v.isOpen} = 1`],
  ['__closed__', sql`${v.isOpen} = 0`],
])

/** `Product :: Component` means that component of that product. */
function componentOfProduct(value: string): SQL | undefined {
  const [, product, name] = /^(.+?) +:: +(.+)$/s.exec(value) ?? []
  return product === undefined || name === undefined
    ? undefined
    : sql`(${c.nameFold} = ${fold(name)} AND ${c.productId} =
        (SELECT ${p.id} FROM products p WHERE ${p.nameFold} = ${fold(product)}))`
}

/** The bugs of the components of people who are named; words for people are no logins. */
function triageOwnerCandidates(
  operator: RowOperator,
  values: readonly string[],
): IdList | undefined {
  return comparesWhole(operator) && !values.some(isPronoun)
    ? {
        kind: 'list',
        selectivity: SELECTIVITY.text,
        select: sql`SELECT ${bugs.id} FROM bugs WHERE ${bugs.componentId} IN (
          SELECT ${c.id} FROM users u JOIN components c ON ${c.triageOwnerId} = ${u.id}
            WHERE ${u.loginFold} IN ${jsonList(values.map(fold))})`,
      }
    : undefined
}

/** How much of the work is done, rounded down; 0 where nothing is worked or left. */
function percentage(caller: Caller): SQL {
  const worked = hoursWorked(caller)
  return sql`CASE WHEN ${worked} + ${bugs.remainingTime} > 0
    THEN CAST(100 * ${worked} / (${worked} + ${bugs.remainingTime}) AS INTEGER) ELSE 0 END`
}
