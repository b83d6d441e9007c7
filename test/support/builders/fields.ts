import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import {
  FIELD_TYPE,
  type FieldTypeName,
  SELECT_TYPES,
} from '../../../src/platform/db/schema/fields.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { post, type Sender } from '../client.ts'
import { execute } from '../database/execute.ts'
import { uniqueName } from './unique.ts'

type Field = { readonly id: number; readonly name: string }

/** Inserts a custom field of a type; returns its ID and its name. */
export async function insertCustomField(
  type: number,
  more: { isObsolete?: boolean; values?: string[] } = {},
): Promise<{ id: number; name: string }> {
  const name = `cf_${uniqueName('field').toLowerCase()}`
  const [row] =
    await execute(sql`INSERT INTO fields (name, display_name, type, is_custom, is_obsolete)
    VALUES (${name}, ${name}, ${type}, 1, ${more.isObsolete ? 1 : 0}) RETURNING id`)
  const id = Number(row?.id)
  await execute(
    ...(more.values ?? []).map(
      (value) => sql`INSERT INTO field_values (field_id, name, name_fold)
        VALUES (${id}, ${value}, ${fold(value)})`,
    ),
  )
  return { id, name }
}

/** The values of the fields of choices that `insertFieldOfEachType` inserts. */
export const CHOICES = ['Blue', 'Red', 'Sky, high']

/** Inserts a custom field of each type. */
export async function insertFieldOfEachType(): Promise<Record<FieldTypeName, Field>> {
  const made = await Promise.all(
    (Object.keys(FIELD_TYPE) as FieldTypeName[]).map(async (name) => {
      const type = FIELD_TYPE[name]
      const values = SELECT_TYPES.includes(type) ? CHOICES : []
      return [name, await insertCustomField(type, { values })] as const
    }),
  )
  return Object.fromEntries(made) as Record<FieldTypeName, Field>
}

/** Inserts a value of a select field; returns its ID. */
export async function insertFieldValue(
  field: Field,
  name: string,
  more: { sortKey?: number; isActive?: boolean; description?: string } = {},
): Promise<number> {
  const { sortKey = 0, isActive = true, description = '' } = more
  const [row] = await execute(sql`INSERT INTO field_values
      (field_id, name, name_fold, sort_key, is_active, description)
    VALUES (${field.id}, ${name}, ${fold(name)}, ${sortKey}, ${isActive ? 1 : 0}, ${description})
    RETURNING id`)
  return Number(row?.id)
}

/** Creates a custom field over HTTP; returns its ID and its name. */
export async function postCustomField(
  admin: Sender,
  body: Record<string, unknown>,
): Promise<{ id: number; name: string }> {
  const name = `cf_${uniqueName('f').toLowerCase()}`
  const answer = await post(admin, '/rest/field/bug', { name, ...body })
  expect(answer.status, answer.text).toBe(201)
  return { id: answer.body.id, name }
}

/** Adds a value to a field over HTTP; returns its ID. */
export async function postFieldValue(
  admin: Sender,
  field: string,
  name: string,
  more: Record<string, unknown> = {},
): Promise<number> {
  const answer = await post(admin, `/rest/field/bug/${field}/values`, { name, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

/** Inserts a value of a custom field for a bug: a text, a number, or one of the choices. */
export async function setCustomValue(
  bugId: number,
  field: { id: number },
  value: { text: string } | { number: number } | { choice: string },
): Promise<void> {
  const text = 'text' in value ? value.text : null
  const number = 'number' in value ? value.number : null
  const choice = 'choice' in value ? value.choice : null
  await execute(sql`INSERT INTO custom_values (bug_id, field_id, text, text_fold, number, value_id)
    VALUES (${bugId}, ${field.id}, ${text}, ${text}, ${number},
      (SELECT id FROM field_values WHERE field_id = ${field.id} AND name = ${choice}))`)
}

/** Makes a field visible only while its controlling field has one of these values. */
export async function showFieldUnder(
  field: Field,
  controller: string,
  ids: number[],
): Promise<void> {
  await execute(
    sql`UPDATE fields SET visibility_field_id = (SELECT f.id FROM fields f WHERE f.name = ${controller})
      WHERE id = ${field.id}`,
    ...ids.map(
      (id) =>
        sql`INSERT INTO field_visibility (field_id, controlling_id) VALUES (${field.id}, ${id})`,
    ),
  )
}

/** Makes a value selectable only while the value field has one of these values. */
export async function offerValueUnder(
  field: Field,
  controller: string,
  valueId: number,
  ids: number[],
): Promise<void> {
  await execute(
    sql`UPDATE fields SET value_field_id = (SELECT f.id FROM fields f WHERE f.name = ${controller})
      WHERE id = ${field.id}`,
    ...ids.map(
      (id) =>
        sql`INSERT INTO value_visibility (value_id, controlling_id) VALUES (${valueId}, ${id})`,
    ),
  )
}

/** The ID of a value of a field that every installation has. */
export async function loadValueId(field: string, name: string): Promise<number> {
  const [row] = await execute(sql`SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
    WHERE f.name = ${field} AND v.name = ${name}`)
  return Number(row?.id)
}
