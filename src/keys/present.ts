import * as z from 'zod'
import { apiKeys, users } from '../db/schema/users.ts'
import { toDatetime } from '../lib/time.ts'

/** An API key without the key itself. Reference: api-keys.md, "API key object". */
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
})

/** The columns of `KeyRow`, for a select that joins `users`. */
export const keyColumns = {
  id: apiKeys.id,
  login: users.login,
  description: apiKeys.description,
  prefix: apiKeys.prefix,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  lastUsedIp: apiKeys.lastUsedIp,
  expiresAt: apiKeys.expiresAt,
  revoked: apiKeys.revoked,
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
  }
}
