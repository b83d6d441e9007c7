import { canTrackTime, type Person } from '../../../platform/access/caller.ts'
import { textOfAny } from '../../../platform/lib/text.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { canTag } from '../../comments/tagging.ts'
import { RELATION_PARAMETERS } from '../edits/relations/relations.ts'
import { rightsIn } from '../model/standing.ts'
import type { FileBugInput } from './input.ts'
import type { KnownForFiling } from './load.ts'

/** The parameters of a new bug that the caller has given and may not set, so that they are ignored. */
export function listIgnored(
  person: Person,
  { SUBMITTER_CHOOSES_PRIORITY }: Pick<Settings, 'SUBMITTER_CHOOSES_PRIORITY'>,
  input: FileBugInput,
  { controls, tagRight }: KnownForFiling,
): string[] {
  const { editBugs, canConfirm } = rightsIn(person, controls)
  const mayTag = tagRight !== undefined && canTag(tagRight)
  const names = [
    ...(editBugs ? [] : ['assigned_to', 'qa_contact', ...RELATION_PARAMETERS]),
    ...(editBugs || canConfirm ? [] : ['status', 'resolution']),
    ...(SUBMITTER_CHOOSES_PRIORITY ? [] : ['priority']),
    ...(canTrackTime(person) ? [] : ['deadline', 'estimated_time', 'remaining_time']),
    ...(mayTag ? [] : ['comment_tags']),
  ]
  const given: Readonly<Record<string, unknown>> = input
  const isGiven = (value: unknown) => textOfAny(value ?? '').trim() !== ''
  return names.filter((name) => [given[name]].flat().some(isGiven))
}
