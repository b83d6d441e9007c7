import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { fieldValues } from './fields.ts'
import { groups } from './groups.ts'
import { users } from './users.ts'

export const classifications = sqliteTable('classifications', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  nameFold: text('name_fold').notNull().unique(),
  description: text('description').notNull().default(''),
  sortKey: integer('sort_key').notNull().default(0),
  revision: integer('revision').notNull().default(0),
})

export const products = sqliteTable(
  'products',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    classificationId: integer('classification_id')
      .notNull()
      .references(() => classifications.id),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull().unique(),
    description: text('description').notNull(),
    /** False: closed for new bugs, still searchable. */
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    hasUnconfirmed: integer('has_unconfirmed', { mode: 'boolean' }).notNull().default(true),
    /** Null: the installation's default type. */
    defaultTypeId: integer('default_type_id').references(() => fieldValues.id),
    createdAt: integer('created_at').notNull(),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [index('products_classification').on(t.classificationId)],
)

/** Each has one default, marked here, because a column of the product would make a cycle of foreign keys. */
export const versions = sqliteTable('versions', partColumns(), (t) => [
  uniqueIndex('versions_name').on(t.productId, t.nameFold),
  index('versions_fold').on(t.nameFold),
  uniqueIndex('versions_default').on(t.productId).where(sql`${t.isDefault} = 1`),
])

export const milestones = sqliteTable('milestones', partColumns(), (t) => [
  uniqueIndex('milestones_name').on(t.productId, t.nameFold),
  index('milestones_fold').on(t.nameFold),
  index('milestones_sort').on(t.productId, t.sortKey, t.nameFold),
  uniqueIndex('milestones_default').on(t.productId).where(sql`${t.isDefault} = 1`),
])

function partColumns() {
  return {
    id: integer('id').primaryKey({ autoIncrement: true }),
    productId: integer('product_id')
      .notNull()
      .references(() => products.id),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull(),
    sortKey: integer('sort_key').notNull().default(0),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
    revision: integer('revision').notNull().default(0),
  }
}

/**
 * How a group restricts the bugs of a product. NA: not at all; SHOWN: bugs may be added to it; DEFAULT: new bugs are
 * in it by default; MANDATORY: every bug is in it.
 */
export const GROUP_CONTROL: Readonly<Record<'NA' | 'SHOWN' | 'DEFAULT' | 'MANDATORY', number>> = {
  NA: 0,
  SHOWN: 1,
  DEFAULT: 2,
  MANDATORY: 3,
}

/** Each control has two values of `GROUP_CONTROL`: for members and for everybody else. */
export const groupControls = sqliteTable(
  'group_controls',
  {
    productId: integer('product_id')
      .notNull()
      .references(() => products.id),
    groupId: integer('group_id')
      .notNull()
      .references(() => groups.id),
    entry: integer('entry', { mode: 'boolean' }).notNull().default(false),
    canEdit: integer('canedit', { mode: 'boolean' }).notNull().default(false),
    editComponents: integer('editcomponents', { mode: 'boolean' }).notNull().default(false),
    editBugs: integer('editbugs', { mode: 'boolean' }).notNull().default(false),
    canConfirm: integer('canconfirm', { mode: 'boolean' }).notNull().default(false),
    memberControl: integer('membercontrol').notNull().default(0),
    otherControl: integer('othercontrol').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.productId, t.groupId] }),
    index('group_controls_group').on(t.groupId),
    check(
      'group_controls_pair',
      sql`${t.memberControl} BETWEEN 0 AND 3 AND ${t.otherControl} BETWEEN 0 AND 3 AND (${t.memberControl} = ${t.otherControl} OR ${t.memberControl} = 1 OR (${t.memberControl} = 2 AND ${t.otherControl} <> 1))`,
    ),
  ],
)

export const components = sqliteTable(
  'components',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    productId: integer('product_id')
      .notNull()
      .references(() => products.id),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull(),
    description: text('description').notNull(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    sortKey: integer('sort_key').notNull().default(0),
    /** Null: the product's default type. */
    defaultTypeId: integer('default_type_id').references(() => fieldValues.id),
    defaultAssigneeId: integer('default_assignee_id')
      .notNull()
      .references(() => users.id),
    defaultQaContactId: integer('default_qa_contact_id').references(() => users.id),
    triageOwnerId: integer('triage_owner_id').references(() => users.id),
    teamName: text('team_name').notNull().default(''),
    bugDescriptionTemplate: text('bug_description_template').notNull().default(''),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    uniqueIndex('components_name').on(t.productId, t.nameFold),
    index('components_fold').on(t.nameFold),
    index('components_triage_owner').on(t.triageOwnerId),
  ],
)

/** People who are added to the CC list of every bug that is filed in the component or moved to it. */
export const componentCc = sqliteTable(
  'component_cc',
  {
    componentId: integer('component_id')
      .notNull()
      .references(() => components.id),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [
    primaryKey({ columns: [t.componentId, t.userId] }),
    index('component_cc_user').on(t.userId),
  ],
)
