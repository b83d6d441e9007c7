import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import type { FileContent } from './file-content.ts'

/** The deadlines of the bugs as an iCalendar (RFC 5545): a day for each bug that has one. */
export async function* writeCalendar({ bugs, url }: FileContent) {
  yield writeLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Lacewing//Deadlines//EN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(url.searchParams.get('title') ?? 'Deadlines of bugs')}`,
  ])
  for await (const bug of bugs) {
    yield writeLines(describeDeadline(bug, url))
  }
  yield writeLines(['END:VCALENDAR'])
}

function writeLines(lines: readonly string[]): string {
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function describeDeadline(bug: BugObject, { host, origin }: URL): string[] {
  const { id, deadline, summary = '', status = '', resolution = '' } = bug
  if (!deadline) {
    return []
  }
  const changed = (bug.last_change_time ?? '').replace(/[-:]/g, '')
  return [
    'BEGIN:VEVENT',
    `UID:bug-${id}@${host}`,
    `DTSTAMP:${changed}`,
    `LAST-MODIFIED:${changed}`,
    `DTSTART;VALUE=DATE:${deadline.replaceAll('-', '')}`,
    `SUMMARY:${escapeText(`Bug ${id}: ${summary}`)}`,
    `DESCRIPTION:${escapeText(`${status} ${resolution}`.trim())}`,
    `URL:${origin}/bug/${id}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r?\n/g, '\\n')
    .replace(/\p{Cc}/gu, '')
}

const MAX_LINE_BYTES = 75

/** Breaks a line that is too long, between characters. */
function fold(line: string): string {
  const encoder = new TextEncoder()
  let folded = ''
  let length = 0
  for (const character of line) {
    const { length: bytes } = encoder.encode(character)
    if (length + bytes > MAX_LINE_BYTES) {
      folded += '\r\n '
      length = 1
    }
    folded += character
    length += bytes
  }
  return folded
}
