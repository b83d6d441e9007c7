import type { Person } from '../../../platform/access/caller.ts'
import { type FlagInput, flagInputs } from '../../flags/input.ts'
import { type FlagRows, selectFlags } from '../../flags/load.ts'
import { createFlagPlanner } from '../../flags/plan.ts'
import type { FlagEdits } from '../../flags/plan-edits.ts'
import type { FlaggedBug } from '../../flags/rules.ts'
import { flagStatements, listChangedBugs, listNewRequestees } from '../../flags/write.ts'
import { type BugDecision, type Capability, capability, type Edit } from '../model/capability.ts'
import type { RecordedField } from '../model/history-fields.ts'
import { namesProduct, productIdNamed } from './product-move-load.ts'

/**
 * Flags of bugs, and where a bug moves also of its attachments. Whether a requestee sees the bug is judged by the
 * decisions of this request; requestees go on the CC list even when the request takes them off.
 */
export const flagsCapability: Capability = capability({
  input: { flags: flagInputs() },

  /** A move carries flags to the types of the new place. */
  isRequestedBy(parameter) {
    return ['product', 'component'].includes(parameter)
  },

  load({ bugs }, { flags: inputs = [], product, component }) {
    const moves = namesProduct({ product })
    return selectFlags({
      inputs,
      bugs,
      movesBugs: moves || Boolean(component?.trim()),
      ...(moves ? { products: productIdNamed(product) } : {}),
    })
  },

  decideAll(decisions, { input, known, person, recording }) {
    const rules = createFlagPlanner(person, known)
    const edits = decisions.flatMap((decision) => {
      const bug = rules.findBug(decision.bug.id)
      return bug === undefined
        ? []
        : rules.planBugFlags(flaggedBugAfter(bug, decision), input.flags)
    })
    return {
      decisions: addRequesteesToCc(decisions, edits),
      touchedBugs: listChangedBugs(edits),
      parts: { flags: flagStatements(edits, recording) },
    }
  },
})

/** Decides the flags that a bug is filed with. Pure. */
export function decideNewFlags(
  person: Person,
  known: FlagRows,
  bug: Omit<FlaggedBug, 'id'>,
  inputs: readonly FlagInput[] | undefined,
): FlagEdits[] {
  return inputs === undefined || inputs.length === 0
    ? []
    : createFlagPlanner(person, known).planBugFlags({ ...bug, id: 'new' }, inputs)
}

/** Puts the requestees of flags on the CC list in each decision, and never takes them off it. */
function addRequesteesToCc(
  decisions: readonly BugDecision[],
  edits: readonly FlagEdits[],
): readonly BugDecision[] {
  const requestees = new Map(listNewRequestees(edits).map(({ bugId, userIds }) => [bugId, userIds]))
  return decisions.map((decision) => {
    const userIds = requestees.get(decision.bug.id)
    if (userIds === undefined) {
      return decision
    }
    const { add, remove } = decision.cc ?? { add: [], remove: [] }
    const cc = {
      bugId: decision.bug.id,
      add: [...new Set([...add, ...userIds])],
      remove: remove.filter((id) => !userIds.includes(id)),
    }
    return { ...decision, cc }
  })
}

/** The bug as it will be once everything that was decided is done. */
function flaggedBugAfter(bug: FlaggedBug, { changes, groups, cc }: BugDecision): FlaggedBug {
  const values = new Map(changes.map(({ field, value }) => [field, value]))
  const number = (field: RecordedField, current: number) => Number(values.get(field) ?? current)
  const qaContact = values.get('qa_contact')
  return {
    ...bug,
    productId: number('product', bug.productId),
    componentId: number('component', bug.componentId),
    assignedToId: number('assigned_to', bug.assignedToId),
    qaContactId: qaContact === undefined ? bug.qaContactId : (qaContact as number | null),
    isCcAccessible: number('is_cc_accessible', Number(bug.isCcAccessible)) === 1,
    isCreatorAccessible: number('is_creator_accessible', Number(bug.isCreatorAccessible)) === 1,
    groupIds: applyEdit(bug.groupIds, groups),
    ccIds: applyEdit(bug.ccIds, cc),
  }
}

function applyEdit(ids: readonly number[], edit: Edit | null): number[] {
  return [...ids.filter((id) => !edit?.remove.includes(id)), ...(edit?.add ?? [])]
}
