import { fault } from '../faults.ts'
import { cleanLine, lengthOf } from '../lib/text.ts'

const LONGEST_SUMMARY = 255
const LONGEST_FILE_NAME = 100

/** A summary as it is stored; fault 604 when it is blank, 104 when it is too long. */
export function acceptedSummary(given: string | undefined): string {
  const summary = cleanLine(given ?? '')
  if (summary === '') {
    throw fault('attachmentSummaryMissing')
  }
  const length = lengthOf(summary)
  if (length > LONGEST_SUMMARY) {
    throw fault('textTooLong', { field: 'summary', length, most: LONGEST_SUMMARY })
  }
  return summary
}

/**
 * A file name as it is stored: without folders, and of a long one the end, where the extension is. Fault
 * 603 when nothing is left.
 */
export function acceptedFileName(given: string | undefined): string {
  const whole = cleanLine(given ?? '').replace(/^.*[/\\]/, '')
  const name = [...whole].slice(-LONGEST_FILE_NAME).join('').trim()
  if (name === '') {
    throw fault('fileNameMissing')
  }
  return name
}
