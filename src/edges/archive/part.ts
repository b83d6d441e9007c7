import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { columnsOf } from '../../platform/db/drizzle-internals.ts'
import { formOfColumn, type StoredForm } from './form.ts'
import type { ReferenceName } from './references.ts'

/** A member of a line, and the column that holds it. */
export type Member = {
  readonly name: string
  /** The name of the column in the schema. */
  readonly key: string
  readonly column: SQLiteColumn
  readonly form: StoredForm
  readonly reference: Reference | null
  /** Whether it is in the archive only with credentials. */
  readonly isCredential: boolean
}

/** `within` names the member that holds the product; of a value, the field itself. */
type Reference = {
  readonly kind: ReferenceName
  readonly within?: { readonly member: string } | { readonly field: string }
}

/** What a member may say of itself beside its column. */
type Given =
  | SQLiteColumn
  | {
      readonly column: SQLiteColumn
      readonly form?: StoredForm
      readonly reference?: Reference
      readonly isCredential?: boolean
    }

/** Rows of another table that belong to a line, which holds them as a list. */
export type List = {
  readonly name: string
  readonly table: SQLiteTable
  /** The column that names the line. */
  readonly owner: SQLiteColumn
  /** One member without a name: the items are its values. */
  readonly members: readonly Member[]
  readonly order: readonly SQLiteColumn[]
  /** Columns with a constant value, which selects the rows too. */
  readonly fixed: readonly { readonly column: SQLiteColumn; readonly value: string }[]
  /** How many items a line may have. */
  readonly most: number
}

type LineTable = SQLiteTable & { readonly id: SQLiteColumn }

/** One file of the archive. Its lines have the numbers of the rows of `table`, in ascending order. */
export type Part = {
  readonly name: string
  readonly summary: string
  readonly table: LineTable
  /** Whether lines add to rows that another part has made, instead of making rows. */
  readonly isAddition: boolean
  readonly members: readonly Member[]
  readonly lists: readonly List[]
  /** Whether lines have the custom fields of bugs as members. */
  readonly hasCustomFields: boolean
  /** The column by which a line belongs to a bug, or its time: what `since` goes by; null for whole parts. */
  readonly changes: { readonly ofBug: SQLiteColumn } | { readonly at: SQLiteColumn } | null
  readonly isCredential: boolean
  /** Members that no two lines share, regardless of case; lines in which the last one is null do not count. */
  readonly distinct: readonly (readonly string[])[]
  /** Columns of the table that are not in the archive, and why. */
  readonly leftOut: Readonly<Record<string, string>>
  /** Values of columns that the archive does not have, for new rows. */
  readonly made: Readonly<Record<string, 'webhook secret' | 'object key'>>
}

/** The first member of each line is the number of its row, `id`. */
export function part(
  name: string,
  summary: string,
  table: LineTable,
  given: Readonly<Record<string, Given>>,
  more: Partial<Omit<Part, 'name' | 'table' | 'members'>> = {},
): Part {
  return {
    name,
    summary,
    table,
    isAddition: false,
    lists: [],
    hasCustomFields: false,
    changes: null,
    isCredential: false,
    distinct: [],
    leftOut: {},
    made: {},
    members: membersOf(table, { id: table.id, ...given }),
    ...more,
  }
}

export function list(
  name: string,
  table: SQLiteTable,
  owner: SQLiteColumn,
  given: Readonly<Record<string, Given>> | Given,
  {
    order,
    fixed = {},
    most = Number.POSITIVE_INFINITY,
  }: {
    /** The column of the first member, if it says nothing. */
    order?: readonly SQLiteColumn[]
    fixed?: Readonly<Record<string, string>>
    most?: number
  } = {},
): List {
  const isScalar = 'dataType' in given || 'column' in given
  const columns = new Map(columnsOf(table))
  const members = membersOf(table, isScalar ? { '': given as Given } : given)
  return {
    name,
    table,
    owner,
    order: order ?? members.slice(0, 1).map(({ column }) => column),
    most,
    members,
    fixed: Object.entries(fixed).map(([key, value]) => ({
      column: columns.get(key) as SQLiteColumn,
      value,
    })),
  }
}

function membersOf(table: SQLiteTable, given: Readonly<Record<string, Given>>): Member[] {
  const keys = new Map(columnsOf(table).map(([key, { name }]) => [name, key]))
  return Object.entries(given).map(([name, one]) => {
    const {
      column,
      form,
      reference = null,
      isCredential = false,
    } = 'column' in one ? one : { column: one }
    const key = keys.get(column.name) ?? ''
    return { name, key, column, form: form ?? formOfColumn(key, column), reference, isCredential }
  })
}

/** Members that are called as their columns are. */
export function own<Table extends SQLiteTable>(
  table: Table,
  ...keys: readonly (string & keyof Table['$inferSelect'])[]
): Record<string, SQLiteColumn> {
  const columns = new Map(columnsOf(table))
  return Object.fromEntries(
    keys.map((key) => {
      const column = columns.get(key) as SQLiteColumn
      return [column.name, column]
    }),
  )
}

/** A member that holds the name of a row: of a person, a product … */
export function refer(kind: ReferenceName, column: SQLiteColumn) {
  return { column, reference: { kind } }
}

/** A component, version or milestone of the product that the member `product` names. */
export function ofProduct(kind: 'component' | 'version' | 'milestone', column: SQLiteColumn) {
  return { column, reference: { kind, within: { member: 'product' } } }
}

/** A value of a field. */
export function aValue(field: string, column: SQLiteColumn) {
  return { column, reference: { kind: 'value' as const, within: { field } } }
}

/** Columns that hold another one folded, for comparison and search. */
export function foldsOf(table: SQLiteTable): { key: string; column: SQLiteColumn; of: string }[] {
  return columnsOf(table).flatMap(([key, column]) =>
    key.endsWith('Fold')
      ? [{ key, column: column as SQLiteColumn, of: key.slice(0, -'Fold'.length) }]
      : [],
  )
}
