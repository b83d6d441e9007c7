import type { Person } from '../../access/caller.ts'
import type { FlagInput } from '../../flags/input.ts'
import type { KnownFlags } from '../../flags/load.ts'
import { flagRules } from '../../flags/plan.ts'
import type { FlagEdits } from '../../flags/plan-edits.ts'
import type { FlaggedBug } from '../../flags/rules.ts'
import type { Edit } from '../edits/statements.ts'
import type { Field } from '../model/history-fields.ts'
import type { Decision } from './decide.ts'

type Inputs = readonly FlagInput[] | undefined

/** The flags that a bug is filed with. Pure. Contract "Bugs", Create Bug body, flags; faults of the flags. */
export function flagsOfNewBug(
  person: Person,
  known: KnownFlags,
  bug: Omit<FlaggedBug, 'id'>,
  inputs: Inputs,
): FlagEdits[] {
  return inputs === undefined || inputs.length === 0
    ? []
    : flagRules(person, known).ofBug({ ...bug, id: 'new' }, inputs)
}

/**
 * What becomes of the flags of bugs, and where these move also of the flags of their attachments. People
 * are asked by what they will see when all else that was decided is done. Pure. Contract "Bugs", flags.
 */
export function flagsOfChange(
  person: Person,
  known: KnownFlags,
  decisions: readonly Decision[],
  inputs: Inputs,
): FlagEdits[] {
  const rules = flagRules(person, known)
  return decisions.flatMap((decision) => {
    const bug = rules.bug(decision.bug.id)
    return bug === undefined ? [] : rules.ofBug(afterwards(bug, decision), inputs)
  })
}

function afterwards(bug: FlaggedBug, { changes, groups, cc }: Decision): FlaggedBug {
  const values = new Map(changes.map(({ field, value }) => [field, value]))
  const number = (field: Field, held: number) => Number(values.get(field) ?? held)
  const qaContact = values.get('qa_contact')
  return {
    ...bug,
    productId: number('product', bug.productId),
    componentId: number('component', bug.componentId),
    assignedToId: number('assigned_to', bug.assignedToId),
    qaContactId: qaContact === undefined ? bug.qaContactId : (qaContact as number | null),
    isCcAccessible: number('is_cc_accessible', Number(bug.isCcAccessible)) === 1,
    isCreatorAccessible: number('is_creator_accessible', Number(bug.isCreatorAccessible)) === 1,
    groupIds: edited(bug.groupIds, groups),
    ccIds: edited(bug.ccIds, cc),
  }
}

function edited(ids: readonly number[], edit: Edit | null): number[] {
  return [...ids.filter((id) => !edit?.remove.includes(id)), ...(edit?.add ?? [])]
}
