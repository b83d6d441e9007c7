import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import { abortBeyond } from '../../../platform/db/commit.ts'
import { selectOf } from '../../../platform/db/read-batch.ts'
import { bugCc, bugs as bugsTable } from '../../../platform/db/schema/bugs.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, countUpTo, jsonList, limitTo, sql } from '../../../platform/db/sql.ts'
import { fault, invalidParameter } from '../../../platform/faults/fault.ts'
import { type EditSet, itemsOf } from '../../../platform/http/operations/edit-set.ts'
import { fold } from '../../../platform/lib/text.ts'
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
import { editMembers, MAX_PAIRS, type Membership } from './statements.ts'

const CC: Membership = {
  field: 'cc',
  table: bugCc,
  column: bugCc.userId,
  itemTable: users,
  nameColumn: users.login,
  foldColumn: users.loginFold,
}

const c = aliasColumns(bugCc, 'cc')
const u = aliasColumns(users, 'u')

/** People on the CC list of a bug whom an edit may add to: everybody who reads or changes the bug pays for them. */
export const MAX_CC = 5000

/**
 * Edits of CC lists, among them the people whom a new component brings along and, from `flags`, the requestees; the
 * reporter of a duplicate goes on the list of the original. Anybody may add anybody and remove themselves; removing
 * others is for assignee, QA contact and editbugs.
 */
export const ccCapability: Capability = capability({
  input: { cc: editSet() },

  /** A new component, a new duplicate and a request for a flag bring people along. */
  isRequestedBy(parameter) {
    return ['product', 'component', 'dupe_of', 'flags'].includes(parameter)
  },

  logins({ cc: edit }) {
    return itemsOf(edit)
  },

  load({ bugs }, { cc: edit }) {
    return {
      ccListed: edit && selectListed(bugs, edit),
      ccSizes: edit && selectSizes(bugs),
    }
  },

  decideBug(decision, { input, known, person, people }) {
    const { bug, placement } = decision
    const fromComponent = placement.componentCc
    if (input.cc === undefined) {
      return {
        cc: fromComponent.length === 0 ? null : { bugId: bug.id, add: fromComponent, remove: [] },
      }
    }
    const listed = listedOf(known, bug.id)
    const { add, remove } = decideCc(decision, input.cc, { person, people, listed })
    const kept =
      input.cc.set === undefined ? fromComponent.filter((id) => !remove.includes(id)) : []
    return { cc: { bugId: bug.id, add: [...new Set([...add, ...kept])], remove } }
  },

  decideAll(decisions, { input, known }) {
    const growths = input.cc === undefined ? [] : decisions.map((one) => growthOf(one, known))
    const grown = growths.filter(({ added }) => added > 0)
    assertFit(grown)
    const edits = decisions.flatMap(({ cc, duplicate }): Edit[] => [
      ...(cc === null ? [] : [cc]),
      ...(duplicate === null || duplicate.ccId === null
        ? []
        : [{ bugId: duplicate.originalId, add: [duplicate.ccId], remove: [] }]),
    ])
    if (edits.length === 0) {
      return {}
    }
    const { changed, statements } = editMembers(CC, edits)
    const grownIds = grown.map(({ bugId }) => bugId)
    return {
      edits: [{ changed, statements: [...statements, ...abortBeyond(MAX_CC, grownIds, listOf)] }],
    }
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

type ListedRow = { readonly bugId: number; readonly id: number; readonly login: string }
type Known = {
  readonly ccListed?: readonly ListedRow[]
  readonly ccSizes?: readonly { readonly bugId: number; readonly size: number }[]
}

/** People on a CC list, by their IDs. */
type Listed = ReadonlyMap<number, string>

function listedOf({ ccListed = [] }: Known, bugId: number): Listed {
  const own = ccListed.filter((row) => row.bugId === bugId)
  return new Map(own.map(({ id, login }) => [id, login]))
}

/**
 * Who is on the CC lists, of those whom an edit may concern: the people that it names, or everybody where it sets the
 * list. An edit that concerns more is refused, so no more are read.
 */
function selectListed(set: BugSet, edit: EditSet) {
  const columns = {
    bugId: sql<number>`${c.bugId}`,
    id: sql<number>`${u.id}`,
    login: sql<string>`${u.login}`,
  }
  const lists = sql`FROM bugs JOIN bug_cc cc ON ${c.bugId} = ${bugsTable.id} JOIN users u ON ${u.id} = ${c.userId}
    WHERE ${set.condition} ${limitTo(2 * MAX_PAIRS + 1)}`
  const folds = jsonList(itemsOf(edit).map((login) => fold(login.trim())))
  const pairs = sql`SELECT ${bugsTable.id} AS bug_id, ${u.id} AS user_id FROM bugs CROSS JOIN users u
    WHERE ${set.condition} AND ${u.loginFold} IN ${folds} ${limitTo(MAX_PAIRS + 1)}`
  const named = sql`FROM (${pairs}) pair JOIN bug_cc cc ON ${c.bugId} = pair.bug_id AND ${c.userId} = pair.user_id
    JOIN users u ON ${u.id} = ${c.userId}`
  return selectOf(columns, edit.set ? lists : named)
}

/** How many people are on the lists, counted as far as it matters: an edit removes no more than the pairs of one. */
function selectSizes(set: BugSet) {
  return selectOf(
    {
      bugId: sql<number>`${bugsTable.id}`,
      size: sql<number>`${countUpTo(listOf(bugsTable.id), MAX_CC + MAX_PAIRS)}`,
    },
    sql`FROM bugs WHERE ${set.condition}`,
  )
}

function listOf(bugId: SQLWrapper): SQL {
  return sql`SELECT 1 FROM bug_cc cc WHERE ${c.bugId} = ${bugId}`
}

/** How many people come on the list who are not there, and how many are on it then. */
type Growth = { readonly bugId: number; readonly added: number; readonly size: number }

function growthOf({ bug, cc: edit }: BugDecision, known: Known): Growth {
  const listed = listedOf(known, bug.id)
  const added = edit?.add.filter((id) => !listed.has(id)).length ?? 0
  const removed = edit?.remove.filter((id) => listed.has(id)).length ?? 0
  const before = known.ccSizes?.find(({ bugId }) => bugId === bug.id)?.size ?? 0
  return { bugId: bug.id, added, size: before + added - removed }
}

function assertFit(grown: readonly Growth[]): void {
  const large = grown.find(({ size }) => size > MAX_CC)
  if (large !== undefined) {
    const most = MAX_CC.toLocaleString('en')
    const reason = `may hold at most ${most} people; bug ${large.bugId} would have more`
    throw invalidParameter('cc', reason)
  }
}

/** An addition comes before a removal, so who is in both ends up off the list; `set` becomes both. */
function decideCc(
  { standing }: BugDecision,
  edit: EditSet,
  { person, people, listed }: Pick<ChangeRequest, 'person' | 'people'> & { listed: Listed },
): Pick<Edit, 'add' | 'remove'> {
  const idsOf = (logins: readonly string[] = []) => idsOfPeople(people, logins)
  const set = edit.set && idsOf(edit.set)
  const add = set ?? idsOf(edit.add)
  const kept = new Set(set)
  const remove =
    set === undefined ? idsOf(edit.remove) : [...listed.keys()].filter((id) => !kept.has(id))
  const other = remove.find((id) => listed.has(id) && id !== person.id)
  if (other !== undefined && !standing.editBugs && !standing.isAssigneeOrQa) {
    throw fault(changeDenied, {
      field: 'cc',
      from: listed.get(other) ?? '',
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
