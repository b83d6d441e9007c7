import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs, history } from '../../platform/db/schema/bugs.ts'
import { aliasColumn, aliasColumns, allOf, anyOf, db, limitTo, sql } from '../../platform/db/sql.ts'
import { CUSTOM_VALUES, presentCustomValues } from './custom-values.ts'
import type { JsonValue } from './form.ts'
import type { List, Member, Part } from './part.ts'
import { referenceKind } from './references.ts'

const b = aliasColumns(bugs, 'b')
const h = aliasColumns(history, 'h')

/** Which lines of a part, in ascending order of their numbers. */
export type LineRange = {
  /** Lines behind this number. */
  readonly after: number
  /** Unix seconds: what has changed at this time or later; null for all. */
  readonly since: number | null
  readonly withCredentials: boolean
  readonly limit: number
  /** Of the texts of these lines, where one alone may have more. */
  readonly bytes: number
}

/** Selects rows that `presentLine` makes lines of. */
export function selectLines(part: Part, range: LineRange) {
  const id = aliasColumn(part.table.id, 't')
  const columns: Record<string, ReturnType<SQL['as']>> = {}
  membersIn(part, range).forEach((member, n) => {
    columns[`m${n}`] = storedAs(member, 't').as(`m${n}`)
  })
  part.lists.forEach((list, n) => {
    columns[`l${n}`] = selectItems(list).as(`l${n}`)
  })
  if (part.hasCustomFields) {
    columns.custom = CUSTOM_VALUES.as('custom')
  }
  return db
    .select(columns)
    .from(sql`${part.table} t`)
    .where(allOf([conditionOf(part, range), sql`${id} <= ${lastWithin(part, range)}`]))
    .orderBy(sql`${id}`)
}

function conditionOf(part: Part, range: LineRange): SQL {
  return allOf([
    // what is below 1 belongs to an import under way
    sql`${aliasColumn(part.table.id, 't')} > ${Math.max(range.after, 0)}`,
    ...changeCondition(part, range),
    ...emptinessCondition(part, range),
  ])
}

/** The last of so many lines: texts of people are 65 KB long, or a hundred bytes. */
function lastWithin(part: Part, range: LineRange): SQL {
  const id = aliasColumn(part.table.id, 't')
  const texts = membersIn(part, range)
    .filter(({ reference, column }) => reference === null && column.getSQLType() === 'text')
    .map(({ column }) => sql`coalesce(octet_length(${aliasColumn(column, 't')}), 0)`)
  const size = texts.length === 0 ? sql`0` : sql.join(texts, sql` + `)
  return sql`(SELECT max(line) FROM (
    SELECT ${id} AS line, sum(${size}) OVER (ORDER BY ${id}) - (${size}) AS behind FROM ${part.table} t
      WHERE ${conditionOf(part, range)} ORDER BY ${id} ${limitTo(range.limit)})
    WHERE behind < ${range.bytes})`
}

/** A line of the archive. Its members have a fixed order, so that equal rows make equal lines. */
export function presentLine(
  part: Part,
  { withCredentials }: Pick<LineRange, 'withCredentials'>,
  row: Record<string, unknown>,
): Record<string, JsonValue> {
  const line: Record<string, JsonValue> = {}
  membersIn(part, { withCredentials }).forEach((member, n) => {
    line[member.name] = present(member, row[`m${n}`])
  })
  part.lists.forEach(({ name, members }, n) => {
    line[name] = (JSON.parse(String(row[`l${n}`])) as unknown[][]).map((cells) =>
      presentItem(members, cells),
    )
  })
  return part.hasCustomFields ? { ...line, ...presentCustomValues(String(row.custom)) } : line
}

function membersIn(
  { members }: Part,
  { withCredentials }: Pick<LineRange, 'withCredentials'>,
): readonly Member[] {
  return withCredentials ? members : members.filter(({ isCredential }) => !isCredential)
}

function presentItem(members: readonly Member[], cells: readonly unknown[]): JsonValue {
  const values = members.map((member, n) => [member.name, present(member, cells[n])] as const)
  const [only] = values
  return only?.[0] === '' ? only[1] : Object.fromEntries(values)
}

function present({ form, reference }: Member, stored: unknown): JsonValue {
  if (stored === null || stored === undefined) {
    return null
  }
  return reference === null ? form.present(stored as string | number) : (stored as JsonValue)
}

/** The column, or the name of the row that it refers to. */
function storedAs({ column, reference }: Member, alias: string): SQL {
  const own = aliasColumn(column, alias)
  const nameOf = reference === null ? null : referenceKind(reference.kind).nameOf
  return nameOf === null ? own : nameOf(own)
}

/** The rows of a list as a JSON list of lists. */
function selectItems({ table, owner, members, order, fixed }: List): SQL {
  const of = (column: SQLiteColumn) => aliasColumn(column, 'i')
  const cells = members.map((member) => storedAs(member, 'i'))
  const conditions = [
    sql`${of(owner)} = t.id`,
    ...fixed.map(({ column, value }) => sql`${of(column)} = ${value}`),
  ]
  return sql`(SELECT json_group_array(json_array(${sql.join(cells, sql`, `)})
      ORDER BY ${sql.join(order.map(of), sql`, `)})
    FROM ${table} i WHERE ${allOf(conditions)})`
}

function changeCondition({ changes }: Part, { since }: LineRange): SQL[] {
  if (since === null || changes === null) {
    return []
  }
  if ('at' in changes) {
    return [sql`${aliasColumn(changes.at, 't')} >= ${since}`]
  }
  // tags of comments leave the time of their bug as it is
  return [
    sql`${aliasColumn(changes.ofBug, 't')} IN (
      SELECT ${b.id} FROM bugs b WHERE ${b.changedAt} >= ${since}
      UNION SELECT ${h.bugId} FROM history h WHERE ${h.field} = 'comment_tag' AND ${h.changedAt} >= ${since})`,
  ]
}

/** Additions that add nothing are left out, except where they may take something away. */
function emptinessCondition(part: Part, { since }: LineRange): SQL[] {
  if (!part.isAddition || since !== null) {
    return []
  }
  const values = part.members
    .filter(({ name }) => name !== 'id')
    .map(({ column }) => sql`${aliasColumn(column, 't')} IS NOT NULL`)
  const lists = part.lists.map(
    ({ table, owner }) =>
      sql`EXISTS (SELECT 1 FROM ${table} i WHERE ${aliasColumn(owner, 'i')} = t.id)`,
  )
  return [anyOf([...values, ...lists])]
}
