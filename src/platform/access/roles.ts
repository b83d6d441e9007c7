/**
 * The roles of system groups, as in their `role` column. A role stays the same when its group is renamed.
 */
export const ROLES = [
  'admin',
  'tweakparams',
  'editusers',
  'disableusers',
  'creategroups',
  'editclassifications',
  'editcomponents',
  'editkeywords',
  'editbugs',
  'canconfirm',
  'edittriageowners',
  'insider',
  'timetracking',
  'codehost-webhook-bot',
] as const

export type Role = (typeof ROLES)[number]
