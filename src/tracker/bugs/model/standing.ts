import type { SQL } from 'drizzle-orm'
import { type Caller, hasRole, isMember, type Person } from '../../../platform/access/caller.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { groupControls } from '../../../platform/db/schema/products.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import type { GroupControl } from './group-controls.ts'

const c = aliasColumns(groupControls, 'c')

/** What a person is to one bug, and what they may do to any bug of its product. */
export type Standing = {
  readonly editBugs: boolean
  readonly canConfirm: boolean
  readonly isAssigneeOrQa: boolean
  readonly isReporter: boolean
}

/** The part of a group control that gives rights to the members of its group. */
type RightsControl = Pick<GroupControl, 'groupId' | 'editBugs' | 'canConfirm'>

/** The column `controls` of a select from `bugs`: the group controls of the product of each bug. */
export const RIGHTS_CONTROLS: SQL<RightsControl[]> = sql`(
    SELECT json_group_array(json_array(${c.groupId}, ${c.editBugs}, ${c.canConfirm}))
    FROM group_controls c WHERE ${c.productId} = ${bugs.productId})`.mapWith(parseControls)

function parseControls(json: unknown): RightsControl[] {
  const rows = JSON.parse(String(json)) as [number, number, number][]
  return rows.map(([groupId, editBugs, canConfirm]) => ({
    groupId,
    editBugs: editBugs === 1,
    canConfirm: canConfirm === 1,
  }))
}

type StandingBug = {
  readonly controls: readonly RightsControl[]
  readonly assignedToId: number
  readonly qaContactId: number | null
  readonly reporterId: number
}

/** Returns what the person is to the bug, before any change of the request at hand. */
export function standingOf(person: Person, bug: StandingBug): Standing {
  return {
    ...rightsIn(person, bug.controls),
    isAssigneeOrQa: bug.assignedToId === person.id || bug.qaContactId === person.id,
    isReporter: bug.reporterId === person.id,
  }
}

/** What the caller may do to any bug of a product, by the system groups or by the product's own. */
export function rightsIn(caller: Caller, controls: readonly RightsControl[]) {
  const own = controls.filter((control) => isMember(caller, control.groupId))
  return {
    editBugs: hasRole(caller, 'editbugs') || own.some((control) => control.editBugs),
    canConfirm: hasRole(caller, 'canconfirm') || own.some((control) => control.canConfirm),
  }
}

/** Whether everything that the standing allows ends when the bug gets another assignee or QA contact. */
export function dependsOnRole({ isAssigneeOrQa, editBugs }: Standing): boolean {
  return isAssigneeOrQa && !editBugs
}
