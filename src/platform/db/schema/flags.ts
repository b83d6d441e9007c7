import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { attachments, bugs } from './bugs.ts'
import { groups } from './groups.ts'
import { components, products } from './products.ts'
import { users } from './users.ts'

export const flagTypes = sqliteTable(
  'flag_types',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** Not unique: two types may share a name when they apply in different places. */
    name: text('name').notNull(),
    description: text('description').notNull(),
    target: text('target', { enum: ['bug', 'attachment'] }).notNull(),
    ccList: text('cc_list').notNull().default(''),
    sortKey: integer('sort_key').notNull().default(1),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    isRequestable: integer('is_requestable', { mode: 'boolean' }).notNull().default(true),
    isRequesteeble: integer('is_requesteeble', { mode: 'boolean' }).notNull().default(true),
    isMultiplicable: integer('is_multiplicable', { mode: 'boolean' }).notNull().default(true),
    grantGroupId: integer('grant_group_id').references(() => groups.id),
    requestGroupId: integer('request_group_id').references(() => groups.id),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    index('flag_types_name').on(t.name),
    check('flag_types_target', sql`${t.target} IN ('bug', 'attachment')`),
  ],
)

/** Where a type applies: some inclusion matches and no exclusion does. Both columns null: everywhere. */
export const flagTypeScopes = sqliteTable(
  'flag_type_scopes',
  {
    id: integer('id').primaryKey(),
    flagTypeId: integer('flag_type_id')
      .notNull()
      .references(() => flagTypes.id),
    isExclusion: integer('is_exclusion', { mode: 'boolean' }).notNull(),
    productId: integer('product_id').references(() => products.id),
    componentId: integer('component_id').references(() => components.id),
  },
  (t) => [
    index('flag_type_scopes_type').on(t.flagTypeId),
    index('flag_type_scopes_product').on(t.productId, t.componentId),
  ],
)

export const flags = sqliteTable(
  'flags',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    typeId: integer('type_id')
      .notNull()
      .references(() => flagTypes.id),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    /** Null: a flag of the bug itself. */
    attachmentId: integer('attachment_id').references(() => attachments.id),
    status: text('status', { enum: ['?', '+', '-'] }).notNull(),
    setterId: integer('setter_id')
      .notNull()
      .references(() => users.id),
    requesteeId: integer('requestee_id').references(() => users.id),
    createdAt: integer('created_at').notNull(),
    modifiedAt: integer('modified_at').notNull(),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    index('flags_bug').on(t.bugId, t.attachmentId),
    index('flags_type').on(t.typeId, t.status, t.bugId),
    index('flags_requestee').on(t.requesteeId, t.bugId),
    index('flags_setter').on(t.setterId, t.bugId),
    // the few flags that wait for an answer, with all that they are looked up by
    index('flags_pending').on(t.requesteeId, t.setterId, t.typeId).where(sql`${t.status} = '?'`),
    check('flags_status', sql`${t.status} IN ('?', '+', '-')`),
  ],
)

/** Every creation, change and removal of a flag. Rows outlive the flag: `flagId` is no foreign key. */
export const flagActivity = sqliteTable(
  'flag_activity',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    flagId: integer('flag_id').notNull(),
    typeId: integer('type_id')
      .notNull()
      .references(() => flagTypes.id),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    attachmentId: integer('attachment_id').references(() => attachments.id),
    status: text('status', { enum: ['?', '+', '-', 'X'] }).notNull(),
    setterId: integer('setter_id')
      .notNull()
      .references(() => users.id),
    requesteeId: integer('requestee_id').references(() => users.id),
    happenedAt: integer('happened_at').notNull(),
  },
  (t) => [
    index('flag_activity_flag').on(t.flagId),
    index('flag_activity_type').on(t.typeId),
    index('flag_activity_bug').on(t.bugId),
    index('flag_activity_setter').on(t.setterId),
    index('flag_activity_requestee').on(t.requesteeId),
    index('flag_activity_time').on(t.happenedAt),
    check('flag_activity_status', sql`${t.status} IN ('?', '+', '-', 'X')`),
  ],
)
