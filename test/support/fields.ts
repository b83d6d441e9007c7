import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { fold } from '../../src/lib/text.ts'
import { ANYONE, get, type Sender } from './client.ts'
import { write } from './happening.ts'
import type { TestProduct } from './world.ts'

type Row = { id: number; name: string }

/** The fields that a path below /rest/field/bug answers. */
export async function fieldsAt(path: string, who: Sender = ANYONE) {
  const answer = await get(who, `/rest/field/bug${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.fields
}

/** The legal values that a path below /rest/field/bug answers. */
export async function legalValuesAt(path: string, who: Sender = ANYONE): Promise<string[]> {
  const answer = await get(who, `/rest/field/bug${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.values
}

/** Another version, component or milestone of a product; answers its ID. */
export async function part(
  table: 'versions' | 'milestones',
  of: TestProduct,
  name: string,
  more: { sortKey?: number; isActive?: boolean } = {},
): Promise<number> {
  const [row] = await write(sql`INSERT INTO ${sql.raw(table)}
      (product_id, name, name_fold, sort_key, is_active)
    VALUES (${of.id}, ${name}, ${fold(name)}, ${more.sortKey ?? 0}, ${more.isActive === false ? 0 : 1})
    RETURNING id`)
  return Number(row?.id)
}

/** A value of a select field; answers its ID. */
export async function value(
  field: Row,
  name: string,
  more: { sortKey?: number; isActive?: boolean; description?: string } = {},
): Promise<number> {
  const { sortKey = 0, isActive = true, description = '' } = more
  const [row] = await write(sql`INSERT INTO field_values
      (field_id, name, name_fold, sort_key, is_active, description)
    VALUES (${field.id}, ${name}, ${fold(name)}, ${sortKey}, ${isActive ? 1 : 0}, ${description})
    RETURNING id`)
  return Number(row?.id)
}

/** Shows a field only while another has one of these values. */
export async function showUnder(field: Row, controller: string, ids: number[]): Promise<void> {
  await write(
    sql`UPDATE fields SET visibility_field_id = (SELECT f.id FROM fields f WHERE f.name = ${controller})
      WHERE id = ${field.id}`,
    ...ids.map(
      (id) =>
        sql`INSERT INTO field_visibility (field_id, controlling_id) VALUES (${field.id}, ${id})`,
    ),
  )
}

/** Offers a value of a field only while the field's value field has one of these values. */
export async function offerUnder(
  field: Row,
  controller: string,
  valueId: number,
  ids: number[],
): Promise<void> {
  await write(
    sql`UPDATE fields SET value_field_id = (SELECT f.id FROM fields f WHERE f.name = ${controller})
      WHERE id = ${field.id}`,
    ...ids.map(
      (id) =>
        sql`INSERT INTO value_visibility (value_id, controlling_id) VALUES (${valueId}, ${id})`,
    ),
  )
}

/** The ID of a value of a field that every installation has. */
export async function valueId(field: string, name: string): Promise<number> {
  const [row] = await write(sql`SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
    WHERE f.name = ${field} AND v.name = ${name}`)
  return Number(row?.id)
}
