import { queryBuilder } from './drizzle-internals.ts'

/**
 * Builds queries, and cannot run them: it has no database behind it. What it builds is run by `readBatch`
 * and `commit`, so nobody can make a round trip to D1 by accident.
 */
export const db = queryBuilder()
