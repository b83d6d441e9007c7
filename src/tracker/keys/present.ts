import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { pick } from '../../platform/lib/pick.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { presentScopeWords, SCOPES, selectProductNames } from './scopes.ts'

/** An API key without the key itself. */
export const keyShape = z.strictObject({
  id: z.int(),
  user: z.string(),
  description: z.string(),
  prefix: z.string(),
  creation_time: z.string(),
  last_used: z.string().nullable(),
  last_used_ip: z.string().nullable(),
  expires: z.string().nullable(),
  revoked: z.boolean(),
  scopes: z.array(z.enum(SCOPES)),
  products: z.array(z.string()).nullable(),
  replaced_by: z.int().nullable(),
})

/** The columns of `KeyRow`, for a select that joins `users`. */
export function keyColumns(caller: Caller) {
  return {
    id: apiKeys.id,
    login: users.login,
    ...pick(apiKeys, 'description', 'prefix', 'createdAt', 'lastUsedAt', 'lastUsedIp'),
    ...pick(apiKeys, 'expiresAt', 'revoked', 'canWrite', 'canAdminister'),
    products: selectProductNames(caller).as('products'),
    replacedById: apiKeys.replacedById,
  }
}

type KeyRow = {
  id: number
  login: string
  description: string
  prefix: string
  createdAt: number
  lastUsedAt: number | null
  lastUsedIp: string | null
  expiresAt: number | null
  revoked: boolean
  canWrite: boolean
  canAdminister: boolean
  /** JSON of names; null for all products. */
  products: string | null
  replacedById: number | null
}

export function presentKey(row: KeyRow): z.output<typeof keyShape> {
  return {
    id: row.id,
    user: row.login,
    description: row.description,
    prefix: row.prefix,
    creation_time: toDatetime(row.createdAt),
    last_used: row.lastUsedAt === null ? null : toDatetime(row.lastUsedAt),
    last_used_ip: row.lastUsedIp,
    expires: row.expiresAt === null ? null : toDatetime(row.expiresAt),
    revoked: row.revoked,
    scopes: presentScopeWords(row),
    products: row.products === null ? null : (JSON.parse(row.products) as string[]),
    replaced_by: row.replacedById,
  }
}

/** The texts of a key's values in the audit log and in answers to changes. */
export function describeKey({
  description,
  expiresAt,
  products,
  ...words
}: Pick<KeyRow, 'description' | 'expiresAt' | 'canWrite' | 'canAdminister'> & {
  products: readonly string[] | null
}) {
  return {
    description,
    expires: expiresAt === null ? '' : toDatetime(expiresAt),
    scopes: presentScopeWords(words).join(', '),
    products: (products ?? []).join(', '),
  }
}
