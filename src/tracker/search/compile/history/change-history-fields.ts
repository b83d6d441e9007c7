import { BUG_TYPES } from '../../../../platform/db/schema/fields.ts'
import { toHistoryName } from '../../../fields/names.ts'
import { isLinkingField } from '../../../history/links.ts'
import type { SearchConfiguration } from '../../configuration.ts'

/** What the changes of a field are. */
export type ChangeSource =
  /** The rows of `history` for a field, by its name there. */
  | { readonly kind: 'field'; readonly name: string; readonly namesBugs: boolean }
  /** All rows of `history`. */
  | { readonly kind: 'anything' }
  /** Comments, or those with hours. */
  | { readonly kind: 'comments' | 'work' }
  /** The filing of the bug. */
  | { readonly kind: 'creation' }
  /** The field has no history. */
  | { readonly kind: 'none' }

/** Fields whose changes are not what `history` has for one field. */
const OTHER_SOURCES: Readonly<Record<string, ChangeSource>> = {
  anything: { kind: 'anything' },
  creation_ts: { kind: 'creation' },
  longdesc: { kind: 'comments' },
  'longdescs.count': { kind: 'comments' },
  work_time: { kind: 'work' },
}

/** What the changes of the field with this internal search name are. */
export function changeSourceOf(field: string, { customFields }: SearchConfiguration): ChangeSource {
  const custom = customFields.get(field)
  if (custom !== undefined) {
    return { kind: 'field', name: field, namesBugs: BUG_TYPES.includes(custom.type) }
  }
  const name = toHistoryName(field)
  return name === undefined
    ? (OTHER_SOURCES[field] ?? { kind: 'none' })
    : { kind: 'field', name, namesBugs: isLinkingField(name) }
}
