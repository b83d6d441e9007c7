import type { SQL } from 'drizzle-orm'
import { jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { assertId } from '../http/assert-id.ts'
import { isDigits } from '../lib/id-or-name.ts'
import { fold } from '../lib/text.ts'

/** Groups that a call names: digits in the path are an ID, everything else there is a name. */
export type GroupRefs = {
  readonly ids: readonly number[]
  /** As they were given, trimmed. */
  readonly names: readonly string[]
  /** Whether the path stands among the names rather than the IDs. */
  readonly pathIsName: boolean
}

type GroupName = { readonly id: number; readonly name: string }

/**
 * The groups of the path, of `ids` and of `names`, united. Contract "Conventions". Fault 52 for a number
 * in the path that is no ID.
 */
export function parseGroupRefs(input: {
  id_or_name?: string
  ids?: readonly number[] | undefined
  names?: readonly string[] | undefined
}): GroupRefs {
  const ids = [...(input.ids ?? [])]
  const names = (input.names ?? []).map((name) => name.trim())
  const path = input.id_or_name?.trim() ?? ''
  if (path === '') {
    return { ids, names, pathIsName: false }
  }
  return isDigits(path)
    ? { ids: [assertId('id_or_name', path), ...ids], names, pathIsName: false }
    : { ids, names: [path, ...names], pathIsName: true }
}

/** Whether nothing is named. */
export function hasNoRefs({ ids, names }: GroupRefs): boolean {
  return ids.length + names.length === 0
}

/** The condition on `access_groups` that a group is among those named. */
export function groupRefsCondition({ ids, names }: GroupRefs): SQL {
  return sql`(access_groups.id IN ${jsonList(ids)}
    OR access_groups.name_fold IN ${jsonList(names.map(fold))})`
}

/** The named ones among the groups found, in the order in which they were named, each once. */
export function orderGroups<Row extends GroupName>(asked: GroupRefs, rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byName = new Map(rows.map((row) => [fold(row.name), row]))
  const named = asked.names.map((name) => byName.get(fold(name)))
  const numbered = asked.ids.map((id) => byId.get(id))
  const [first, ...others] = named
  const all = asked.pathIsName ? [first, ...numbered, ...others] : [...numbered, ...named]
  return [...new Set(all)].filter((row) => row !== undefined)
}

/** Fault 51 for the first name that no group found has. */
export function assertGroupNamesKnown({ names }: GroupRefs, rows: readonly GroupName[]): void {
  const known = new Set(rows.map(({ name }) => fold(name)))
  const unknown = names.find((name) => !known.has(fold(name)))
  if (unknown !== undefined) {
    throw fault('groupUnknown', { group: unknown })
  }
}

/** Fault 51 for the first ID that no group found has. */
export function assertGroupIdsKnown({ ids }: GroupRefs, rows: readonly GroupName[]): void {
  const known = new Set(rows.map(({ id }) => id))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) {
    throw fault('groupUnknown', { group: String(unknown) })
  }
}
