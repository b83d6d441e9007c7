import type { SQL } from 'drizzle-orm'
import type { RowsOf } from '../../../platform/db/read-batch.ts'
import { bugKeywords, bugs as bugsTable } from '../../../platform/db/schema/bugs.ts'
import { keywords as keywordsTable } from '../../../platform/db/schema/fields.ts'
import { db, jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { itemsOf, normalizeEdit } from '../../../platform/http/operations/edit-set.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { fold } from '../../../platform/lib/text.ts'
import { keywordUnknown } from '../../keywords/faults.ts'
import {
  type Capability,
  capability,
  type Edit,
  type FilingCapability,
  filingCapability,
} from '../model/capability.ts'
import { assertMayEdit } from '../model/permissions.ts'
import { BETWEEN_WORDS, editSet, wordList } from './list-input.ts'
import { editMembers, type Membership } from './statements.ts'

const KEYWORDS: Membership = {
  field: 'keywords',
  table: bugKeywords,
  column: bugKeywords.keywordId,
  itemTable: keywordsTable,
  nameColumn: keywordsTable.name,
  foldColumn: keywordsTable.nameFold,
}

/** Edits of keywords. An inactive keyword stays where it is and is given to no other bug. */
export const keywordsCapability: Capability = capability({
  input: { keywords: editSet(BETWEEN_WORDS) },

  load({ bugs }, { keywords: edit }) {
    return {
      keywords: edit && keywordsNamed(itemsOf(edit)),
      bugKeywords:
        edit && keywordsOf(sql`SELECT ${bugsTable.id} FROM bugs WHERE ${bugs.condition}`),
    }
  },

  decideAll(decisions, { input, known, settings }) {
    const given = input.keywords
    if (given === undefined) {
      return {}
    }
    const dictionary = new Dictionary(known.keywords ?? [])
    const edit = {
      add: dictionary.idsOf(given.add),
      remove: dictionary.idsOf(given.remove),
      set: given.set && dictionary.idsOf(given.set),
    }
    const byBug = Map.groupBy(known.bugKeywords ?? [], ({ bugId }) => bugId)
    const edits = decisions.flatMap((decision): Edit[] => {
      const bugId = decision.bug.id
      const current = (byBug.get(bugId) ?? []).map(({ id }) => id)
      const change = normalizeEdit(edit, current)
      if (change === null) {
        return []
      }
      dictionary.assertActive(change.add, current)
      const [removed, added] = [change.remove, change.add].map((ids) => dictionary.namesOf(ids))
      assertMayEdit(decision, settings, 'keywords', { removed: `${removed}`, added: `${added}` })
      return [{ bugId, ...change }]
    })
    return edits.length === 0
      ? {}
      : { edits: [editMembers(KEYWORDS, edits)], editedBugs: edits.map(({ bugId }) => bugId) }
  },
})

/** The keywords of a new bug, none of them inactive. */
export const keywordsOfNewBug: FilingCapability = filingCapability({
  input: { keywords: wordList(BETWEEN_WORDS) },

  load(_, { keywords: names }) {
    return { keywords: names?.length ? keywordsNamed(names) : undefined }
  },

  decide({ input, known }) {
    const dictionary = new Dictionary((known.keywords ?? []).filter(({ isActive }) => isActive))
    return { keywordIds: [...new Set(dictionary.idsOf(input.keywords))] }
  },
})

function keywordsNamed(names: readonly string[]) {
  return db
    .select(pick(keywordsTable, 'id', 'name', 'nameFold', 'isActive'))
    .from(keywordsTable)
    .where(sql`${keywordsTable.nameFold} IN ${jsonList(names.map(fold))}`)
}

function keywordsOf(bugIds: SQL) {
  return db
    .select({ bugId: bugKeywords.bugId, id: bugKeywords.keywordId })
    .from(bugKeywords)
    .where(sql`${bugKeywords.bugId} IN (${bugIds})`)
}

type Keyword = RowsOf<ReturnType<typeof keywordsNamed>>[0]

/** The keywords that a request names. */
class Dictionary {
  readonly #byFold: ReadonlyMap<string, Keyword>
  readonly #byId: ReadonlyMap<number, Keyword>

  constructor(found: readonly Keyword[]) {
    this.#byFold = new Map(found.map((keyword) => [keyword.nameFold, keyword]))
    this.#byId = new Map(found.map((keyword) => [keyword.id, keyword]))
  }

  /** Refuses unknown names. */
  idsOf(names: readonly string[] = []): number[] {
    return names.map((name) => {
      const keyword = this.#byFold.get(fold(name))
      if (keyword === undefined) {
        throw fault(keywordUnknown, { name })
      }
      return keyword.id
    })
  }

  /** The names of those that the request names itself, in the form of history. */
  namesOf(ids: readonly number[]): string {
    return ids.flatMap((id) => this.#byId.get(id)?.name ?? []).join(', ')
  }

  /** Refuses an inactive keyword that the bug does not have yet. */
  assertActive(added: readonly number[], current: readonly number[]): void {
    const inactive = added.find(
      (id) => this.#byId.get(id)?.isActive === false && !current.includes(id),
    )
    if (inactive !== undefined) {
      throw fault(keywordUnknown, { name: this.#byId.get(inactive)?.name ?? '' })
    }
  }
}
