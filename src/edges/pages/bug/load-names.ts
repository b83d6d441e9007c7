import { getFields } from '../../../tracker/fields/get.ts'
import { getUsers } from '../../../tracker/users/get.ts'
import { ask, type PageRequest } from '../page.ts'
import type { HistoryEntry } from './load-history.ts'

/** Other bugs and people that a page tells more of than their numbers and logins. */
export const MAX_NAMED = 200

/** People by their logins, as far as the reader may know them. */
export async function loadPeople(request: PageRequest, logins: Iterable<string | undefined>) {
  const names = [...new Set(logins)].filter((login) => login !== undefined).slice(0, MAX_NAMED)
  // a login without its domain may be that of somebody else
  const isCut = request.viewer === null && request.ctx.settings.HIDE_EMAIL_DOMAINS
  if (names.length === 0 || isCut) {
    return new Map()
  }
  const include_fields = ['id', 'name', 'real_name']
  const { users } = await ask(request, getUsers, { names, permissive: true, include_fields })
  return new Map(users.map((person) => [person.name, person]))
}

/** The definitions of the custom fields among these names. */
export async function loadDefinitions(request: PageRequest, names: Iterable<string>) {
  const custom = customNames(names)
  if (custom.length === 0) {
    return []
  }
  const { fields } = await ask(request, getFields, { names: custom, include_fields: DEFINITION })
  return fields
}

/** The names of custom fields among these. */
export function customNames(names: Iterable<string>): string[] {
  return [...new Set(names)].filter((one) => one.startsWith('cf_'))
}

/** The fields of which a history tells. */
export function fieldsIn(entries: readonly HistoryEntry[]): string[] {
  return entries.flatMap(({ changes = [] }) => changes.map(({ field_name }) => field_name))
}

const DEFINITION = [
  ...['name', 'display_name', 'type', 'is_mandatory', 'visibility_field', 'visibility_values'],
]
