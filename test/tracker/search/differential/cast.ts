import { sql } from 'drizzle-orm'
import type { Role } from '../../../../src/platform/access/roles.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { execute } from '../../../support/database/execute.ts'
import type { WorldCustomField, WorldPerson } from './world.ts'

/** The people of every world: those who read it, with what they may, and others. */
const CAST: readonly { readonly name: CastName; readonly roles: readonly Role[] }[] = [
  { name: 'bob', roles: [] },
  { name: 'Carol', roles: ['editbugs'] },
  { name: 'bob.carol', roles: [] },
  { name: 'ines', roles: ['insider'] },
  { name: 'tim', roles: ['timetracking'] },
  { name: 'ada', roles: ['admin', 'insider', 'timetracking'] },
  { name: 'gone', roles: [] },
  { name: 'zoë', roles: [] },
]

/** Who is named so in every world; their logins are these names at a host of the world. */
export type CastName = 'bob' | 'Carol' | 'bob.carol' | 'ines' | 'tim' | 'ada' | 'gone' | 'zoë'

/** Inserts the people of a world; the account `gone` is disabled. */
export async function insertCast(host: string): Promise<WorldPerson[]> {
  const people: WorldPerson[] = []
  for (const [place, { name, roles }] of CAST.entries()) {
    const { id, key } = await insertPerson({ roles: [...roles] })
    const lastSeenAt = place % 3 === 2 ? null : Date.UTC(2025, 4, 1 + place, place) / 1000
    const login = `${name}@${host}`
    people.push({ id, login, key, roles, isDisabled: name === 'gone', lastSeenAt })
  }
  return people
}

/** Inserts a custom field of each type; its name ends in the type. */
export async function insertFieldOfEachType(): Promise<WorldCustomField[]> {
  const choices = ['Alpha', 'beta', 'Größe 3', 'a, b']
  const fields: WorldCustomField[] = []
  for (const type of [1, 2, 3, 4, 5, 6, 9, 10]) {
    const own = type === 2 || type === 3 ? choices : []
    fields.push({ ...(await insertCustomField(type, { values: own })), type, choices: own })
  }
  return fields
}

/** The numbers that no row has yet. */
export type FreeIds = Record<
  'bug' | 'group' | 'product' | 'comment' | 'attachment' | 'flagType',
  number
>

export async function loadFreeIds(): Promise<FreeIds> {
  const tables = {
    bug: 'bugs',
    group: 'access_groups',
    product: 'products',
    comment: 'comments',
    attachment: 'attachments',
    flagType: 'flag_types',
  }
  const columns = Object.entries(tables).map(
    ([name, table]) =>
      sql`(SELECT coalesce(max(id), 0) + 1 FROM ${sql.raw(table)}) AS ${sql.identifier(name)}`,
  )
  const [row] = await execute(sql`SELECT ${sql.join(columns, sql`, `)}`)
  return row as FreeIds
}
