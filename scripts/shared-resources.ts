import { CommandError } from './command.ts'
import type { WranglerToml } from './wrangler-toml.ts'

export type NamedTracker = { file: string; config: WranglerToml }

/**
 * Refuses a tracker that would replace another one of this checkout or write into its data, as one does whose file began
 * as a copy of the other's.
 */
export function assertOwnResources(tracker: NamedTracker, others: NamedTracker[]): void {
  for (const other of others) {
    const theirs = new Map(listResources(other.config))
    const shared = listResources(tracker.config).find(([name, value]) => theirs.get(name) === value)
    if (shared !== undefined) {
      const [name, value] = shared
      throw new CommandError(
        `${tracker.file} and ${other.file} have the same ${name}, ${value}: each tracker needs its own.`,
      )
    }
  }
}

function listResources({ name, d1_databases, r2_buckets, routes = [] }: WranglerToml) {
  return [
    ['WORKER', name],
    ...d1_databases.map((row) => ['DATABASE', row.database_name]),
    ...r2_buckets.map((row) => ['BUCKET', row.bucket_name]),
    ...routes.map(({ pattern }) => ['DOMAIN', pattern]),
  ] as [name: string, value: string][]
}
