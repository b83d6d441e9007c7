import { fault } from '../faults.ts'
import { cleanLine, lengthOf } from '../lib/text.ts'

const MAX_SUMMARY_LENGTH = 255
const MAX_FILE_NAME_LENGTH = 100

/** A summary as it is stored; fault 604 when it is blank, 104 when it is too long. */
export function parseAttachmentSummary(given: string | undefined): string {
  const summary = cleanLine(given ?? '')
  if (summary === '') {
    throw fault('attachmentSummaryMissing')
  }
  const length = lengthOf(summary)
  if (length > MAX_SUMMARY_LENGTH) {
    throw fault('textTooLong', { field: 'summary', length, most: MAX_SUMMARY_LENGTH })
  }
  return summary
}

/**
 * A file name as it is stored: without folders, and of a long one the end, where the extension is. Fault
 * 603 when nothing is left.
 */
export function parseFileName(given: string | undefined): string {
  const whole = cleanLine(given ?? '').replace(/^.*[/\\]/, '')
  const name = [...whole].slice(-MAX_FILE_NAME_LENGTH).join('').trim()
  if (name === '') {
    throw fault('fileNameMissing')
  }
  return name
}
