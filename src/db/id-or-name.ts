import type { SQL, SQLWrapper } from 'drizzle-orm'
import { parseIdOrName } from '../lib/id-or-name.ts'
import { sql } from './sql.ts'

/** Objects that a text may name by ID or by name, and what digits in such a text mean. */
export type NamedObjects = {
  readonly id: SQLWrapper
  /** The column that holds names in the form in which they are compared. */
  readonly name: SQLWrapper
  /** Brings a name into that form; names are folded otherwise. */
  readonly toComparable?: (name: string) => string
  /**
   * `id`: digits are an ID and never a name. `id-else-name`: digits are a name when no object has the ID.
   * `name-else-id`: digits are an ID when no object has the name.
   */
  readonly digits: 'id' | 'id-else-name' | 'name-else-id'
}

/** The condition that an object is named by the text; two may be unless digits are always an ID. */
export function idOrNameCondition(objects: NamedObjects, text: string): SQL {
  const { id, name, nameFold } = parseIdOrName(text)
  const comparable = objects.toComparable?.(name) ?? nameFold
  if (objects.digits === 'id') {
    return id === null ? sql`${objects.name} = ${comparable}` : sql`${objects.id} = ${id}`
  }
  // no object has the ID 0, and the statement stays the same for every text
  return sql`(${objects.id} = ${id ?? 0} OR ${objects.name} = ${comparable})`
}

/** The order that puts the object first that the text means, among those that it may name. */
export function idOrNameOrder(objects: NamedObjects, text: string): SQL {
  const hasId = sql`${objects.id} = ${parseIdOrName(text).id ?? 0}`
  return objects.digits === 'name-else-id' ? hasId : sql`${hasId} DESC`
}
