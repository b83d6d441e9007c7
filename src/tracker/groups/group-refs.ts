import type { SQL } from 'drizzle-orm'
import { groupUnknown } from '../../platform/access/faults.ts'
import { groups as groupsTable } from '../../platform/db/schema/groups.ts'
import { jsonList, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import {
  findUnknown,
  type IdsAndNames,
  isDigits,
  type NamedWithPath,
} from '../../platform/lib/id-or-name.ts'
import { fold } from '../../platform/lib/text.ts'

/** The groups that a request names, trimmed: digits in the path are an ID, anything else there is a name. */
export type GroupRefs = NamedWithPath

type NamedGroup = { readonly id: number; readonly name: string }

/** Parses the groups of the path, of `ids` and of `names`. */
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
    ? { ids: [requireId('id_or_name', path), ...ids], names, pathIsName: false }
    : { ids, names: [path, ...names], pathIsName: true }
}

/** Whether the request names no group. */
export function hasNoRefs({ ids, names }: GroupRefs): boolean {
  return ids.length + names.length === 0
}

/** Whether a row of `access_groups` is one of the groups. */
export function groupRefsCondition({ ids, names }: GroupRefs): SQL {
  return sql`(${groupsTable.id} IN ${jsonList(ids)}
    OR ${groupsTable.nameFold} IN ${jsonList(names.map(fold))})`
}

/** Refuses the first ID or name without a row. */
export function assertGroupsKnown(refs: IdsAndNames, rows: readonly NamedGroup[]): void {
  const unknown = findUnknown(refs, rows)
  if (unknown !== undefined) {
    throw fault(groupUnknown, { group: unknown })
  }
}
