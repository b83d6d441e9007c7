import { type Caller, isMember } from '../../../platform/access/caller.ts'
import { GROUP_CONTROL } from '../../../platform/db/schema/products.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { groupDenied } from './faults.ts'

/** One row of a product's group controls, with its group. */
export type GroupControl = {
  readonly groupId: number
  readonly name: string
  readonly nameFold: string
  readonly isActive: boolean
  readonly isBugGroup: boolean
  readonly memberControl: number
  readonly otherControl: number
  readonly editBugs: boolean
  readonly canConfirm: boolean
}

const { SHOWN, DEFAULT, MANDATORY } = GROUP_CONTROL

/**
 * The groups of a new bug: the named ones or the defaults of the product, and its mandatory ones. The refusal
 * of a group does not reveal the reason.
 */
export function decideNewGroups(
  caller: Caller,
  product: string,
  controls: readonly GroupControl[],
  names: readonly string[] | undefined,
): number[] {
  const usable = usableControls(controls)
  const selected =
    names === undefined
      ? usable.filter((control) => controlOf(caller, control) === DEFAULT)
      : names.map((name) => requireUsable(caller, product, usable, name))
  return [
    ...new Set([...mandatoryGroups(caller, controls), ...selected.map(({ groupId }) => groupId)]),
  ]
}

/** The groups that every new bug of the caller is in. */
export function mandatoryGroups(caller: Caller, controls: readonly GroupControl[]): number[] {
  return usableControls(controls)
    .filter((control) => isMandatory(caller, control))
    .map(({ groupId }) => groupId)
}

/** The controls of groups that bugs may still be put into. */
export function usableControls(controls: readonly GroupControl[]): GroupControl[] {
  return controls.filter((control) => control.isActive && control.isBugGroup)
}

/** The control of the group of that name, if the caller may use it. */
function requireUsable(
  caller: Caller,
  product: string,
  usable: readonly GroupControl[],
  name: string,
): GroupControl {
  const control = usable.find((one) => one.nameFold === fold(name.trim()))
  if (control === undefined || controlOf(caller, control) < SHOWN) {
    throw fault(groupDenied, { group: name, product })
  }
  return control
}

function isMandatory(caller: Caller, control: GroupControl): boolean {
  return control.memberControl === MANDATORY || controlOf(caller, control) === MANDATORY
}

/** The control of the group for the caller: that of members or that of others. */
function controlOf(caller: Caller, control: GroupControl): number {
  return isMember(caller, control.groupId) ? control.memberControl : control.otherControl
}
