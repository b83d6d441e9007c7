import { customFields } from '../custom-fields/custom-fields.ts'
import { cc } from '../edits/cc.ts'
import { keywords } from '../edits/keywords.ts'
import { relations } from '../edits/relations/relations.ts'
import { seeAlso } from '../edits/see-also/see-also.ts'
import { tags } from '../edits/tags.ts'
import type { Capability } from '../model/capability.ts'
import { accessibleTo } from './accessible-to.ts'
import { choices } from './choices.ts'
import { comment } from './comment.ts'
import { commentPrivacyEdits } from './comment-privacy.ts'
import { flags } from './flags.ts'
import { groups } from './groups.ts'
import { hours, work } from './hours.ts'
import { people } from './people.ts'
import { productMove } from './product-move.ts'
import { status } from './status.ts'
import { texts } from './texts.ts'

/**
 * What Update Bug can do, in the order of its decisions, which is the order of its faults. Later ones
 * depend on earlier ones: `people`, `status`, `groups` and `cc` need the placement; `status` ends what
 * `work` and `hours` decide; `customFields` and `flags` judge the bug as it will be; `cc` writes the requestees
 * that `flags` adds; `comment` marks the duplicate that `status` decides.
 */
export const CAPABILITIES: readonly Capability[] = [
  productMove,
  work,
  texts,
  choices,
  people,
  accessibleTo,
  hours,
  status,
  customFields,
  relations,
  keywords,
  seeAlso,
  tags,
  flags,
  groups,
  cc,
  comment,
  commentPrivacyEdits,
]

/** History lists the edits of these behind those of all others, in this order. */
export const LAST_IN_HISTORY: readonly Capability[] = [customFields, cc, groups]
