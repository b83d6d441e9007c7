import type { SQL } from 'drizzle-orm'
import { canTrackTime } from '../../../../platform/access/caller.ts'
import { searchableRowConditions } from '../../../../platform/access/privacy.ts'
import { visibleCommentCondition } from '../../../../platform/access/visibility.ts'
import { comments, history } from '../../../../platform/db/schema/bugs.ts'
import { BUG_TYPES } from '../../../../platform/db/schema/fields.ts'
import { allOf, jsonList, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import { toHistoryName } from '../../../fields/names.ts'
import { isLinkingField, namesBugsCondition } from '../../../history/links.ts'
import { selectVisibleLists } from '../../../history/visibility.ts'
import type { SearchConfiguration } from '../../configuration.ts'
import type { CompileContext } from '../../context.ts'
import type { FieldCondition, RowCondition } from '../../expression.ts'
import { type ChangeOperator, isChangeOperator } from '../../operators.ts'
import { parseSearchDate } from '../../relative-dates.ts'
import { allTests, type RowTest, testPerson } from '../value-source.ts'

/** What the changes of a field are. */
type ChangeSource =
  /** The rows of `history` for a field, by its name there. */
  | { readonly kind: 'field'; readonly name: string; readonly namesBugs: boolean }
  /** All rows of `history`. */
  | { readonly kind: 'anything' }
  /** Comments, or those with hours. */
  | { readonly kind: 'comments' | 'work' }
  /** The filing of the bug. */
  | { readonly kind: 'creation' }
  /** The field has no history. */
  | { readonly kind: 'none' }

/** Fields whose changes are not what `history` has for one field. */
const OTHER_SOURCES: Readonly<Record<string, ChangeSource>> = {
  anything: { kind: 'anything' },
  creation_ts: { kind: 'creation' },
  longdesc: { kind: 'comments' },
  'longdescs.count': { kind: 'comments' },
  work_time: { kind: 'work' },
}

/** What the changes of the field with this internal search name are. */
export function changeSourceOf(field: string, { customFields }: SearchConfiguration): ChangeSource {
  const custom = customFields.get(field)
  if (custom !== undefined) {
    return { kind: 'field', name: field, namesBugs: BUG_TYPES.includes(custom.type) }
  }
  const name = toHistoryName(field)
  return name === undefined
    ? (OTHER_SOURCES[field] ?? { kind: 'none' })
    : { kind: 'field', name, namesBugs: isLinkingField(name) }
}

/** What a change removed and added, folded; NULL for changes without texts. */
type ChangeTexts = { readonly removed: SQL; readonly added: SQL }

type TextsTest = (texts: ChangeTexts) => SQL

const NO_TEXTS: ChangeTexts = { removed: sql`NULL`, added: sql`NULL` }

/** The rows that are the changes of a field. */
export type ChangeRows = {
  readonly table: SQL
  readonly bugId: SQL
  readonly changedAt: SQL
  readonly authorId: SQL
  /** The condition that a test of the texts holds for a change as the caller is shown it. */
  readonly whereTexts: (test: TextsTest) => SQL
  /** Which rows of the table are changes of the field; absent for all. */
  readonly field?: { readonly column: SQL; readonly condition: (column: SQL) => SQL }
  /** The rows that the caller may know of. */
  readonly visible: SQL
  /** Whether rows of `history` name bugs, of which some may be hidden; absent for other tables. */
  readonly namesBugs?: boolean | 'perhaps'
}

/** The rows of the changes of a field; null for a field that has none that the caller may know of. */
export function changeRowsOf(source: ChangeSource, context: CompileContext): ChangeRows | null {
  switch (source.kind) {
    case 'field':
      return {
        ...historyRows(context, source.namesBugs),
        field: {
          column: sql`${history.field}`,
          condition: (column) => sql`${column} = ${source.name}`,
        },
      }
    case 'anything':
      return historyRows(context, 'perhaps')
    case 'comments':
      return commentRows(context)
    case 'work':
      return canTrackTime(context.caller)
        ? {
            ...commentRows(context),
            field: {
              column: sql`${comments.workTime}`,
              condition: (column) => sql`${column} <> 0`,
            },
          }
        : null
    case 'creation':
    case 'none':
      return null
  }
}

export function historyRows(context: CompileContext, namesBugs: boolean | 'perhaps'): ChangeRows {
  const { caller } = context
  return {
    table: sql`history`,
    bugId: sql`${history.bugId}`,
    changedAt: sql`${history.changedAt}`,
    authorId: sql`${history.authorId}`,
    whereTexts: (test) => whereHistoryTexts(test, context, namesBugs),
    visible: allOf([...searchableRowConditions(caller)]),
    namesBugs,
  }
}

/** Of lists of bugs the caller knows the visible items alone; a row of which nothing is left is no change. */
function whereHistoryTexts(
  test: TextsTest,
  { caller, baseUrl }: CompileContext,
  namesBugs: boolean | 'perhaps',
): SQL {
  const whole = test({ removed: sql`${history.removedFold}`, added: sql`${history.addedFold}` })
  if (namesBugs === false) {
    return whole
  }
  const cut = test({ removed: sql`shown.removed_fold`, added: sql`shown.added_fold` })
  const visible = sql`EXISTS (SELECT 1 FROM (${selectVisibleLists(caller, baseUrl)}) shown
    WHERE shown.removed <> shown.added AND ${cut})`
  return namesBugs === true
    ? visible
    : sql`CASE WHEN ${namesBugsCondition()} THEN ${visible} ELSE ${whole} END`
}

/** Comments, which are changes without texts. */
export function commentRows({ caller }: CompileContext): ChangeRows {
  return {
    table: sql`comments`,
    bugId: sql`${comments.bugId}`,
    changedAt: sql`${comments.createdAt}`,
    authorId: sql`${comments.authorId}`,
    whereTexts: (test) => test(NO_TEXTS),
    visible: visibleCommentCondition(caller),
  }
}

export function conditionOfField({ field }: ChangeRows): SQL {
  return field === undefined ? sql`1` : field.condition(field.column)
}

/** The same rows, with a plus ahead of columns whose indexes SQLite is not to use. */
export function withoutIndex(rows: ChangeRows): ChangeRows {
  const { field, authorId } = rows
  return {
    ...rows,
    ...(field && { field: { ...field, column: sql`+${field.column}` } }),
    authorId: sql`+${authorId}`,
  }
}

/** A condition on a change of a field; `isNegated` negates it within the change. */
export type ChangeCondition = {
  readonly condition: FieldCondition & { readonly operator: ChangeOperator }
  readonly isNegated: boolean
}

/** Those of the conditions that are about changes. */
export function changesOf(members: readonly RowCondition[]): ChangeCondition[] {
  return members.flatMap(({ condition, isNegated }) => {
    const { operator } = condition
    return isChangeOperator(operator) ? [{ condition: { ...condition, operator }, isNegated }] : []
  })
}

/** What the tests of a change look at. */
type ChangeColumns = ChangeTexts & Pick<ChangeRows, 'changedAt' | 'authorId'>

/** For a field without changes, whose conditions may still be unknown. */
export const NO_COLUMNS: ChangeColumns = { ...NO_TEXTS, changedAt: sql`NULL`, authorId: sql`NULL` }

/** The test of one change that all members hold; null when one of them is unknown. */
export function testMembers(
  columns: ChangeColumns,
  members: readonly ChangeCondition[],
  context: CompileContext,
): RowTest | null {
  return allTests(
    members.map(({ condition, isNegated }) => ({
      test: testChange(columns, condition, context),
      isNegated,
    })),
  )
}

function testChange(
  { changedAt, authorId, removed, added }: ChangeColumns,
  condition: ChangeCondition['condition'],
  context: CompileContext,
): RowTest | null {
  const [value = ''] = condition.values
  switch (condition.operator) {
    case 'everchanged':
      return { condition: sql`1` }
    case 'changedfrom':
      return { condition: testText(removed, condition.values) }
    case 'changedto':
      return { condition: testText(added, condition.values) }
    case 'changedby':
      return testPerson(authorId, 'equals', condition, context)
    case 'changedbefore':
    case 'changedafter': {
      const moment = parseSearchDate(value, context.now)
      const sign = sql.raw(condition.operator === 'changedafter' ? '>=' : '<=')
      return moment === null ? null : { condition: sql`${changedAt} ${sign} ${moment}` }
    }
  }
}

function testText(folded: SQL, values: readonly string[]): SQL {
  const [only = '', ...others] = values
  return others.length === 0
    ? sql`${folded} = ${fold(only)}`
    : sql`${folded} IN ${jsonList(values.map(fold))}`
}

/** Whether a condition is about what was removed or added. */
export function isAboutTexts({ condition: { operator } }: ChangeCondition): boolean {
  return operator === 'changedfrom' || operator === 'changedto'
}

/** The condition of members that are known to be valid. */
export function conditionOf(
  columns: Omit<ChangeColumns, keyof ChangeTexts>,
  members: readonly ChangeCondition[],
  context: CompileContext,
): SQL {
  return testMembers({ ...NO_TEXTS, ...columns }, members, context)?.condition ?? sql`NULL`
}
