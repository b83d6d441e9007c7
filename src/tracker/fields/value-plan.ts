import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { abortUnlessChanged, type Statement } from '../../platform/db/commit.ts'
import { fieldValues, valueVisibility } from '../../platform/db/schema/fields.ts'
import {
  aliasColumns,
  columnName,
  columnNames,
  jsonList,
  jsonRows,
  sql,
} from '../../platform/db/sql.ts'
import { fault, invalidParameter, nameTaken, objectProtected } from '../../platform/faults/fault.ts'
import {
  boolean,
  limitItems,
  limitLength,
  names,
  requiredText,
  sortKey,
  text,
} from '../../platform/http/operations/shapes.ts'
import { cleanBody, fold } from '../../platform/lib/text.ts'
import { type Controller, type ControllerRow, requireControllers } from './control.ts'
import { computeNextSortKey, parseValueName } from './definition.ts'
import { EMPTY_CHOICE, EMPTY_CHOICE_REASON } from './empty-choice.ts'
import { namesOrObjects } from './shapes.ts'

const v = aliasColumns(fieldValues, 'v')

const FIELD_VALUES_COLUMNS = columnNames(
  fieldValues.fieldId,
  fieldValues.name,
  fieldValues.nameFold,
  fieldValues.sortKey,
  fieldValues.isActive,
  fieldValues.description,
  fieldValues.isOpen,
)

/** The input that creating and changing a value of any field share. */
export const valueDetails = {
  sort_key: sortKey(),
  is_active: boolean(),
  description: limitLength(text()),
  visibility_values: limitItems(names()),
}

const listedValue = z.object({ name: requiredText(), ...valueDetails })

type ListedValue = z.output<typeof listedValue>

/** A list of values, each a name or an object. */
export function listedValues() {
  return namesOrObjects(listedValue)
}

/** A value as it was read. */
export type ExistingValue = {
  readonly id: number
  readonly name: string
  readonly nameFold: string
  readonly sortKey: number
  readonly isActive: boolean
  readonly description: string
  readonly isOpen: boolean | null
  readonly revision: number
}

/** A value as it will be; `id` is null for a new one. */
export type ValuePlan = Omit<ExistingValue, 'id' | 'nameFold'> & {
  readonly id: number | null
  /** The values of the value field under which it will be offered; null keeps the present ones. */
  readonly controllers: readonly Controller[] | null
}

/** The field that has the values, and the loaded candidates for their controllers. */
type ValueOwner = {
  readonly name: string
  readonly valueField: string | null
  readonly hasEmptyChoice: boolean
  readonly controllers: readonly ControllerRow[]
}

/**
 * Plans a list of values: those that exist change in the given details, the others are added in their order
 * behind the last one. The empty choice, which reading a field lists too, stays as it is.
 */
export function planValues(
  owner: ValueOwner,
  existing: readonly ExistingValue[],
  values: readonly ListedValue[],
): ValuePlan[] {
  let lastSortKey = Math.max(0, ...existing.map((value) => value.sortKey))
  const namesSeen = new Set<string>()
  return values.flatMap((item) => {
    const name = parseValueName(owner.name, item.name)
    if (owner.hasEmptyChoice && name === EMPTY_CHOICE) {
      assertStaysActive(item)
      return []
    }
    if (namesSeen.has(fold(name))) {
      throw fault(nameTaken, { kind: 'value', name })
    }
    namesSeen.add(fold(name))
    const before = existing.find((value) => value.nameFold === fold(name))
    if (before === undefined) {
      lastSortKey = item.sort_key ?? computeNextSortKey(lastSortKey, 100)
    }
    return {
      id: before?.id ?? null,
      name: before?.name ?? name,
      sortKey: item.sort_key ?? before?.sortKey ?? lastSortKey,
      isActive: item.is_active ?? before?.isActive ?? true,
      description:
        item.description === undefined ? (before?.description ?? '') : cleanBody(item.description),
      isOpen: before?.isOpen ?? null,
      revision: before?.revision ?? 0,
      controllers: decideControllers(owner, item.visibility_values, []),
    }
  })
}

function assertStaysActive({ name, is_active: isActive }: ListedValue): void {
  if (isActive === false) {
    throw fault(objectProtected, { kind: 'value', name, reason: EMPTY_CHOICE_REASON })
  }
}

/** Decides under which values of the value field a value is offered; null when the input does not say. */
export function decideControllers(
  { valueField, controllers }: ValueOwner,
  names: readonly string[] | undefined,
  before: readonly Controller[],
): Controller[] | null {
  if (names === undefined) {
    return null
  }
  if (valueField === null) {
    if (names.length === 0) {
      return null
    }
    throw invalidParameter('visibility_values', 'needs a field with a value_field')
  }
  return requireControllers(valueField, names, controllers, before)
}

/** Writes planned values of one field, and aborts when an existing one has changed since it was read. */
export function valueStatements(fieldId: SQL, plans: readonly ValuePlan[]): Statement[] {
  const rows = plans.map((plan) => ({ ...plan, nameFold: fold(plan.name) }))
  const existing = rows.filter(({ id }) => id !== null)
  const added = rows.filter(({ id }) => id === null)
  return [
    ...(existing.length === 0
      ? []
      : [
          sql`UPDATE field_values SET ${columnName(fieldValues.name)} = r.value ->> 'name', ${columnName(fieldValues.nameFold)} = r.value ->> 'nameFold',
              ${columnName(fieldValues.sortKey)} = r.value ->> 'sortKey', ${columnName(fieldValues.isActive)} = r.value ->> 'isActive',
              ${columnName(fieldValues.description)} = r.value ->> 'description', ${columnName(fieldValues.isOpen)} = r.value ->> 'isOpen',
              ${columnName(fieldValues.revision)} = ${fieldValues.revision} + 1
            FROM ${jsonRows(existing)}
            WHERE ${fieldValues.id} = r.value ->> 'id'
              AND ${fieldValues.revision} = r.value ->> 'revision'`,
          abortUnlessChanged(existing.length),
        ]),
    ...(added.length === 0
      ? []
      : [
          sql`INSERT INTO field_values
              (${FIELD_VALUES_COLUMNS})
            SELECT ${fieldId}, r.value ->> 'name', r.value ->> 'nameFold', r.value ->> 'sortKey',
              r.value ->> 'isActive', r.value ->> 'description', r.value ->> 'isOpen'
            FROM ${jsonRows(added)} ORDER BY r.key`,
        ]),
    ...controllerStatements(fieldId, rows),
  ]
}

function controllerStatements(
  fieldId: SQL,
  rows: readonly { nameFold: string; controllers: ValuePlan['controllers'] }[],
): Statement[] {
  const changed = rows.flatMap(({ nameFold, controllers }) =>
    controllers === null ? [] : [{ nameFold, ids: controllers.map(({ id }) => id) }],
  )
  if (changed.length === 0) {
    return []
  }
  return [
    sql`DELETE FROM value_visibility WHERE ${valueVisibility.valueId} IN (SELECT ${v.id} FROM field_values v
      WHERE ${v.fieldId} = ${fieldId} AND ${v.nameFold} IN ${jsonList(changed.map((row) => row.nameFold))})`,
    sql`INSERT INTO value_visibility (${columnNames(valueVisibility.valueId, valueVisibility.controllingId)})
      SELECT ${v.id}, c.value FROM ${jsonRows(changed)}
      JOIN field_values v ON ${v.fieldId} = ${fieldId} AND ${v.nameFold} = r.value ->> 'nameFold'
      JOIN json_each(r.value, '$.ids') AS c`,
  ]
}
