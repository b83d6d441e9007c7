import type * as z from 'zod'
import { columnsOf } from '../../../platform/db/drizzle-internals.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { CurrentBug } from './current-bug.ts'
import {
  type FieldChange,
  type FieldColumn,
  HISTORY_FIELDS,
  type RecordedField,
} from './history-fields.ts'

/** A field that a request sets by a text, whatever else it says. */
type PlainField = {
  [Name in RecordedField]: (typeof HISTORY_FIELDS)[Name] extends { parse: unknown } ? Name : never
}[RecordedField]

type Texts = Readonly<Partial<Record<PlainField, string | null | undefined>>>

/** In the order of their faults. */
const PLAIN_FIELDS = (Object.keys(HISTORY_FIELDS) as RecordedField[]).filter(
  (name): name is PlainField => 'parse' in HISTORY_FIELDS[name],
)

const KEYS: ReadonlyMap<unknown, string> = new Map(
  columnsOf(bugs).map(([key, column]) => [column, key]),
)

/** The parameters of plain fields, each with an atom of its own. */
export function plainInputs<Atom extends z.ZodType>(atom: () => Atom) {
  return Object.fromEntries(PLAIN_FIELDS.map((name) => [name, atom()])) as Record<PlainField, Atom>
}

/** What a request makes of the plain fields of a bug. A stored text may be one that today's rules refuse. */
export function plainChanges(input: Texts, { historyValues }: CurrentBug): FieldChange[] {
  return PLAIN_FIELDS.filter(
    (field) => input[field] !== undefined && input[field] !== historyValues[field],
  ).map((field) => {
    const value = parsePlain(field, input)
    return { field, value, folded: value && fold(value), added: value ?? '' }
  })
}

/** The columns of a new bug for its plain fields. */
export function plainColumns(input: Texts): Partial<typeof bugs.$inferInsert> {
  const cells = PLAIN_FIELDS.flatMap((field) => {
    const { column, companion }: FieldColumn = HISTORY_FIELDS[field]
    const value = parsePlain(field, input)
    const own = [KEYS.get(column), value]
    return companion === undefined ? [own] : [own, [KEYS.get(companion), value && fold(value)]]
  })
  return Object.fromEntries(cells)
}

function parsePlain(field: PlainField, input: Texts): string | null {
  return HISTORY_FIELDS[field].parse(input[field] ?? '')
}
