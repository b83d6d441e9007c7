import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { fieldValues } from './fields.ts'
import { products } from './products.ts'
import { users } from './users.ts'

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
