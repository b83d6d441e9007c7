import type { Person } from '../../access/caller.ts'
import type { Ctx } from '../../context.ts'
import { abortIf, type Statement } from '../../db/commit.ts'
import { jsonList, sql } from '../../db/sql.ts'
import { fault } from '../../faults.ts'
import { itemsOf } from '../../http/edit-set.ts'
import { decideCustom } from '../custom-fields/decide.ts'
import { customInput } from '../custom-fields/input.ts'
import { listEdits } from '../edits/input.ts'
import { decideKeywords } from '../edits/keywords.ts'
import { decideRelations } from '../edits/relations/decide.ts'
import { decideSeeAlso } from '../edits/see-also/decide.ts'
import type { ListEdit } from '../edits/statements.ts'
import { decideTags } from '../edits/tags.ts'
import { type ListField, mayChange } from '../model/permissions.ts'
import type { Standing } from '../model/workflow.ts'
import { type Decision, standingOf } from './decide.ts'
import type { ChangeBugInput } from './input.ts'
import type { Current, CurrentBug } from './load.ts'

/** What becomes of the lists of the bugs of one request. */
export type Lists = {
  readonly edits: readonly ListEdit[]
  /** What has to hold when it is written, ahead of everything that is changed. */
  readonly guards: readonly Statement[]
  /** A bug and a field of it, as `<id> <name>`, whose value until now the caller is not to know. */
  readonly secret: ReadonlySet<string>
}

/** Fault 115 unless the caller may change a list of a bug so. */
export type AssertMayChange = (
  bug: CurrentBug,
  field: ListField,
  words: { readonly removed: string; readonly added: string },
) => void

/** Each may be written to 500 bugs at once. */
const MOST_ITEMS = 1000

/**
 * Decides the edits of all lists. Pure. Faults 50 to 56, 100, 101, 102, 104, 109, 112, 115, 116. Contract "Bugs", edit
 * sets.
 */
export function decideLists(
  ctx: Pick<Ctx, 'settings' | 'baseUrl'>,
  person: Person,
  input: ChangeBugInput,
  current: Current,
  decisions: readonly Decision[],
): Lists {
  const bugs = decisions.map(({ bug }) => bug)
  const standings = new Map(bugs.map((bug) => [bug, standingOf(person, bug)]))
  const byRole = new Set<number>()
  const ask: AssertMayChange = (bug, field, { removed: from, added: to }) => {
    const standing = standings.get(bug) ?? standingOf(person, bug)
    mayChange({ field, from, to, standing, tracksTime: false, settings: ctx.settings })
    if (isByRole(standing)) {
      byRole.add(bug.id)
    }
  }
  const custom = decideCustom(ask, person, customInput(input), current, decisions)
  const edits = [
    ...decideRelations(ask, person, input, current, bugs),
    ...decideKeywords(ask, input, current, bugs),
    ...decideSeeAlso(ask, person, ctx.baseUrl, input.see_also, current, bugs),
    ...custom.edits,
    ...decideTags(
      person,
      input.tags,
      bugs.map(({ id }) => id),
    ),
  ]
  const { secret } = custom
  return { edits, secret, guards: byRole.size > 0 ? [stillInRole(person, [...byRole])] : [] }
}

/** Fault 53 for an edit of a list that names more than can be worked on. */
export function refuseEndless(input: ChangeBugInput): void {
  const others = Object.keys(listEdits) as (keyof typeof listEdits)[]
  for (const field of ['cc', 'groups', ...others] as const) {
    if (itemsOf(input[field]).length > MOST_ITEMS) {
      throw fault('parameterInvalid', { field, reason: `may name at most ${MOST_ITEMS} items` })
    }
  }
}

/** Whether a right ends with the role that it rests on; who reported a bug stays its reporter. */
function isByRole(standing: Standing): boolean {
  return standing.isAssigneeOrQa && !standing.editBugs && !standing.isReporter
}

function stillInRole(person: Person, bugIds: readonly number[]): Statement {
  return abortIf(sql`EXISTS (SELECT 1 FROM bugs WHERE bugs.id IN ${jsonList(bugIds)}
    AND ${person.id} NOT IN (bugs.assigned_to_id, coalesce(bugs.qa_contact_id, 0)))`)
}
