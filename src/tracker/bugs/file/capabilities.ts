import { groupsOfNewBug } from '../change/groups.ts'
import { customFieldsOfNewBug } from '../custom-fields/custom-fields.ts'
import { ccOfNewBug } from '../edits/cc.ts'
import { keywordsOfNewBug } from '../edits/keywords.ts'
import { relationsOfNewBug } from '../edits/relations/relations.ts'
import { seeAlsoOfNewBug } from '../edits/see-also/see-also.ts'
import type { FilingCapability } from '../model/capability.ts'

/** The lists and custom fields that Create Bug takes, in the order of its decisions and so of its faults. */
export const FILING_CAPABILITIES: readonly FilingCapability[] = [
  groupsOfNewBug,
  ccOfNewBug,
  keywordsOfNewBug,
  relationsOfNewBug,
  seeAlsoOfNewBug,
  customFieldsOfNewBug,
]
