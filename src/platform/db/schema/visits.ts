import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { users } from './users.ts'

export const visits = sqliteTable(
  'visits',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    visitedAt: integer('visited_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.bugId] }),
    index('visits_newest').on(t.userId, t.visitedAt),
    index('visits_age').on(t.visitedAt),
  ],
)
