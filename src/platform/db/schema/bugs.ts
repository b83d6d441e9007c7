import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  index,
  integer,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { components } from './components.ts'
import { fieldValues } from './fields.ts'
import { milestones, products, versions } from './products.ts'
import { users } from './users.ts'

const value = (name: string) =>
  integer(name)
    .notNull()
    .references(() => fieldValues.id)

/**
 * One row per bug with its single-valued fields. `revision` steps with every change that decisions about the
 * workflow depend on (status, resolution, confirmation, remaining hours), not with edits of sets (CC,
 * keywords, relations, groups …), which commute. Triggers maintain the counters.
 */
export const bugs = sqliteTable(
  'bugs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    alias: text('alias'),
    aliasFold: text('alias_fold'),
    summary: text('summary').notNull(),
    summaryFold: text('summary_fold').notNull(),
    productId: integer('product_id')
      .notNull()
      .references(() => products.id),
    componentId: integer('component_id')
      .notNull()
      .references(() => components.id),
    versionId: integer('version_id')
      .notNull()
      .references(() => versions.id),
    milestoneId: integer('milestone_id')
      .notNull()
      .references(() => milestones.id),
    statusId: value('status_id'),
    resolutionId: value('resolution_id'),
    isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull(),
    typeId: value('type_id'),
    priorityId: value('priority_id'),
    severityId: value('severity_id'),
    platformId: value('platform_id'),
    opSysId: value('op_sys_id'),
    assignedToId: integer('assigned_to_id')
      .notNull()
      .references(() => users.id),
    reporterId: integer('reporter_id')
      .notNull()
      .references(() => users.id),
    qaContactId: integer('qa_contact_id').references(() => users.id),
    isCcAccessible: integer('is_cc_accessible', { mode: 'boolean' }).notNull().default(true),
    isCreatorAccessible: integer('is_creator_accessible', { mode: 'boolean' })
      .notNull()
      .default(true),
    /** The original; set only while the resolution is DUPLICATE. */
    dupeOfId: integer('dupe_of_id').references((): AnySQLiteColumn => bugs.id),
    url: text('url').notNull().default(''),
    urlFold: text('url_fold').notNull().default(''),
    whiteboard: text('whiteboard').notNull().default(''),
    whiteboardFold: text('whiteboard_fold').notNull().default(''),
    /** `YYYY-MM-DD` */
    deadline: text('deadline'),
    estimatedTime: real('estimated_time').notNull().default(0),
    remainingTime: real('remaining_time').notNull().default(0),
    filedVia: text('filed_via').notNull().default('api'),
    createdAt: integer('created_at').notNull(),
    changedAt: integer('changed_at').notNull(),
    commentCount: integer('comment_count').notNull().default(0),
    publicCommentCount: integer('public_comment_count').notNull().default(0),
    /** How many groups restrict the bug; 0 means public. */
    groupCount: integer('group_count').notNull().default(0),
    revision: integer('revision').notNull().default(0),
    /** The sum of hours worked, in all comments and in public ones. */
    workedTime: real('worked_time').notNull().default(0),
    publicWorkedTime: real('public_worked_time').notNull().default(0),
  },
  (t) => [
    index('bugs_product').on(t.productId, t.statusId),
    // finds the newest bugs of a product or component, by ID and by time, without sorting all of them
    // and counts those of a product: most have no group, and need not be read to know that they are visible
    index('bugs_product_newest').on(t.productId, t.id, t.groupCount),
    index('bugs_product_created').on(t.productId, t.createdAt),
    index('bugs_product_changed').on(t.productId, t.changedAt),
    index('bugs_component').on(t.componentId, t.statusId),
    index('bugs_component_newest').on(t.componentId),
    index('bugs_status').on(t.statusId),
    index('bugs_resolution').on(t.resolutionId),
    index('bugs_assigned_to').on(t.assignedToId, t.statusId),
    index('bugs_assigned_to_newest').on(t.assignedToId),
    index('bugs_reporter').on(t.reporterId),
    // partial, because most bugs have none and then need no entry
    index('bugs_qa_contact').on(t.qaContactId).where(sql`${t.qaContactId} IS NOT NULL`),
    uniqueIndex('bugs_alias_fold_unique').on(t.aliasFold).where(sql`${t.aliasFold} IS NOT NULL`),
    index('bugs_version').on(t.versionId),
    index('bugs_milestone').on(t.milestoneId),
    index('bugs_severity').on(t.severityId),
    index('bugs_priority').on(t.priorityId),
    index('bugs_created').on(t.createdAt),
    index('bugs_changed').on(t.changedAt),
    index('bugs_dupe_of').on(t.dupeOfId).where(sql`${t.dupeOfId} IS NOT NULL`),
    index('bugs_restricted').on(t.groupCount).where(sql`${t.groupCount} > 0`),
  ],
)
