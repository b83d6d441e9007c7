import * as z from 'zod'
import { notAuthorized } from '../../platform/access/faults.ts'
import { fault } from '../../platform/faults/fault.ts'
import { editSetOf, itemsOf, normalizeEdit } from '../../platform/http/operations/edit-set.ts'
import { limitItems } from '../../platform/http/operations/shapes.ts'
import { parseIdOrName, separateIds } from '../../platform/lib/id-or-name.ts'
import { fold } from '../../platform/lib/text.ts'

/** A group that an edit names or that the account has. */
type KnownGroup = {
  readonly id: number
  readonly name: string
  /** Whether the caller may bless it. */
  readonly isBlessable: boolean
}

export type GroupsEdit = {
  readonly added: readonly KnownGroup[]
  readonly removed: readonly KnownGroup[]
}

/** Edits of groups by ID or name, where digits are an ID; a text is no list here, and a misspelled list no edit. */
export function groupsEditInput() {
  const list = limitItems(z.array(z.union([z.string(), z.number()])).nullish())
  return editSetOf(list).strict().nullish()
}

export type GroupsEditInput = z.output<ReturnType<typeof groupsEditInput>>

export function collectGroupRefs(edit: GroupsEditInput): { ids: number[]; names: string[] } {
  const { ids, names } = separateIds(trimTexts(itemsOf(edit ?? {})))
  return { ids, names: names.map(fold) }
}

/**
 * Decides an edit for an account with the groups `current`. `set` leaves its groups and those that the caller
 * may not bless; otherwise `add` wins over `remove`. Refuses unknown groups and groups that the caller may
 * not bless, even in a list without effect.
 */
export function decideUserGroups(
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
  const currentGroups = current.flatMap((id) => byId.get(id) ?? [])
  const unblessable = currentGroups.filter(({ isBlessable }) => !isBlessable)
  const editSet = set ? { set: [...unblessable, ...set] } : { add, remove }
  const change = normalizeEdit(editSet, currentGroups, 'add') ?? { add: [], remove: [] }
  return {
    added: sortByName(change.add.filter(({ id }) => !current.includes(id))),
    removed: sortByName(change.remove.filter(({ id }) => current.includes(id))),
  }
}

/** The change in the form of the answer; undefined when there is none. */
export function presentGroupsChange({ added, removed }: GroupsEdit) {
  const joinNames = (groups: readonly KnownGroup[]) => groups.map(({ name }) => name).join(', ')
  return added.length + removed.length === 0
    ? undefined
    : { removed: joinNames(removed), added: joinNames(added) }
}

function requireBlessable(text: string, group: KnownGroup | undefined): KnownGroup {
  if (group?.isBlessable !== true) {
    throw fault(notAuthorized, { action: `hand out the membership of the group '${text}'` })
  }
  return group
}

function trimTexts(list: readonly (string | number)[]): string[] {
  return list.map((item) => String(item).trim()).filter((text) => text !== '')
}

function sortByName(groups: readonly KnownGroup[]): KnownGroup[] {
  return groups.toSorted((a, b) => (fold(a.name) < fold(b.name) ? -1 : 1))
}
