import type { StoredDatabase } from './stored-database.ts'

/** What the account of the imitated platform holds. */
export type Account = {
  databases: StoredDatabase[]
  buckets: string[]
  /** The queues, and for each the settings of its consumer. */
  queues: { name: string; consumers: Record<string, unknown>[] }[]
  worker: StoredWorker | null
  /** The contents of assets by their digests. */
  assets: Map<string, string>
}

export type StoredWorker = {
  /** All uploads, the oldest first. */
  versions: WorkerVersion[]
  /** The versions that have served, by their IDs; the first one serves. */
  deployments: string[]
  crons: string[]
  isOnSubdomain: boolean
  /** Host names of the operator that it serves. */
  domains: string[]
}

type WorkerVersion = {
  id: string
  /** The uploaded modules and source maps by name. */
  files: Map<string, string>
  /** With the secrets that the upload kept of the version before. */
  bindings: Binding[]
  compatibilityDate: string
}

export type Binding = { name: string; type: string } & Record<string, unknown>

/** The form of every answer of the platform. */
export function envelope(result: unknown, code?: number, message?: string): object {
  const errors = code === undefined ? [] : [{ code, message }]
  const count = Array.isArray(result) ? result.length : 1
  const pages = { page: 1, per_page: 100, count, total_count: count, total_pages: 1 }
  return { success: code === undefined, errors, messages: [], result, result_info: pages }
}
