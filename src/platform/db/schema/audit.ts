import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'

/** Changes to the structure of the tracker (users, groups, products, fields …); append-only. */
export const auditLog = sqliteTable(
  'audit_log',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Null for changes by the system. */
    userId: integer('user_id').references(() => users.id),
    happenedAt: integer('happened_at').notNull(),
    /** Product, Component, User, Group …, as in the parameter `class` of `last_audit_time`. */
    objectClass: text('object_class').notNull(),
    objectId: integer('object_id').notNull(),
    action: text('action', { enum: ['create', 'update', 'remove'] }).notNull(),
    /** `{field: {removed, added}}` as JSON, never with secrets. */
    changes: text('changes').notNull().default('{}'),
  },
  (t) => [
    index('audit_log_class').on(t.objectClass, t.happenedAt),
    index('audit_log_object').on(t.objectClass, t.objectId),
    index('audit_log_time').on(t.happenedAt),
    index('audit_log_person').on(t.userId, t.happenedAt),
  ],
)
