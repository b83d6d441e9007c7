import type { SQL, SQLWrapper } from 'drizzle-orm'
import { parseIdOrName } from '../lib/id-or-name.ts'
import { sql } from './sql.ts'

/** A kind of object that a text names by ID or by name, and the meaning of digits in such a text. */
export type NamedObjects = {
  readonly id: SQLWrapper
  /** The column with the comparable form of names. */
  readonly name: SQLWrapper
  /** Converts a name to that form; names are folded by default. */
  readonly toComparable?: (name: string) => string
  /**
   * `id`: digits are an ID and never a name. `id-else-name`: digits are a name when no object has the ID.
   * `name-else-id`: digits are an ID when no object has the name.
   */
  readonly digits: 'id' | 'id-else-name' | 'name-else-id'
}

/** Whether a text names an object. Two objects may match, unless digits are always an ID. */
export function idOrNameCondition(objects: NamedObjects, text: string): SQL {
  const { id, name, nameFold } = parseIdOrName(text)
  const comparable = objects.toComparable?.(name) ?? nameFold
  if (objects.digits === 'id') {
    return id === null ? sql`${objects.name} = ${comparable}` : sql`${objects.id} = ${id}`
  }
  // no object has the ID 0, and the statement has the same text for all names
  return sql`(${objects.id} = ${id ?? 0} OR ${objects.name} = ${comparable})`
}

/** The order of matching objects in which the object that the text means is the first. */
export function idOrNameOrder(objects: NamedObjects, text: string): SQL {
  const hasId = sql`${objects.id} = ${parseIdOrName(text).id ?? 0}`
  return objects.digits === 'name-else-id' ? hasId : sql`${hasId} DESC`
}
