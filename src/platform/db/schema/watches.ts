import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { components, products } from './products.ts'
import { users } from './users.ts'

/** Who gets the mail that somebody else gets. */
export const personWatches = sqliteTable(
  'person_watches',
  {
    watcherId: integer('watcher_id')
      .notNull()
      .references(() => users.id),
    watchedId: integer('watched_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [
    primaryKey({ columns: [t.watcherId, t.watchedId] }),
    index('person_watches_watched').on(t.watchedId),
  ],
)

/** Who gets mail about the bugs of a component, or of a whole product. */
export const componentWatches = sqliteTable(
  'component_watches',
  {
    id: integer('id').primaryKey(),
    watcherId: integer('watcher_id')
      .notNull()
      .references(() => users.id),
    productId: integer('product_id')
      .notNull()
      .references(() => products.id),
    /** Null: every component of the product, later ones too. */
    componentId: integer('component_id').references(() => components.id),
  },
  (t) => [
    uniqueIndex('component_watches_one').on(t.watcherId, t.componentId),
    uniqueIndex('component_watches_whole')
      .on(t.watcherId, t.productId)
      .where(sql`${t.componentId} IS NULL`),
    index('component_watches_product').on(t.productId),
  ],
)

/** Bugs about which somebody gets no mail in any role. */
export const ignoredBugs = sqliteTable(
  'ignored_bugs',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
  },
  (t) => [primaryKey({ columns: [t.userId, t.bugId] })],
)
