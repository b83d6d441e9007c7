import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { visibleBug } from '../access/visible.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { fields, fieldValues } from '../db/schema/fields.ts'
import { groups } from '../db/schema/groups.ts'
import { groupControls } from '../db/schema/products.ts'
import { users } from '../db/schema/users.ts'
import { jsonList, jsonRows } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'

/** The select fields that a bug has exactly one value of, by their API names, with their internal ones. */
export const CHOICES = {
  type: 'bug_type',
  priority: 'priority',
  severity: 'bug_severity',
  platform: 'rep_platform',
  op_sys: 'op_sys',
} as const

export type Choice = keyof typeof CHOICES

/** A value of a select field; `field` is the internal name. */
export type Value = {
  readonly id: number
  readonly field: string
  readonly name: string
  readonly nameFold: string
  readonly isActive: boolean
}

export type Status = {
  readonly id: number
  readonly name: string
  readonly nameFold: string
  readonly sortKey: number
  readonly isOpen: boolean
  readonly isActive: boolean
  /** Whether a new bug may start here, and whether it then needs a description. */
  readonly isInitial: boolean
  readonly needsDescription: boolean
}

export type Named = { readonly id: number; readonly login: string; readonly loginFold: string }

/** Reads select values by internal field name and value name. */
export function valuesNamed(wanted: readonly { field: string; name: string }[]) {
  const rows = wanted.map(({ field, name }) => ({ field, name: fold(name.trim()) }))
  return db
    .select({
      id: sql<number>`v.id`.as('value_id'),
      field: sql<string>`f.name`.as('field_name'),
      name: sql<string>`v.name`.as('value_name'),
      nameFold: sql<string>`v.name_fold`.as('name_fold'),
      isActive: sql<boolean>`v.is_active`.mapWith(Boolean).as('is_active'),
    })
    .from(sql`${jsonRows(rows)} JOIN fields f ON f.name = r.value ->> 'field'
      JOIN field_values v ON v.field_id = f.id AND v.name_fold = r.value ->> 'name'`)
}

/** Reads every value of a select field, in order. */
export function allValues(field: string) {
  return db
    .select({
      id: fieldValues.id,
      field: sql<string>`fields.name`.as('field_name'),
      name: sql<string>`field_values.name`.as('value_name'),
      nameFold: fieldValues.nameFold,
      isActive: fieldValues.isActive,
    })
    .from(fieldValues)
    .innerJoin(fields, eq(fields.id, fieldValues.fieldId))
    .where(eq(fields.name, field))
    .orderBy(asc(fieldValues.sortKey), asc(fieldValues.nameFold))
}

/** Reads the statuses of the workflow, in their order. */
export function allStatuses() {
  const start = sql`SELECT 1 FROM status_transitions t
    WHERE t.from_id IS NULL AND t.to_id = field_values.id`
  return db
    .select({
      id: fieldValues.id,
      name: fieldValues.name,
      nameFold: fieldValues.nameFold,
      sortKey: fieldValues.sortKey,
      isActive: fieldValues.isActive,
      isOpen: sql<boolean>`coalesce(field_values.is_open, 0)`.mapWith(Boolean).as('open_status'),
      isInitial: sql<boolean>`EXISTS (${start})`.mapWith(Boolean).as('is_initial'),
      needsDescription: sql<boolean>`EXISTS (${start} AND t.comment_required = 1)`
        .mapWith(Boolean)
        .as('needs_description'),
    })
    .from(fieldValues)
    .where(sql`field_values.field_id = (SELECT id FROM fields WHERE name = 'bug_status')`)
    .orderBy(asc(fieldValues.sortKey), asc(fieldValues.nameFold))
}

/** Reads people by login. */
export function peopleNamed(logins: readonly string[]) {
  return db
    .select({ id: users.id, login: users.login, loginFold: users.loginFold })
    .from(users)
    .where(sql`${users.loginFold} IN ${jsonList(logins.map((login) => fold(login.trim())))}`)
}

/** Reads the bug that has an alias, and whether the caller may know which one that is. */
export function bugsWithAlias(caller: Caller, alias: string) {
  return db
    .select({
      id: bugs.id,
      isVisible: sql<boolean>`${visibleBug(caller)}`.mapWith(Boolean).as('is_visible'),
    })
    .from(bugs)
    .where(eq(bugs.aliasFold, fold(alias.trim())))
}

/** Reads the group controls of products whose IDs `productIds`, a select in brackets, answers. */
export function controlsOf(productIds: SQL) {
  return db
    .select({
      productId: groupControls.productId,
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
    .where(sql`${groupControls.productId} IN ${productIds}`)
}

/**
 * The value that a caller chose for a select field. `held` is the one that a bug has already, which it may
 * keep though nobody may choose it any more. Faults 50 for a blank name, 104 for any other that is not to
 * be had.
 */
export function chosen(
  values: readonly Value[],
  choice: Choice,
  given: string,
  held?: string,
): Value {
  if (given.trim() === '') {
    throw fault('valueBlank', { field: choice })
  }
  const value = valueNamed(values, choice, given)
  if (value === undefined || !(value.isActive || value.name === held)) {
    throw fault('selectValueUnknown', { field: choice, value: given })
  }
  return value
}

/** The value that a select field gets when nobody chose one; fault 50 when the default does not exist. */
export function defaulted(values: readonly Value[], choice: Choice, name: string): Value {
  const value = valueNamed(values, choice, name)
  if (value === undefined) {
    throw fault('valueBlank', { field: choice })
  }
  return value
}

function valueNamed(values: readonly Value[], choice: Choice, given: string): Value | undefined {
  const name = fold(given.trim())
  return values.find((one) => one.field === CHOICES[choice] && one.nameFold === name)
}

/** The person with a login; fault 504 when there is none. Contract "Errors", Create Bug. */
export function personNamed(people: readonly Named[], field: string, login: string): Named {
  const person = indexOf(people).get(fold(login.trim()))
  if (person === undefined) {
    throw fault('userNotAllowedHere', { field, login })
  }
  return person
}

const indexes = new WeakMap<readonly Named[], Map<string, Named>>()

/** People by folded login, made once for each list: a request may name thousands, for many bugs. */
function indexOf(people: readonly Named[]): Map<string, Named> {
  const made = indexes.get(people) ?? new Map(people.map((one) => [one.loginFold, one]))
  indexes.set(people, made)
  return made
}

/** Refuses an alias that another bug has: fault 103. Contract "Errors", Create Bug. */
export function refuseTakenAlias(
  alias: string,
  holders: readonly { id: number; isVisible: boolean }[] | undefined,
  own?: number,
): void {
  const other = holders?.find(({ id }) => id !== own)
  if (other !== undefined) {
    const which = other.isVisible ? `bug ${other.id}` : 'another bug'
    throw fault('aliasInvalid', { alias, reason: `is taken by ${which}` })
  }
}
