import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { flags, flagTypes } from '../../platform/db/schema/flags.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import type { PeoplePresenter } from '../users/people.ts'

const f = aliasColumns(flags, 'f')
const t = aliasColumns(flagTypes, 't')
const s = aliasColumns(users, 's')
const r = aliasColumns(users, 'r')

export const flagShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    type_id: z.int(),
    creation_date: z.iso.datetime(),
    modification_date: z.iso.datetime(),
    status: z.enum(['?', '+', '-']),
    setter: z.string(),
    requestee: z.string(),
  })
  .partial()
  .meta({ title: 'Flag' })

/** A flag in a column of `selectFlagTuples`. */
export type FlagTuple = [
  id: number,
  name: string,
  typeId: number,
  createdAt: number,
  modifiedAt: number,
  status: '?' | '+' | '-',
  setter: string,
  requestee: string | null,
]

/** The flags `f` that meet a condition, as one JSON array of `FlagTuple`. */
export function selectFlagTuples(condition: SQL): SQL<string> {
  return sql<string>`(SELECT json_group_array(json_array(${f.id}, ${t.name}, ${f.typeId}, ${f.createdAt}, ${f.modifiedAt},
      ${f.status}, ${s.login}, ${r.login}) ORDER BY ${t.sortKey}, ${t.name}, ${f.id})
    FROM flags f JOIN flag_types t ON ${t.id} = ${f.typeId} JOIN users s ON ${s.id} = ${f.setterId}
      LEFT JOIN users r ON ${r.id} = ${f.requesteeId}
    WHERE ${condition})`
}

export function presentFlag(flag: FlagTuple, people: PeoplePresenter) {
  const [id, name, typeId, createdAt, modifiedAt, status, setter, requestee] = flag
  return {
    id,
    name,
    type_id: typeId,
    creation_date: toDatetime(createdAt),
    modification_date: toDatetime(modifiedAt),
    status,
    setter: people.presentLogin(setter),
    ...(requestee === null ? {} : { requestee: people.presentLogin(requestee) }),
  }
}
