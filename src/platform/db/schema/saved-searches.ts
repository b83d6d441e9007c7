import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { groups } from './groups.ts'
import { users } from './users.ts'

/**
 * Saved searches and saved reports; `query` holds search parameters as a query string. Only searches are shared, and
 * only while their owner belongs to the group.
 */
export const savedSearches = sqliteTable(
  'saved_searches',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind', { enum: ['search', 'report'] }).notNull(),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull(),
    query: text('query').notNull(),
    sharedGroupId: integer('shared_group_id').references(() => groups.id),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    uniqueIndex('saved_searches_user').on(t.userId, t.kind, t.nameFold),
    index('saved_searches_shared').on(t.sharedGroupId),
    check('saved_searches_kind', sql`${t.kind} IN ('search', 'report')`),
  ],
)
