import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { fold } from '../../platform/lib/text.ts'
import { type ArchivedField, isCustomName, parseCustomValue } from './custom-values.ts'
import { type Cell, type JsonValue, rowIds } from './form.ts'
import { foldsOf, type List, type Member, type Part } from './part.ts'
import { type ReferenceName, referenceKey } from './references.ts'

/** A row of a table by the names of its columns in the schema. */
export type Row = Record<string, Cell>

/** A place in a row that is to hold the ID of what a name or number means. */
export type RowReference = {
  readonly kind: ReferenceName
  readonly key: string
  readonly row: Row
  readonly column: string
  /** How the line says it, for the reason of a refusal. */
  readonly text: string
}

/** A line as rows of tables; of the references only their key is known. */
export type ParsedLine = {
  readonly id: number
  readonly row: Row
  /** By the name of the list. */
  readonly items: Readonly<Record<string, readonly Row[]>>
  readonly customRows: readonly Row[]
  readonly references: readonly RowReference[]
}

/** Why a line does not fit; the message names the member. */
export class LineProblem extends Error {
  override readonly name = 'LineProblem'
}

/** Characters of a line: what it becomes has to fit into one value of D1. */
export const MAX_LINE = 1_000_000
const MAX_QUOTED = 80

/** Reads a line of a part. Throws a `LineProblem` for the first thing that does not fit. */
export function parseLine(
  part: Part,
  text: string,
  customFields: ReadonlyMap<string, ArchivedField>,
): ParsedLine {
  const line = parseObject(text)
  const references: RowReference[] = []
  const reader = { references, line }
  const row = readRow(reader, part.members, line, '', new Set(namesBeside(part, line)))
  const items = Object.fromEntries(
    part.lists.map((list) => [list.name, readList(reader, list, line[list.name])]),
  )
  const customRows = part.hasCustomFields ? readCustomValues(reader, customFields) : []
  addFolds(part.table, row)
  return { id: requireId(line), row, items, customRows, references }
}

type Line = Readonly<Record<string, JsonValue>>
type Reader = { readonly references: RowReference[]; readonly line: Line }

function parseObject(text: string): Line {
  if (text.length > MAX_LINE) {
    throw new LineProblem(`the line has more than ${MAX_LINE} characters`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LineProblem('the line is not valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new LineProblem('the line is not a JSON object')
  }
  return value as Line
}

function requireId({ id }: Line): number {
  const parsed = rowIds.parse(id ?? null)
  if (parsed === undefined) {
    throw new LineProblem(`id must be ${rowIds.expected}`)
  }
  return Number(parsed)
}

/** The names that a line may have beside its own members. */
function namesBeside({ lists, hasCustomFields }: Part, line: Line): string[] {
  const custom = hasCustomFields ? Object.keys(line).filter(isCustomName) : []
  return [...lists.map(({ name }) => name), ...custom]
}

function readRow(
  reader: Reader,
  members: readonly Member[],
  given: Line,
  place: string,
  others: ReadonlySet<string> = new Set(),
): Row {
  const known = new Set(members.map(({ name }) => name))
  const unknown = Object.keys(given).find((name) => !known.has(name) && !others.has(name))
  if (unknown !== undefined) {
    throw new LineProblem(`${place}${quote(unknown)} is no member of this part`)
  }
  const row: Row = {}
  for (const member of members) {
    readMember(reader, member, given, place, row)
  }
  return row
}

function readMember(
  { references }: Reader,
  member: Member,
  given: Line,
  place: string,
  row: Row,
): void {
  const { name, key, column, form, reference } = member
  const label = `${place}${name}` || 'the item'
  const value = given[name]
  if (value === undefined || value === null) {
    row[key] = emptyCell(column, value, label)
    return
  }
  if (reference === null) {
    const cell = form.parse(value)
    if (cell === undefined) {
      throw new LineProblem(`${label} must be ${form.expected}`)
    }
    row[key] = cell
    return
  }
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new LineProblem(`${label} must be a name or a number`)
  }
  const { kind, within } = reference
  const scope =
    within === undefined ? null : 'field' in within ? within.field : given[within.member]
  row[key] = null
  const inScope = typeof scope === 'string' ? ` of ${quote(scope)}` : ''
  references.push({
    kind,
    row,
    column: key,
    key: referenceKey(kind, value, typeof scope === 'string' ? scope : null),
    text: `${label} names ${quote(value)}${inScope}`,
  })
}

/** What a column holds where the line says nothing: null, or its default. */
function emptyCell(column: SQLiteColumn, value: JsonValue | undefined, label: string): Cell {
  if (!column.notNull) {
    return null
  }
  if (value === undefined && column.default !== undefined) {
    const { default: fallback } = column
    return typeof fallback === 'boolean' ? Number(fallback) : (fallback as Cell)
  }
  throw new LineProblem(value === null ? `${label} must not be null` : `${label} is missing`)
}

function readList(reader: Reader, list: List, given: JsonValue | undefined): Row[] {
  if (given === undefined) {
    return []
  }
  if (!Array.isArray(given)) {
    throw new LineProblem(`${list.name} must be a list`)
  }
  if (given.length > list.most) {
    throw new LineProblem(`${list.name} has more than ${list.most.toLocaleString('en')} items`)
  }
  const [only] = list.members
  const isScalar = only?.name === ''
  return (given as JsonValue[]).map((item, n) => {
    const place = `${list.name}[${n}]${isScalar ? '' : '.'}`
    if (!isScalar && (typeof item !== 'object' || item === null || Array.isArray(item))) {
      throw new LineProblem(`${list.name}[${n}] must be an object`)
    }
    const members = isScalar ? { '': item } : (item as Line)
    const row = readRow(reader, list.members, members, place)
    for (const { column, value } of list.fixed) {
      row[keyOf(list, column)] = value
    }
    addFolds(list.table, row)
    return row
  })
}

function keyOf({ table }: List, column: SQLiteColumn): string {
  return Object.entries(table).find(([, one]) => one === column)?.[0] ?? ''
}

function addFolds(table: List['table'], row: Row): void {
  for (const { key, of } of foldsOf(table)) {
    const value = row[of]
    if (value !== undefined) {
      row[key] = value === null ? null : fold(String(value))
    }
  }
}

function readCustomValues(
  { line, references }: Reader,
  customFields: ReadonlyMap<string, ArchivedField>,
): Row[] {
  return Object.keys(line)
    .filter(isCustomName)
    .flatMap((name) => {
      const field = customFields.get(name)
      const value = line[name] ?? null
      if (field === undefined) {
        throw new LineProblem(`${quote(name)} is no custom field of the part 'fields'`)
      }
      if (value === null) {
        return []
      }
      try {
        return parseCustomValue(value, field).map(({ choice, ...cells }) => {
          const row: Row = { ...cells, valueId: null }
          if (choice !== null) {
            references.push({
              kind: 'value',
              row,
              column: 'valueId',
              key: referenceKey('value', choice, name),
              text: `${name} names ${quote(choice)} of ${quote(name)}`,
            })
          }
          return row
        })
      } catch (error) {
        throw new LineProblem(`${name} ${error instanceof Error ? error.message : ''}`)
      }
    })
}

function quote(value: string | number): string {
  return `'${String(value).slice(0, MAX_QUOTED)}'`
}
