import { drizzle } from 'drizzle-orm/d1'

/**
 * Builds queries, and cannot run them: it has no database behind it. What it builds is run by
 * `together` (reads) and `commit` (writes), so nobody can make a trip to D1 by accident.
 */
export const db = drizzle(builderOnly())

/** Drizzle asks its client to prepare a text when a query is finished; here nothing comes of it. */
function builderOnly(): D1Database {
  return { prepare: () => undefined } as unknown as D1Database
}
