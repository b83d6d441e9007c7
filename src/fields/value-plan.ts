import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { abortUnlessChanged, type Statement } from '../db/commit.ts'
import { jsonList, jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import {
  boolean,
  limitItems,
  limitLength,
  names,
  requiredText,
  sortKey,
  text,
} from '../http/shapes.ts'
import { cleanBody, fold } from '../lib/text.ts'
import { type Controller, chosenControllers, type Held } from './control.ts'
import { placeAfter, valueName } from './definition.ts'
import { namesOrObjects } from './shapes.ts'

/** What can be said of a value of any field. */
export const valueDetails = {
  sort_key: sortKey(),
  is_active: boolean(),
  description: limitLength(text()),
  visibility_values: limitItems(names()),
}

const listedValue = z.object({ name: requiredText(), ...valueDetails })

export type ListedValue = z.output<typeof listedValue>

/** Values as names or as objects. */
export function listedValues() {
  return namesOrObjects(listedValue)
}

/** What is known of a value that exists. */
export type Existing = {
  readonly id: number
  readonly name: string
  readonly nameFold: string
  readonly sortKey: number
  readonly isActive: boolean
  readonly description: string
  readonly isOpen: boolean | null
  readonly revision: number
}

/** A value as it is to be; `id` is null for a new one. */
export type Planned = Omit<Existing, 'id' | 'nameFold'> & {
  readonly id: number | null
  /** Under which values of the value field it is to be offered; null leaves that as it is. */
  readonly under: readonly Held[] | null
}

/** The field that values belong to, and what may decide about them. */
export type Owner = {
  readonly name: string
  readonly valueField: string | null
  readonly controllers: readonly Controller[]
}

/**
 * What becomes of a list of values: names that the field has change in what is said of them, the others
 * are added behind the last one in their order. Faults 50, 51, 53, and 32000 for a name given twice.
 */
export function planValues(
  owner: Owner,
  existing: readonly Existing[],
  given: readonly ListedValue[],
): Planned[] {
  let last = Math.max(0, ...existing.map((value) => value.sortKey))
  const seen = new Set<string>()
  return given.map((item) => {
    const name = valueName(owner.name, item.name)
    if (seen.has(fold(name))) {
      throw fault('nameTaken', { kind: 'value', name })
    }
    seen.add(fold(name))
    const before = existing.find((value) => value.nameFold === fold(name))
    if (before === undefined) {
      last = item.sort_key ?? placeAfter(last, 100)
    }
    return {
      id: before?.id ?? null,
      name: before?.name ?? name,
      sortKey: item.sort_key ?? before?.sortKey ?? last,
      isActive: item.is_active ?? before?.isActive ?? true,
      description:
        item.description === undefined ? (before?.description ?? '') : cleanBody(item.description),
      isOpen: before?.isOpen ?? null,
      revision: before?.revision ?? 0,
      under: offeredUnder(owner, item.visibility_values, []),
    }
  })
}

/**
 * Under which values of the value field a value is to be offered; null when nothing is said. Faults 51, and
 * 53 where no field decides.
 */
export function offeredUnder(
  { valueField, controllers }: Owner,
  given: readonly string[] | undefined,
  held: readonly Held[],
): Held[] | null {
  if (given === undefined) {
    return null
  }
  if (valueField === null) {
    if (given.length === 0) {
      return null
    }
    const reason = 'needs a field with a value_field'
    throw fault('parameterInvalid', { field: 'visibility_values', reason })
  }
  return chosenControllers(valueField, given, controllers, held)
}

/** Writes the values of one field; those that exist as they were when this was decided. */
export function writeValues(fieldId: SQL, planned: readonly Planned[]): Statement[] {
  const rows = planned.map((value) => ({ ...value, nameFold: fold(value.name) }))
  const known = rows.filter(({ id }) => id !== null)
  const fresh = rows.filter(({ id }) => id === null)
  return [
    ...(known.length === 0
      ? []
      : [
          sql`UPDATE field_values SET name = r.value ->> 'name', name_fold = r.value ->> 'nameFold',
              sort_key = r.value ->> 'sortKey', is_active = r.value ->> 'isActive',
              description = r.value ->> 'description', is_open = r.value ->> 'isOpen',
              revision = field_values.revision + 1
            FROM ${jsonRows(known)}
            WHERE field_values.id = r.value ->> 'id'
              AND field_values.revision = r.value ->> 'revision'`,
          abortUnlessChanged(known.length),
        ]),
    ...(fresh.length === 0
      ? []
      : [
          sql`INSERT INTO field_values
              (field_id, name, name_fold, sort_key, is_active, description, is_open)
            SELECT ${fieldId}, r.value ->> 'name', r.value ->> 'nameFold', r.value ->> 'sortKey',
              r.value ->> 'isActive', r.value ->> 'description', r.value ->> 'isOpen'
            FROM ${jsonRows(fresh)} ORDER BY r.key`,
        ]),
    ...offered(fieldId, rows),
  ]
}

function offered(
  fieldId: SQL,
  rows: readonly { nameFold: string; under: Planned['under'] }[],
): Statement[] {
  const told = rows.flatMap(({ nameFold, under }) =>
    under === null ? [] : [{ nameFold, ids: under.map(({ id }) => id) }],
  )
  if (told.length === 0) {
    return []
  }
  return [
    sql`DELETE FROM value_visibility WHERE value_id IN (SELECT v.id FROM field_values v
      WHERE v.field_id = ${fieldId} AND v.name_fold IN ${jsonList(told.map((row) => row.nameFold))})`,
    sql`INSERT INTO value_visibility (value_id, controlling_id)
      SELECT v.id, c.value FROM ${jsonRows(told)}
      JOIN field_values v ON v.field_id = ${fieldId} AND v.name_fold = r.value ->> 'nameFold'
      JOIN json_each(r.value, '$.ids') AS c`,
  ]
}
