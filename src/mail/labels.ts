/** Fields whose name at the API is not the one that their definition is kept under, and history's own. */
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
 * What a change of a field is called in a mail. `displayName` is that of the field's definition, null
 * when it has none under this name.
 */
export function labelOf(
  field: string,
  displayName: string | null,
  attachmentId: number | null,
): string {
  const label = LABELS[field] ?? displayName ?? field
  return attachmentId === null ? label : `Attachment #${attachmentId} ${label}`
}
