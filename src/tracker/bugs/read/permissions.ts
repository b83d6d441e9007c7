import * as z from 'zod'
import { canTrackTime, hasRole, isMember, type Person } from '../../../platform/access/caller.ts'
import { maySetPrivacy } from '../../../platform/access/privacy.ts'
import { ROLES } from '../../../platform/access/roles.ts'
import { GROUP_CONTROL } from '../../../platform/db/schema/products.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { FIELD_CATALOGUE, type FieldRow } from '../../fields/catalogue.ts'
import { HISTORY_FIELDS } from '../model/history-fields.ts'
import { mayChange } from '../model/permissions.ts'
import { standingOf } from '../model/standing.ts'
import { canMove, canResolve } from '../model/status-move.ts'
import type { BugRow, StatusTuple } from './columns.ts'

export const permissionsShape = z
  .strictObject({
    fields: z.array(z.string()),
    statuses: z.array(z.strictObject({ name: z.string(), comment_required: z.boolean() })),
    groups: z.array(z.string()),
  })
  .partial()

/** A group that the product controls, or that the bug is in. */
type GroupTuple = [
  id: number,
  name: string,
  givesEditBugs: number,
  givesCanConfirm: number,
  isNeededToEdit: number,
  memberControl: number,
  isUsable: number,
  hasBug: number,
]

/** A status that the workflow leads to. */
type MoveTuple = [name: string, nameFold: string, isOpen: number, isCommentRequired: number]

/** What only the rules of status and resolution decide about. */
const MOVED: readonly string[] = ['status', 'resolution', 'is_confirmed', 'dupe_of']

/** Lists with rules of their own, or that follow from other bugs and from comments. */
const OTHER_LISTS = ['bug_group', 'cc', 'comment_tag', 'duplicates']

const LISTS = Object.entries<FieldRow>(FIELD_CATALOGUE).flatMap(([name, row]) =>
  ['set', 'rows', 'people'].includes(row.family) &&
  row.history === true &&
  !name.includes('.') &&
  !OTHER_LISTS.includes(name)
    ? [row.apiName ?? name]
    : [],
)

const CHANGEABLE: readonly string[] = [
  ...Object.keys(HISTORY_FIELDS).filter((field) => !MOVED.includes(field)),
  ...LISTS,
]

const NOTHING: z.input<typeof permissionsShape> = { fields: [], statuses: [], groups: [] }

/** What Change bugs would let this person do to the bug. */
export function presentPermissions(
  row: BugRow,
  person: Person | null,
  settings: Settings,
): z.input<typeof permissionsShape> {
  const controls: GroupTuple[] = JSON.parse(row.rightsGroups)
  const isClosed = controls.some(([id, , , , isNeeded]) => isNeeded === 1 && !isIn(person, id))
  if (person === null || isClosed) {
    return NOTHING
  }
  const standing = standingOf(person, {
    ...row,
    controls: controls.map(([groupId, , editBugs, canConfirm]) => ({
      groupId,
      editBugs: editBugs === 1,
      canConfirm: canConfirm === 1,
    })),
  })
  const [, isOpen]: StatusTuple = JSON.parse(row.status)
  const state = { status: { isOpen: isOpen === 1 }, isConfirmed: row.isConfirmed === 1 }
  const may = (field: string) =>
    mayChange({ field, standing, tracksTime: canTrackTime(person), settings })
  const others: readonly (readonly [field: string, isAllowed: boolean])[] = [
    ['resolution', canResolve(standing)],
    ['dupe_of', canResolve(standing)],
    ['work_time', may('estimated_time')],
    ['custom_fields', may('cf_')],
    ['minor_update', standing.editBugs],
    ['comment_is_private', maySetPrivacy(person, false, true)],
    ['comment_tags', mayTag(person, settings)],
  ]
  return {
    fields: [
      ...CHANGEABLE.filter(may),
      ...others.flatMap(([field, isAllowed]) => (isAllowed ? [field] : [])),
      ...FOR_EVERYBODY,
    ],
    statuses: (JSON.parse(row.nextStatuses) as MoveTuple[])
      .filter(([, nameFold, isOpen]) =>
        canMove(state, { nameFold, isOpen: isOpen === 1 }, standing),
      )
      .map(([name, , , isRequired]) => ({ name, comment_required: isRequired === 1 })),
    groups: controls
      .filter((control) => mayPutOrTake(person, control, may))
      .map(([, name]) => name),
  }
}

const FOR_EVERYBODY = ['cc', 'comment', 'flags', 'groups', 'tags']

function isIn(person: Person | null, groupId: number): boolean {
  return person !== null && isMember(person, groupId)
}

/** Members may use a group that is theirs to choose; one that the product does not know may only go. */
function mayPutOrTake(
  person: Person,
  [id, , , , , memberControl, isUsable, hasBug]: GroupTuple,
  may: (field: string) => boolean,
): boolean {
  if (memberControl === GROUP_CONTROL.NA) {
    return hasBug === 1 && may('groups')
  }
  const isFixed = memberControl === GROUP_CONTROL.MANDATORY && hasBug === 1
  return isIn(person, id) && !isFixed && (isUsable === 1 || hasBug === 1)
}

/** A setting that names no role names a group, which the operation looks up. */
function mayTag(person: Person, { COMMENT_TAGGERS_GROUP }: Settings): boolean {
  const name = COMMENT_TAGGERS_GROUP.trim()
  const role = ROLES.find((candidate) => candidate === name)
  return role === undefined ? name !== '' : hasRole(person, role)
}
