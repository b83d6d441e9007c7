import { fault } from '../faults.ts'
import { compilePattern, type Pattern } from '../lib/pattern.ts'
import { cleanLine, lengthOf } from '../lib/text.ts'

const MAX_TEXT_LENGTH = 255

/** The name of a group: fault 800 when blank, 53 when longer than 255 characters. */
export function parseGroupName(given: string | undefined): string {
  const name = cleanLine(given ?? '')
  if (name === '') {
    throw fault('groupNameBlank')
  }
  return requireMaxLength('name', name)
}

/** What a group is for: fault 802 when blank. */
export function parseGroupDescription(given: string | undefined): string {
  const description = cleanLine(given ?? '')
  if (description === '') {
    throw fault('groupDescriptionMissing')
  }
  return description
}

/** The address of an icon; null when blank. Fault 53 when longer than 255 characters. */
export function parseGroupIcon(given: string | null): string | null {
  return requireMaxLength('icon_url', cleanLine(given ?? '')) || null
}

/**
 * The pattern of logins that makes members, with what it compiles to; blank matches nobody. Fault 803
 * when it is no regular expression that can be used.
 */
export async function parseGroupPattern(
  given: string | null | undefined,
): Promise<{ source: string; pattern: Pattern | null }> {
  const source = (given ?? '').trim()
  const pattern = source === '' ? null : await compilePattern(source)
  if (source !== '' && pattern === null) {
    throw fault('groupRegexpInvalid', { regexp: source.slice(0, MAX_TEXT_LENGTH) })
  }
  return { source, pattern }
}

function requireMaxLength(field: string, text: string): string {
  if (lengthOf(text) > MAX_TEXT_LENGTH) {
    throw fault('parameterInvalid', {
      field,
      reason: `may have at most ${MAX_TEXT_LENGTH} characters`,
    })
  }
  return text
}
