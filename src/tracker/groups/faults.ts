import { type AnyFault, defineFaults } from '../../platform/faults/fault.ts'

export const {
  groupNameBlank,
  groupNameTaken,
  groupNameForSeveral,
  groupDescriptionMissing,
  groupRegexpInvalid,
  groupProtected,
  groupsDenied,
  membersTooMany,
} = defineFaults({
  groupNameBlank: [800, 'A group needs a name.'],
  groupNameTaken: [801, "There is a group named '{name}' already."],
  groupNameForSeveral: [801, 'Only one group at a time can be given a new name.'],
  groupDescriptionMissing: [802, 'A group needs a description.'],
  groupRegexpInvalid: [803, "'{regexp}' is not a regular expression that can be used here."],
  groupProtected: [32000, "The group '{group}' keeps its rights over every group."],
  membersTooMany: [
    1001,
    "The groups have more than {most} members together; ask for fewer groups, or for the members whose names begin with a letter, by 'match=a*' and 'group_ids' of GET /rest/user.",
  ],
  groupsDenied: [805, 'You are not allowed to see these groups or their members.'],
})

export const createGroupFaults: readonly AnyFault[] = [
  groupDescriptionMissing,
  groupNameBlank,
  groupNameTaken,
  groupRegexpInvalid,
]
