import { readBatch } from '../../platform/db/read-batch.ts'
import { imports } from '../../platform/db/schema/imports.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { db } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { role } from '../../platform/http/operations/operation.ts'
import { importNotBegun } from './faults.ts'
import type { Part } from './part.ts'

export const mayImport = role('admin', 'import a tracker')

/**
 * While an import goes on, the administrator's account, key and group have numbers below this one, so that they are
 * in the way of no line.
 */
export const PARKED_BELOW = -1_000_000

export function parkedId(id: number): number {
  return PARKED_BELOW - id
}

export function selectImport() {
  return db.select().from(imports)
}

/** The import that fills this tracker, or has filled it; undefined for a tracker of its own. */
export async function loadImport(ctx: SessionHolder) {
  const { rows } = await readBatch(ctx, { rows: selectImport() })
  return rows[0]
}

export function requireOpen<Open extends { readonly endedAt: number | null }>(
  row: Open | undefined,
): Open {
  if (row === undefined || row.endedAt !== null) {
    throw fault(importNotBegun)
  }
  return row
}

/** The number of the last line of each part that is in. */
export function parseProgress({ progress }: { readonly progress: string }): Record<string, number> {
  return JSON.parse(progress) as Record<string, number>
}

/** Numbers of rows that later archives no longer have, by part. */
export function parseStale({ stale }: { readonly stale: string }): Record<string, number[]> {
  return JSON.parse(stale) as Record<string, number[]>
}

/**
 * Whether rows that an archive lacks are gone at its source: bugs keep what they had, accounts are never removed, and
 * keys come with credentials alone.
 */
export function isWhole({ name, isAddition, isCredential, changes }: Part): boolean {
  return !isAddition && !isCredential && changes === null && name !== 'users'
}
