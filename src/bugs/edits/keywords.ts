import { fault } from '../../faults.ts'
import { normalizeEdit } from '../../http/edit-set.ts'
import { fold } from '../../lib/text.ts'
import type { ChangeBugInput } from '../change/input.ts'
import type { AssertMayChange } from '../change/lists.ts'
import type { Current, CurrentBug } from '../change/load.ts'
import { editKeywords } from './members.ts'
import type { Edit, ListEdit } from './statements.ts'

type Keyword = NonNullable<Current['keywords']>[0]

/**
 * Decides the edits of keywords. One that is switched off stays where it is and is given to no other bug.
 * Fault 51 for what is unknown, wherever it is named. Contract "Bugs", keywords. Pure.
 */
export function decideKeywords(
  ask: AssertMayChange,
  { keywords: given }: Pick<ChangeBugInput, 'keywords'>,
  { keywords = [], keywordsHeld = [] }: Pick<Current, 'keywords' | 'keywordsHeld'>,
  bugs: readonly CurrentBug[],
): ListEdit[] {
  if (given === undefined) {
    return []
  }
  const byFold = new Map(keywords.map((keyword) => [keyword.nameFold, keyword]))
  const known = (names: readonly string[] = []) => names.map((name) => keywordNamed(byFold, name))
  const edit = {
    add: known(given.add),
    remove: known(given.remove),
    set: given.set === undefined ? undefined : known(given.set),
  }
  const byId = new Map(keywords.map((keyword) => [keyword.id, keyword]))
  const heldBy = Map.groupBy(keywordsHeld, ({ bugId }) => bugId)
  const edits = bugs.flatMap((bug): Edit[] => {
    const held = (heldBy.get(bug.id) ?? []).map(({ id }) => byId.get(id) ?? { id, name: '' })
    const ids = {
      add: idsOf(edit.add),
      remove: idsOf(edit.remove),
      set: edit.set === undefined ? undefined : idsOf(edit.set),
    }
    const change = normalizeEdit(ids, idsOf(held))
    if (change === null) {
      return []
    }
    refuseInactive(change.add, byId, idsOf(held))
    const namesOf = (some: readonly number[]) =>
      some.flatMap((id) => byId.get(id)?.name ?? []).join(', ')
    ask(bug, 'keywords', { removed: namesOf(change.remove), added: namesOf(change.add) })
    return [{ bugId: bug.id, ...change }]
  })
  return edits.length > 0 ? [editKeywords(edits)] : []
}

function idsOf(keywords: readonly { id: number }[]): number[] {
  return keywords.map(({ id }) => id)
}

function keywordNamed(byFold: ReadonlyMap<string, Keyword>, name: string): Keyword {
  const keyword = byFold.get(fold(name))
  if (keyword === undefined) {
    throw fault('keywordUnknown', { name })
  }
  return keyword
}

function refuseInactive(
  added: readonly number[],
  byId: ReadonlyMap<number, Keyword>,
  held: readonly number[],
): void {
  const off = added.find((id) => byId.get(id)?.isActive === false && !held.includes(id))
  if (off !== undefined) {
    throw fault('keywordUnknown', { name: byId.get(off)?.name ?? '' })
  }
}
