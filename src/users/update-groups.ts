import * as z from 'zod'
import { fault } from '../faults.ts'
import { editSetOf, itemsOf, normalizeEdit } from '../http/edit-set.ts'
import { few } from '../http/shapes.ts'
import { parseIdOrName, separateIds } from '../lib/id-or-name.ts'
import { fold } from '../lib/text.ts'

/** A group as who edits people knows it. */
export type KnownGroup = {
  readonly id: number
  readonly name: string
  /** Whether the caller may hand out its membership. */
  readonly isBlessable: boolean
}

/** What becomes of somebody's groups. */
export type GroupsEdit = {
  readonly added: readonly KnownGroup[]
  readonly removed: readonly KnownGroup[]
}

/** Groups by ID or name, digits being an ID; the lists have to be lists. */
export function groupsEditInput() {
  return editSetOf(few(z.array(z.union([z.string(), z.number()])).nullish())).nullish()
}

export type GroupsEditInput = z.output<ReturnType<typeof groupsEditInput>>

/** Everything that an edit names, whether it takes effect or not. */
export function collectGroupRefs(edit: GroupsEditInput): { ids: number[]; names: string[] } {
  const { ids, names } = separateIds(trimTexts(itemsOf(edit ?? {})))
  return { ids, names: names.map(fold) }
}

/**
 * What an edit comes to for somebody who is in the groups `current`: `set` leaves exactly its groups and
 * those that the caller cannot hand out; otherwise groups are removed and then added, so that one in both
 * lists ends up added. Contract "Users". Fault 304 for a group that does not exist or that the caller
 * cannot hand out, be it in a list that has no effect.
 */
export function decideGroups(
  edit: GroupsEditInput,
  current: readonly number[],
  known: readonly KnownGroup[],
): GroupsEdit {
  const byId = new Map(known.map((group) => [group.id, group]))
  const byName = new Map(known.map((group) => [fold(group.name), group]))
  const [add, remove, set] = [edit?.add, edit?.remove, edit?.set].map(
    (list) =>
      list &&
      trimTexts(list).map((text) => {
        const { id, nameFold } = parseIdOrName(text)
        return requireBlessable(text, id === null ? byName.get(nameFold) : byId.get(id))
      }),
  )
  const had = current.flatMap((id) => byId.get(id) ?? [])
  const kept = had.filter(({ isBlessable }) => !isBlessable)
  const edited = set ? { set: [...kept, ...set] } : { add, remove }
  const change = normalizeEdit(edited, had, 'add') ?? { add: [], remove: [] }
  return {
    added: sortByName(change.add.filter(({ id }) => !current.includes(id))),
    removed: sortByName(change.remove.filter(({ id }) => current.includes(id))),
  }
}

/** The change in the words of the contract; undefined when there is none. */
export function presentGroupsChange({ added, removed }: GroupsEdit) {
  const told = (groups: readonly KnownGroup[]) => groups.map(({ name }) => name).join(', ')
  return added.length + removed.length === 0
    ? undefined
    : { removed: told(removed), added: told(added) }
}

function requireBlessable(text: string, group: KnownGroup | undefined): KnownGroup {
  if (group?.isBlessable !== true) {
    throw fault('notAuthorized', { action: `hand out the membership of the group '${text}'` })
  }
  return group
}

function trimTexts(list: readonly (string | number)[]): string[] {
  return list.map((item) => String(item).trim()).filter((text) => text !== '')
}

function sortByName(groups: readonly KnownGroup[]): KnownGroup[] {
  return groups.toSorted((a, b) => (fold(a.name) < fold(b.name) ? -1 : 1))
}
