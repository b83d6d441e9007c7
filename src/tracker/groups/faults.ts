import { type AnyFault, defineFault } from '../../platform/faults/fault.ts'

export const groupNameBlank = defineFault('groupNameBlank', 800, 'A group needs a name.')
export const groupNameTaken = defineFault<{ name: string }>(
  'groupNameTaken',
  801,
  (d) => `There is a group named '${d.name}' already.`,
)
export const groupNameForSeveral = defineFault(
  'groupNameForSeveral',
  801,
  'Only one group at a time can be given a new name.',
)
export const groupDescriptionMissing = defineFault(
  'groupDescriptionMissing',
  802,
  'A group needs a description.',
)
export const groupRegexpInvalid = defineFault<{ regexp: string }>(
  'groupRegexpInvalid',
  803,
  (d) => `'${d.regexp}' is not a regular expression that can be used here.`,
)
export const groupProtected = defineFault<{ group: string }>(
  'groupProtected',
  32000,
  (d) => `The group '${d.group}' keeps its rights over every group.`,
)
export const groupsDenied = defineFault(
  'groupsDenied',
  805,
  'You are not allowed to see these groups or their members.',
)

export const createGroupFaults: readonly AnyFault[] = [
  groupDescriptionMissing,
  groupNameBlank,
  groupNameTaken,
  groupRegexpInvalid,
]
