import { customFieldsCapability } from '../custom-fields/custom-fields.ts'
import { ccCapability } from '../edits/cc.ts'
import { keywordsCapability } from '../edits/keywords.ts'
import { relationsCapability } from '../edits/relations/relations.ts'
import { seeAlsoCapability } from '../edits/see-also/see-also.ts'
import { tagsCapability } from '../edits/tags.ts'
import type { Capability } from '../model/capability.ts'
import { accessibleToCapability } from './accessible-to.ts'
import { choicesCapability } from './choices.ts'
import { commentCapability } from './comment.ts'
import { commentPrivacyCapability } from './comment-privacy.ts'
import { flagsCapability } from './flags.ts'
import { groupsCapability } from './groups.ts'
import { hoursCapability, workCapability } from './hours.ts'
import { peopleCapability } from './people.ts'
import { productMoveCapability } from './product-move.ts'
import { statusCapability } from './status.ts'
import { textsCapability } from './texts.ts'

/**
 * What Update Bug can do, in the order of its decisions, which is the order of its faults. Later ones
 * depend on earlier ones: `people`, `status`, `groups` and `cc` need the placement; `status` ends what
 * `work` and `hours` decide; `customFields` and `flags` judge the bug as it will be; `cc` writes the requestees
 * that `flags` adds; `comment` marks the duplicate that `status` decides.
 */
export const CAPABILITIES: readonly Capability[] = [
  productMoveCapability,
  workCapability,
  textsCapability,
  choicesCapability,
  peopleCapability,
  accessibleToCapability,
  hoursCapability,
  statusCapability,
  customFieldsCapability,
  relationsCapability,
  keywordsCapability,
  seeAlsoCapability,
  tagsCapability,
  flagsCapability,
  groupsCapability,
  ccCapability,
  commentCapability,
  commentPrivacyCapability,
]

/** History lists the edits of these behind those of all others, in this order. */
export const LAST_IN_HISTORY: readonly Capability[] = [
  customFieldsCapability,
  ccCapability,
  groupsCapability,
]
