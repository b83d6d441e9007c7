/**
 * What the system groups give, by the fixed word in their `role` column: groups may be renamed, what
 * they are for may not. Contract "Authentication", 5.
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
