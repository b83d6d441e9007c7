import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../platform/access/caller.ts'
import { hoursWorked } from '../../../platform/access/privacy.ts'
import { visibleBugCondition, visibleCommentCount } from '../../../platform/access/visibility.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../../platform/db/schema/fields.ts'
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
import { type Access, SELECTIVITY } from '../condition.ts'
import type { CompileContext } from '../context.ts'
import type { RowOperator } from '../operators.ts'
import {
  BY_ID,
  type Column,
  choiceField,
  computedNumberField,
  dayField,
  hoursField,
  type Index,
  indexedColumn,
  namedField,
  numberField,
  personField,
  type SingleValue,
  singleField,
  textField,
  timeField,
} from './single-value.ts'
import { textCandidatesOf } from './text-index.ts'
import { isPronoun } from './value-source.ts'
import type { TextOperand } from './value-test.ts'

const v = aliasColumns(fieldValues, 'v')
const p = aliasColumns(products, 'p')
const c = aliasColumns(components, 'c')
const d = aliasColumns(classifications, 'd')
const s = aliasColumns(versions, 's')
const m = aliasColumns(milestones, 'm')
const other = aliasColumns(bugs, 'other')
const u = aliasColumns(users, 'u')

/** The fields of which a bug has one value: in its row, of what its row refers to, or computed. */
export const SINGLE_VALUE_FIELDS = {
  bug_id: () =>
    numberField((column) => column(bugs.id), { selectivity: SELECTIVITY.named, orders: BY_ID }),
  alias,
  short_desc: () => ({
    ...textField(bugs.summaryFold, bugs.summary),
    textCandidates: textCandidatesOf('summary_fold'),
  }),
  status_whiteboard: () => ({
    ...textField(bugs.whiteboardFold, bugs.whiteboard),
    textCandidates: textCandidatesOf('whiteboard_fold'),
  }),
  bug_file_loc: () => ({
    ...textField(bugs.urlFold, bugs.url),
    textCandidates: textCandidatesOf('url_fold'),
  }),
  filed_via: () => textField(bugs.filedVia, bugs.filedVia),
  team_name: () => ofComponent(c.teamName),
  product: () =>
    namedField(bugs.productId, sql`products p`, p, {
      selectivity: SELECTIVITY.product,
      orders: [bugs.id, bugs.createdAt, bugs.changedAt],
    }),
  component,
  classification: () => ofClassification(),
  version: () =>
    namedField(bugs.versionId, sql`versions s`, s, { selectivity: SELECTIVITY.part, orders: [] }),
  target_milestone: () =>
    namedField(bugs.milestoneId, sql`milestones m`, m, {
      selectivity: SELECTIVITY.part,
      orders: [],
    }),
  bug_status: () =>
    choiceField(bugs.statusId, 'bug_status', VALUE_INDEX, (value) => OPENNESS[value.toLowerCase()]),
  resolution: () =>
    choiceField(bugs.resolutionId, 'resolution', VALUE_INDEX, (value) =>
      value === '---' ? sql`${v.nameFold} = ''` : undefined,
    ),
  priority: () => choiceField(bugs.priorityId, 'priority', VALUE_INDEX),
  bug_severity: () => choiceField(bugs.severityId, 'bug_severity', VALUE_INDEX),
  bug_type: () => choiceField(bugs.typeId, 'bug_type'),
  rep_platform: () => choiceField(bugs.platformId, 'rep_platform'),
  op_sys: () => choiceField(bugs.opSysId, 'op_sys'),
  assigned_to: () => personField(bugs.assignedToId),
  reporter: () => personField(bugs.reporterId),
  qa_contact: () => personField(bugs.qaContactId),
  triage_owner: () => ({
    shape: 'single',
    looksAt: 'row',
    source: () => ({
      kind: 'person',
      person: sql`(SELECT ${c.triageOwnerId} FROM components c WHERE ${c.id} = ${bugs.componentId})`,
    }),
    textCandidates: triageOwnerCandidates,
  }),
  everconfirmed: () => numberField((column) => column(bugs.isConfirmed)),
  reporter_accessible: () => numberField((column) => column(bugs.isCreatorAccessible)),
  cclist_accessible: () => numberField((column) => column(bugs.isCcAccessible)),
  creation_ts: () => timeField(bugs.createdAt),
  delta_ts: () => timeField(bugs.changedAt),
  deadline: () => dayField(sql`${bugs.deadline}`),
  estimated_time: () => hoursField(sql`${bugs.estimatedTime}`),
  remaining_time: () => hoursField(sql`${bugs.remainingTime}`),
  work_time: ({ caller }) => hoursField(hoursWorked(caller)),
  percentage_complete: ({ caller }) => computedNumberField(percentage(caller)),
  'longdescs.count': ({ caller }) => computedNumberField(visibleCommentCount(caller)),
  days_elapsed: ({ now }) =>
    numberField(
      () => sql`CAST(${Math.floor(now / 86_400)} - ${bugs.changedAt} / 86400 AS INTEGER)`,
    ),
  dup_id: ({ caller }) =>
    computedNumberField(sql`coalesce((SELECT ${other.id} FROM bugs other
      WHERE ${other.id} = ${bugs.dupeOfId} AND ${visibleBugCondition(caller, 'other')}), 0)`),
} as const satisfies Readonly<Record<string, (context: CompileContext) => SingleValue>>

/** The bugs of the components of people who are named; words for people are no logins. */
function triageOwnerCandidates(
  operator: RowOperator,
  values: readonly string[],
): Access | undefined {
  return (operator === 'equals' || operator === 'anyexact') && !values.some(isPronoun)
    ? {
        ...{ kind: 'list', selectivity: SELECTIVITY.text },
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
    ...singleField(
      (column) => ({ kind: 'own', operand: operand(column), key: sql`${bugs.id}` }),
      bugs.aliasFold,
      { selectivity: SELECTIVITY.named, orders: BY_ID },
    ),
    // the unique index finds whole aliases
    textCandidates: (operator, values) =>
      operator === 'equals' || operator === 'anyexact' ? undefined : candidates(operator, values),
  }
}

/** `Product :: Component` means that component of that product. */
function component(): SingleValue {
  return singleField(
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

function ofComponent(name: SQL): SingleValue {
  return singleField((reference) => ({
    kind: 'named',
    reference: reference(bugs.componentId),
    from: sql`components c`,
    id: c.id,
    operand: { kind: 'text', folded: sql`lower(${name})`, original: name },
  }))
}

function ofClassification(): SingleValue {
  return singleField((reference) => ({
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
