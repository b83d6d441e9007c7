import { bugCc } from '../../../platform/db/schema/bugs.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { type EditSet, itemsOf } from '../../../platform/http/operations/edit-set.ts'
import {
  type BugDecision,
  type Capability,
  type ChangeRequest,
  capability,
  type Edit,
  type FilingCapability,
  filingCapability,
} from '../model/capability.ts'
import { changeDenied } from '../model/faults.ts'
import { type PeopleByLogin, requirePerson } from '../model/field-values.ts'
import { editSet, wordList } from './list-input.ts'
import { editMembers, type Membership } from './statements.ts'

const CC: Membership = {
  field: 'cc',
  table: bugCc,
  column: bugCc.userId,
  itemTable: users,
  nameColumn: users.login,
  foldColumn: users.loginFold,
}

/**
 * Edits of CC lists, among them the people whom a new component brings along and, from `flags`, the requestees; the
 * reporter of a duplicate goes on the list of the original. Anybody may add anybody and remove themselves; removing
 * others is for assignee, QA contact and editbugs.
 */
export const cc: Capability = capability({
  input: { cc: editSet() },

  /** A new component, a new duplicate and a request for a flag bring people along. */
  isRequestedBy(parameter) {
    return ['product', 'component', 'dupe_of', 'flags'].includes(parameter)
  },

  logins({ cc: edit }) {
    return itemsOf(edit)
  },

  decideBug(decision, { input, person, people }) {
    const { bug, placement } = decision
    const fromComponent = placement.componentCc
    if (input.cc === undefined) {
      return {
        cc: fromComponent.length === 0 ? null : { bugId: bug.id, add: fromComponent, remove: [] },
      }
    }
    const { add, remove } = decideCc(decision, input.cc, { person, people })
    const kept =
      input.cc.set === undefined ? fromComponent.filter((id) => !remove.includes(id)) : []
    return { cc: { bugId: bug.id, add: [...new Set([...add, ...kept])], remove } }
  },

  decideAll(decisions) {
    const edits = decisions.flatMap(({ cc, duplicate }): Edit[] => [
      ...(cc === null ? [] : [cc]),
      ...(duplicate === null || duplicate.ccId === null
        ? []
        : [{ bugId: duplicate.originalId, add: [duplicate.ccId], remove: [] }]),
    ])
    return edits.length === 0 ? {} : { edits: [editMembers(CC, edits)] }
  },
})

/** The CC list of a new bug, with the people whom its component puts on it. */
export const ccOfNewBug: FilingCapability = filingCapability({
  input: { cc: wordList(/[\s,;]+/) },

  logins({ cc: logins = [] }) {
    return logins
  },

  decide({ input, people, draft }) {
    const named = idsOfPeople(people, input.cc ?? [])
    return { ccIds: [...new Set([...named, ...draft.componentCc])] }
  },
})

/** An addition comes before a removal, so who is in both ends up off the list; `set` becomes both. */
function decideCc(
  { bug, standing }: BugDecision,
  edit: EditSet,
  { person, people }: Pick<ChangeRequest, 'person' | 'people'>,
): Pick<Edit, 'add' | 'remove'> {
  const idsOf = (logins: readonly string[] = []) => idsOfPeople(people, logins)
  const set = edit.set && idsOf(edit.set)
  const add = set ?? idsOf(edit.add)
  const kept = new Set(set)
  const remove =
    set === undefined ? idsOf(edit.remove) : [...bug.cc.keys()].filter((id) => !kept.has(id))
  const other = remove.find((id) => bug.cc.has(id) && id !== person.id)
  if (other !== undefined && !standing.editBugs && !standing.isAssigneeOrQa) {
    throw fault(changeDenied, {
      field: 'cc',
      from: bug.cc.get(other) ?? '',
      to: '',
      who: 'the person, the assignee or somebody with editbugs',
    })
  }
  return { add: add.filter((id) => !remove.includes(id)), remove }
}

/** The IDs of the people with these logins, each once. */
function idsOfPeople(people: PeopleByLogin, logins: readonly string[]): number[] {
  return [...new Set(logins.map((login) => requirePerson(people, 'cc', login).id))]
}
