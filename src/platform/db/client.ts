import { queryBuilder } from './drizzle-internals.ts'

/**
 * Builds queries, but cannot run them, because it has no database. `readBatch` and `commit` run what it
 * builds, so that no code makes a round trip to D1 by accident.
 */
export const db = queryBuilder()
