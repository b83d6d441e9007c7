import { requireLine, requireMaxLength } from '../../platform/faults/checks.ts'
import { fault } from '../../platform/faults/fault.ts'
import { compilePattern, type Pattern } from '../../platform/lib/pattern.ts'
import { cleanLine } from '../../platform/lib/text.ts'
import { groupDescriptionMissing, groupNameBlank, groupRegexpInvalid } from './faults.ts'

const MAX_TEXT_LENGTH = 255

export function parseGroupName(text = ''): string {
  return requireLine('name', text, MAX_TEXT_LENGTH, () => fault(groupNameBlank))
}

/** Parses what a group is for. */
export function parseGroupDescription(text: string | undefined): string {
  const description = cleanLine(text ?? '')
  if (description === '') {
    throw fault(groupDescriptionMissing)
  }
  return description
}

/** Parses the address of an icon; null when blank. */
export function parseGroupIcon(text: string | null): string | null {
  return requireMaxLength('icon_url', cleanLine(text ?? ''), MAX_TEXT_LENGTH) || null
}

/** Parses and compiles the pattern of the logins that belong to a group; a blank one matches nobody. */
export async function parseGroupPattern(
  text: string | null | undefined,
): Promise<{ source: string; pattern: Pattern | null }> {
  const source = (text ?? '').trim()
  const pattern = source === '' ? null : await compilePattern(source)
  if (source !== '' && pattern === null) {
    throw fault(groupRegexpInvalid, { regexp: source.slice(0, MAX_TEXT_LENGTH) })
  }
  return { source, pattern }
}

/** What an update of a group can change. */
export type GroupState = {
  readonly name: string
  readonly description: string
  readonly userRegexp: string
  readonly isActive: boolean
  readonly iconUrl: string | null
}

/** A group as the audit log and the records of changes tell it. */
export function presentGroupState(state: GroupState) {
  return {
    name: state.name,
    description: state.description,
    user_regexp: state.userRegexp,
    is_active: state.isActive,
    icon_url: state.iconUrl,
  }
}
