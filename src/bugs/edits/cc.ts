import type { Person } from '../../access/caller.ts'
import { fault } from '../../faults.ts'
import type { ChangeBugInput } from '../change/input.ts'
import type { Current, CurrentBug } from '../change/load.ts'
import { personNamed } from '../model/field-values.ts'
import type { Standing } from '../model/workflow.ts'
import type { Edit } from './statements.ts'

/**
 * Reads the edits of a CC list. An addition comes before a removal, so who is in both ends up off the
 * list; `set` becomes the additions and removals that lead to it. Anybody may add anybody and remove
 * themselves; removing others is for assignee, QA contact and editbugs. Contract "Bugs", cc. Faults 504
 * and 115.
 */
export function decideCc(
  person: Person,
  edit: NonNullable<ChangeBugInput['cc']>,
  { people }: Pick<Current, 'people'>,
  bug: Pick<CurrentBug, 'id' | 'cc'>,
  standing: Standing,
): Edit {
  const idsOf = (logins: string[] = []) => [
    ...new Set(logins.map((login) => personNamed(people, 'cc', login).id)),
  ]
  const now = new Map(JSON.parse(bug.cc) as [number, string][])
  const wanted = edit.set === undefined ? undefined : idsOf(edit.set)
  const added = wanted ?? idsOf(edit.add)
  const remove =
    wanted === undefined
      ? idsOf(edit.remove)
      : [...now.keys()].filter((id) => !new Set(wanted).has(id))
  const other = remove.find((id) => now.has(id) && id !== person.id)
  if (other !== undefined && !standing.editBugs && !standing.isAssigneeOrQa) {
    throw fault('changeDenied', {
      field: 'cc',
      from: now.get(other) ?? '',
      to: '',
      who: 'the person, the assignee or somebody with editbugs',
    })
  }
  return { bugId: bug.id, add: added.filter((id) => !remove.includes(id)), remove }
}
