import { isMember, type Person } from '../../../platform/access/caller.ts'
import { bugGroups, bugs } from '../../../platform/db/schema/bugs.ts'
import { groups as groupsTable } from '../../../platform/db/schema/groups.ts'
import { GROUP_CONTROL, products } from '../../../platform/db/schema/products.ts'
import { fault } from '../../../platform/faults/fault.ts'
import type { EditSet } from '../../../platform/http/operations/edit-set.ts'
import { fold } from '../../../platform/lib/text.ts'
import { delimitedList, strictEditSet } from '../edits/list-input.ts'
import { editMembers, type Membership } from '../edits/statements.ts'
import {
  type Capability,
  capability,
  type Edit,
  type FilingCapability,
  filingCapability,
  readVersionOf,
} from '../model/capability.ts'
import type { BugGroup } from '../model/current-bug.ts'
import { groupDenied } from '../model/faults.ts'
import { selectGroupControls } from '../model/field-values.ts'
import {
  decideNewGroups,
  type GroupControl,
  mandatoryGroups,
  usableControls,
} from '../model/group-controls.ts'
import { namesProduct, productsOf } from './product-move-load.ts'

const { NA, MANDATORY } = GROUP_CONTROL

const GROUPS: Membership = {
  field: 'groups',
  table: bugGroups,
  column: bugGroups.groupId,
  itemTable: groupsTable,
  nameColumn: groupsTable.name,
  foldColumn: groupsTable.nameFold,
}

/**
 * Groups of bugs. A move to another product removes the groups that do not apply there and adds its mandatory
 * ones; the edits of the request follow. Non-members of a group may add or remove it only with a move. A
 * mandatory group stays. The refusal of a group does not reveal the reason.
 */
export const groupsCapability: Capability = capability({
  // a misspelled list would leave the bug open to everybody
  input: { groups: strictEditSet() },

  /** Products differ in the groups of their bugs. */
  isRequestedBy(parameter) {
    return ['product'].includes(parameter)
  },

  load({ bugs }, input) {
    const isNeeded = namesProduct(input) || input.groups !== undefined
    return { groupControls: isNeeded ? selectGroupControls(productsOf(bugs, input)) : undefined }
  },

  decideBug({ bug, placement, preconditions }, { input, known, person }) {
    const { product, isMove } = placement
    const groups = decideGroups(person, {
      bugId: bug.id,
      groups: bug.groups,
      product,
      isMove,
      controls: known.groupControls ?? [],
      edit: input.groups,
    })
    const sameProduct = { id: bug.id, number: bug.productId } as const
    return groups === null
      ? {}
      : {
          groups,
          preconditions: [
            ...preconditions,
            { table: bugs, column: bugs.productId, ...sameProduct },
            readVersionOf(products, product),
          ],
        }
  },

  decideAll(decisions) {
    const edits = decisions.flatMap(({ groups }) => groups ?? [])
    return edits.length === 0 ? {} : { edits: [editMembers(GROUPS, edits)] }
  },
})

export const groupsOfNewBug: FilingCapability = filingCapability({
  input: { groups: delimitedList(/,/) },

  decide({ input, person, draft }) {
    return { groupIds: decideNewGroups(person, draft.product.name, draft.controls, input.groups) }
  },
})

/** The groups of a bug, and what a request says of them. */
export type GroupChanges = {
  readonly bugId: number
  readonly groups: readonly BugGroup[]
  /** The product that the bug is in, or goes to. */
  readonly product: { readonly id: number; readonly name: string }
  readonly isMove: boolean
  /** The group controls of that product, perhaps among others. */
  readonly controls: readonly (GroupControl & { readonly productId: number })[]
  readonly edit: EditSet | undefined
}

/** Decides what `groups` describes; null when the request leaves the groups alone. Pure. */
export function decideGroups(person: Person, changes: GroupChanges): Edit | null {
  const { bugId, product, isMove, edit } = changes
  if (edit === undefined && !isMove) {
    return null
  }
  const current = new Map(changes.groups.map((group) => [group.id, group]))
  const controls = changes.controls.filter(({ productId }) => productId === product.id)
  const byGroup = new Map(controls.map((control) => [control.groupId, control]))
  const add = new Set(isMove ? mandatoryGroups(person, controls) : [])
  const remove = new Set(
    isMove ? [...current.keys()].filter((id) => !isValid(byGroup.get(id))) : [],
  )
  const rules: Rules = { person, product: product.name, isMove, current, controls, byGroup }
  for (const name of edit?.set ?? edit?.add ?? []) {
    add.add(requireAddable(rules, name))
  }
  for (const [id, { nameFold }] of edit?.set === undefined ? [] : current) {
    // mandatory groups stay
    if (!add.has(id) && !remove.has(id) && !isFixed(rules, id)) {
      remove.add(requireRemovable(rules, id, nameFold))
    }
  }
  for (const name of edit?.set === undefined ? (edit?.remove ?? []) : []) {
    remove.add(requireRemovable(rules, requireCurrent(rules, add, name), name))
  }
  return { bugId, add: [...add].filter((id) => !remove.has(id)), remove: [...remove] }
}

type Rules = {
  readonly person: Person
  readonly product: string
  readonly isMove: boolean
  readonly current: ReadonlyMap<number, BugGroup>
  readonly controls: readonly GroupControl[]
  readonly byGroup: ReadonlyMap<number, GroupControl>
}

function isValid(control: GroupControl | undefined): boolean {
  return control !== undefined && control.memberControl !== NA
}

/** The group of that name, if the caller may add it. */
function requireAddable(rules: Rules, name: string): number {
  const { person, product, isMove, controls, byGroup } = rules
  const own = currentNamed(rules, name)
  if (own !== undefined && (!isMove || isValid(byGroup.get(own)))) {
    return own
  }
  const control = usableControls(controls).find((one) => one.nameFold === fold(name.trim()))
  const applying =
    control !== undefined && isMember(person, control.groupId)
      ? control.memberControl
      : isMove
        ? (control?.otherControl ?? NA)
        : NA
  if (control === undefined || applying === NA) {
    throw fault(groupDenied, { group: name, product })
  }
  return control.groupId
}

/** The group of that name, if the bug is in it or about to be added to it. */
function requireCurrent(rules: Rules, add: ReadonlySet<number>, name: string): number {
  const { product, controls } = rules
  const nameFold = fold(name.trim())
  const added = controls.find(
    (control) => control.nameFold === nameFold && add.has(control.groupId),
  )
  const id = currentNamed(rules, name) ?? added?.groupId
  if (id === undefined) {
    throw fault(groupDenied, { group: name, product })
  }
  return id
}

function currentNamed({ current }: Rules, name: string): number | undefined {
  const nameFold = fold(name.trim())
  return [...current.values()].find((group) => group.nameFold === nameFold)?.id
}

/** The group, if the caller may remove it. */
function requireRemovable(rules: Rules, id: number, name: string): number {
  const { person, product, isMove, byGroup } = rules
  const control = byGroup.get(id)
  if (control === undefined || !isValid(control)) {
    return id
  }
  const isOthersChoice = isMove && ![NA, MANDATORY].includes(control.otherControl)
  if (isFixed(rules, id) || !(isMember(person, id) || isOthersChoice)) {
    throw fault(groupDenied, { group: name, product })
  }
  return id
}

function isFixed({ byGroup }: Rules, id: number): boolean {
  const control = byGroup.get(id)
  return control?.memberControl === MANDATORY && control.isActive
}
