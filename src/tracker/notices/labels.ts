import { findFieldRow } from '../fields/names.ts'

/**
 * The label of a changed field in a mail. `displayName` comes from the definition of the field; null when no
 * definition has this name.
 */
export function labelField(
  field: string,
  displayName: string | null,
  attachmentId: number | null,
): string {
  const label = findFieldRow(field)?.label ?? displayName ?? field
  return attachmentId === null ? label : `Attachment #${attachmentId} ${label}`
}
