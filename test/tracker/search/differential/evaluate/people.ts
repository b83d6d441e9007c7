import type { WorldBug } from '../world.ts'
import type { Sight } from './sight.ts'
import { isSameText } from './texts.ts'

const GROUP = /^%group\.(.+)%$/

/** One word between percent signs, or the name of a group, which may have blanks. */
export function isPronoun(value: string): boolean {
  const name = value.slice(1, -1)
  const isOneWord = name !== '' && !/\s/.test(name)
  return value === `%${name}%` && !name.includes('%') && (isOneWord || GROUP.test(value))
}

/** The people whom a pronoun means on a bug, perhaps nobody; null when it means nothing to the reader. */
export function peopleOfPronoun(value: string, bug: WorldBug, sight: Sight): Set<number> | null {
  const { reader, world } = sight
  const group = GROUP.exec(value)?.[1]
  if (group !== undefined) {
    const known = world.groups.find(({ name }) => isSameText(name, group))
    return known !== undefined && sight.isMember(known.id) ? sight.membersOf(known.id) : null
  }
  const owner = world.products
    .find(({ name }) => name === bug.product)
    ?.components.find(({ name }) => name === bug.component)?.triageOwner
  switch (value) {
    case '%user%':
    case '%self%':
      return reader === null ? null : new Set([reader.id])
    case '%reporter%':
      return new Set([bug.reporter])
    case '%assignee%':
      return new Set([bug.assignee])
    case '%qacontact%':
      return new Set(bug.qaContact === null ? [] : [bug.qaContact])
    case '%triageowner%':
      return new Set(owner === null || owner === undefined ? [] : [owner])
    default:
      return null
  }
}

/** The person with this login or whom this pronoun means; nobody for a login that nobody has. */
export function peopleNamed(value: string, bug: WorldBug, sight: Sight): Set<number> | null {
  if (isPronoun(value)) {
    return peopleOfPronoun(value, bug, sight)
  }
  const named = sight.world.people.filter(({ login }) => isSameText(login, value))
  return new Set(named.map(({ id }) => id))
}
