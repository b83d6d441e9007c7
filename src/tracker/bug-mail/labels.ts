/** Labels of fields whose name in history differs from the name of their definition, or that have none. */
const LABELS: Readonly<Record<string, string>> = {
  summary: 'Summary',
  status: 'Status',
  severity: 'Severity',
  type: 'Type',
  platform: 'Platform',
  url: 'URL',
  whiteboard: 'Status Whiteboard',
  is_confirmed: 'Ever Confirmed',
  is_cc_accessible: 'CC Accessible',
  is_creator_accessible: 'Reporter Accessible',
  depends_on: 'Depends on',
  blocks: 'Blocks',
  regressions: 'Regressions',
  dupe_of: 'Duplicate of',
  groups: 'Group',
  'attachments.description': 'Description',
  'attachments.filename': 'Filename',
  'attachments.mimetype': 'Mime Type',
  'attachments.ispatch': 'Is Patch',
  'attachments.isobsolete': 'Is Obsolete',
  'attachments.isprivate': 'Is Private',
}

/**
 * The label of a changed field in a mail. `displayName` comes from the definition of the field; null when no
 * definition has this name.
 */
export function labelField(
  field: string,
  displayName: string | null,
  attachmentId: number | null,
): string {
  const label = LABELS[field] ?? displayName ?? field
  return attachmentId === null ? label : `Attachment #${attachmentId} ${label}`
}
