import { fault, textTooLong } from '../../platform/faults/fault.ts'
import { cleanLine, lengthOf } from '../../platform/lib/text.ts'
import { attachmentSummaryMissing, fileNameMissing } from './faults.ts'

const MAX_SUMMARY_LENGTH = 255
const MAX_FILE_NAME_LENGTH = 100

export function parseAttachmentSummary(input: string | undefined): string {
  const summary = cleanLine(input ?? '')
  if (summary === '') {
    throw fault(attachmentSummaryMissing)
  }
  const length = lengthOf(summary)
  if (length > MAX_SUMMARY_LENGTH) {
    throw fault(textTooLong, { field: 'summary', length, most: MAX_SUMMARY_LENGTH })
  }
  return summary
}

/**
 * Parses a file name: drops folders, and the beginning of a long name, so that its extension stays.
 */
export function parseFileName(input: string | undefined): string {
  const whole = cleanLine(input ?? '').replace(/^.*[/\\]/, '')
  const name = [...whole].slice(-MAX_FILE_NAME_LENGTH).join('').trim()
  if (name === '') {
    throw fault(fileNameMissing)
  }
  return name
}
