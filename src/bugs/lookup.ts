import { and, asc, eq, sql } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { fields, fieldValues } from '../db/schema/fields.ts'
import { groups } from '../db/schema/groups.ts'
import { groupControls } from '../db/schema/products.ts'
import { users } from '../db/schema/users.ts'
import { jsonList, jsonRows } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'

/** The select fields that a bug has exactly one value of: API name, internal name, column. */
export const CHOICES = {
  type: { field: 'bug_type', column: 'type_id' },
  priority: { field: 'priority', column: 'priority_id' },
  severity: { field: 'bug_severity', column: 'severity_id' },
  platform: { field: 'rep_platform', column: 'platform_id' },
  op_sys: { field: 'op_sys', column: 'op_sys_id' },
} as const

export type Choice = keyof typeof CHOICES

export type Value = { id: number; field: string; name: string; nameFold: string }
export type Status = {
  id: number
  name: string
  nameFold: string
  isOpen: boolean
  isInitial: number
}
export type Named = { id: number; login: string; loginFold: string }

/** Reads select values by field and name. */
export function valuesNamed(wanted: readonly { field: string; name: string }[]) {
  const rows = wanted.map(({ field, name }) => ({ field, name: fold(name.trim()) }))
  return db
    .select({
      id: sql<number>`v.id`.as('value_id'),
      field: sql<string>`f.name`.as('field_name'),
      name: sql<string>`v.name`.as('value_name'),
      nameFold: sql<string>`v.name_fold`.as('name_fold'),
    })
    .from(sql`${jsonRows(rows)} JOIN fields f ON f.name = r.value ->> 'field'
      JOIN field_values v ON v.field_id = f.id AND v.name_fold = r.value ->> 'name'`)
}

/** Reads the whole workflow's statuses, in their order. */
export function allStatuses() {
  return db
    .select({
      id: fieldValues.id,
      name: fieldValues.name,
      nameFold: fieldValues.nameFold,
      isOpen: sql<boolean>`coalesce(field_values.is_open, 0)`.mapWith(Boolean).as('open_status'),
      isInitial: sql<number>`EXISTS (SELECT 1 FROM status_transitions t
        WHERE t.from_id IS NULL AND t.to_id = field_values.id)`.as('is_initial'),
    })
    .from(fieldValues)
    .where(sql`field_values.field_id = (SELECT id FROM fields WHERE name = 'bug_status')`)
    .orderBy(asc(fieldValues.sortKey), asc(fieldValues.nameFold))
}

/** Reads the names of a field's active values, to tell somebody what may be chosen. */
export function valueNames(field: string) {
  return db
    .select({ name: sql<string>`field_values.name`.as('value_name') })
    .from(fieldValues)
    .innerJoin(fields, eq(fields.id, fieldValues.fieldId))
    .where(and(eq(fields.name, field), eq(fieldValues.isActive, true)))
    .orderBy(asc(fieldValues.sortKey))
}

/** Reads people by login. */
export function peopleNamed(logins: readonly string[]) {
  return db
    .select({ id: users.id, login: users.login, loginFold: users.loginFold })
    .from(users)
    .where(sql`${users.loginFold} IN ${jsonList(logins.map((login) => fold(login.trim())))}`)
}

/** Reads the group controls of the product with a folded name. */
export function controlsOf(productFold: string) {
  return db
    .select({
      groupId: groupControls.groupId,
      name: groups.name,
      nameFold: groups.nameFold,
      isActive: groups.isActive,
      isBugGroup: groups.isBugGroup,
      memberControl: groupControls.memberControl,
      otherControl: groupControls.otherControl,
      editBugs: groupControls.editBugs,
      canConfirm: groupControls.canConfirm,
    })
    .from(groupControls)
    .innerJoin(groups, eq(groups.id, groupControls.groupId))
    .where(
      sql`${groupControls.productId} = (SELECT id FROM products WHERE name_fold = ${productFold})`,
    )
}

/** The value of a select field by its name. Faults 50 for a blank one, 104 for an unknown one. */
export function chosen(values: readonly Value[], choice: Choice, given: string): Value {
  const name = fold(given.trim())
  if (name === '') {
    throw fault('valueBlank', { field: choice })
  }
  const { field } = CHOICES[choice]
  const value = values.find((one) => one.field === field && one.nameFold === name)
  if (value === undefined) {
    throw fault('selectValueUnknown', { field: choice, value: given })
  }
  return value
}

/** The person with a login; fault 504 when there is none. Contract "Errors", Create Bug. */
export function personNamed(people: readonly Named[], field: string, login: string): Named {
  const person = people.find((one) => one.loginFold === fold(login.trim()))
  if (person === undefined) {
    throw fault('userNotAllowedHere', { field, login })
  }
  return person
}
