import { isMember, type Person } from '../../access/caller.ts'
import { GROUP_CONTROL } from '../../db/schema/products.ts'
import { fault } from '../../faults.ts'
import { fold } from '../../lib/text.ts'
import type { Edit } from '../edits/statements.ts'
import { type Control, mandatoryGroups, usableControls } from '../model/group-controls.ts'

const { NA, MANDATORY } = GROUP_CONTROL

/** A group that a bug is in. */
type HeldGroup = readonly [id: number, nameFold: string, isActive: number]

export type GroupChanges = {
  readonly bugId: number
  /** JSON: the groups that the bug is in. */
  readonly held: string
  /** The product that the bug is in, or goes to. */
  readonly product: { readonly id: number; readonly name: string }
  readonly isMove: boolean
  /** The group controls of that product, perhaps among others. */
  readonly controls: readonly (Control & { readonly productId: number })[]
  readonly edit:
    | { readonly add?: string[]; readonly remove?: string[]; readonly set?: string[] }
    | undefined
}

/**
 * The groups that an update puts a bug into and takes it out of; null when it leaves them alone. A move to
 * another product takes off the groups that mean nothing there and adds those that are mandatory there;
 * then come the edits of the request. Who is not in a group may add or remove it only while moving the
 * bug. A mandatory group stays. Pure. Contract "Bug", groups; fault 120 for a group that the caller may
 * not add or remove, whatever the reason.
 */
export function decideGroups(person: Person, asked: GroupChanges): Edit | null {
  const { bugId, held, product, isMove, edit } = asked
  if (edit === undefined && !isMove) {
    return null
  }
  const there = new Map(
    (JSON.parse(held) as HeldGroup[]).map(([id, name, isActive]) => [id, { name, isActive }]),
  )
  const controls = asked.controls.filter(({ productId }) => productId === product.id)
  const byGroup = new Map(controls.map((control) => [control.groupId, control]))
  const add = new Set(isMove ? mandatoryGroups(person, controls) : [])
  const remove = new Set(isMove ? [...there.keys()].filter((id) => !isValid(byGroup.get(id))) : [])
  const rules: Rules = { person, product: product.name, isMove, there, controls, byGroup }
  for (const name of [...(edit?.set ?? edit?.add ?? [])]) {
    add.add(added(rules, name))
  }
  for (const id of edit?.set === undefined ? [] : there.keys()) {
    // what is mandatory stays, as it comes with every new bug
    if (!add.has(id) && !remove.has(id) && !isFixed(rules, id)) {
      remove.add(removable(rules, id, there.get(id)?.name ?? ''))
    }
  }
  for (const name of edit?.set === undefined ? (edit?.remove ?? []) : []) {
    remove.add(removable(rules, heldNamed(rules, add, name), name))
  }
  return { bugId, add: [...add].filter((id) => !remove.has(id)), remove: [...remove] }
}

type Rules = {
  readonly person: Person
  readonly product: string
  readonly isMove: boolean
  readonly there: ReadonlyMap<number, { readonly name: string; readonly isActive: number }>
  readonly controls: readonly Control[]
  readonly byGroup: ReadonlyMap<number, Control>
}

function isValid(control: Control | undefined): boolean {
  return control !== undefined && control.memberControl !== NA
}

function added({ person, product, isMove, there, controls, byGroup }: Rules, name: string): number {
  const asked = fold(name.trim())
  const [own] = [...there].find(([, group]) => group.name === asked) ?? []
  if (own !== undefined && (!isMove || isValid(byGroup.get(own)))) {
    return own
  }
  const control = usableControls(controls).find((one) => one.nameFold === asked)
  const applying =
    control !== undefined && isMember(person, control.groupId)
      ? control.memberControl
      : isMove
        ? (control?.otherControl ?? NA)
        : NA
  if (control === undefined || applying === NA) {
    throw fault('groupDenied', { group: name, product })
  }
  return control.groupId
}

/** The group of that name that the bug is in, or that it is about to come into. */
function heldNamed({ product, there, controls }: Rules, add: ReadonlySet<number>, name: string) {
  const asked = fold(name.trim())
  const [own] = [...there].find(([, group]) => group.name === asked) ?? []
  const coming = controls.find(({ groupId, nameFold }) => nameFold === asked && add.has(groupId))
  const id = own ?? coming?.groupId
  if (id === undefined) {
    throw fault('groupDenied', { group: name, product })
  }
  return id
}

function removable(rules: Rules, id: number, name: string): number {
  const { person, product, isMove, byGroup } = rules
  const control = byGroup.get(id)
  if (control === undefined || !isValid(control)) {
    return id
  }
  const isOthersChoice = isMove && ![NA, MANDATORY].includes(control.otherControl)
  if (isFixed(rules, id) || !(isMember(person, id) || isOthersChoice)) {
    throw fault('groupDenied', { group: name, product })
  }
  return id
}

function isFixed({ byGroup }: Rules, id: number): boolean {
  const control = byGroup.get(id)
  return control?.memberControl === MANDATORY && control.isActive
}
