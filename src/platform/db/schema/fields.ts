import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** Types of custom fields. Built-in fields have these or types of their own. */
export const FIELD_TYPE = {
  freeText: 1,
  single: 2,
  multi: 3,
  largeText: 4,
  datetime: 5,
  bugId: 6,
  date: 9,
  integer: 10,
} as const

export type FieldTypeName = keyof typeof FIELD_TYPE

/** What values are: texts, numbers, one other bug, one choice of a list or several. */
type FieldContent = 'text' | 'number' | 'bug' | 'choice' | 'choices'

const CONTENTS: Readonly<Record<FieldTypeName, FieldContent>> = {
  freeText: 'text',
  single: 'choice',
  multi: 'choices',
  largeText: 'text',
  datetime: 'number',
  bugId: 'bug',
  date: 'text',
  integer: 'number',
}

export const TEXT_TYPES = typesOf('text')
export const BUG_TYPES = typesOf('bug')

/** Of fields of these types a bug has one value of a list. */
export const SINGLE_SELECT_TYPES = typesOf('choice')
export const MULTI_SELECT_TYPES = typesOf('choices')
export const SELECT_TYPES = [...SINGLE_SELECT_TYPES, ...MULTI_SELECT_TYPES]

function typesOf(content: FieldContent): readonly number[] {
  const names = Object.keys(CONTENTS) as FieldTypeName[]
  return names.filter((name) => CONTENTS[name] === content).map((name) => FIELD_TYPE[name])
}

/** Definitions of bug fields, built in and custom, under their internal names (`bug_status`). */
export const fields = sqliteTable(
  'fields',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull().unique(),
    displayName: text('display_name').notNull(),
    /** One of `FIELD_TYPE`, or the type of a built-in field. */
    type: integer('type').notNull(),
    isCustom: integer('is_custom', { mode: 'boolean' }).notNull().default(false),
    isMandatory: integer('is_mandatory', { mode: 'boolean' }).notNull().default(false),
    isOnBugEntry: integer('is_on_bug_entry', { mode: 'boolean' }).notNull().default(false),
    /** Kept in old bugs, hidden from new ones. */
    isObsolete: integer('is_obsolete', { mode: 'boolean' }).notNull().default(false),
    sortKey: integer('sort_key').notNull().default(0),
    visibilityFieldId: integer('visibility_field_id').references((): AnySQLiteColumn => fields.id),
    valueFieldId: integer('value_field_id').references((): AnySQLiteColumn => fields.id),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [index('fields_custom').on(t.isCustom).where(sql`${t.isCustom} = 1`)],
)

/** The values of select fields. Bugs hold the ID, so that renaming a value costs one row. */
export const fieldValues = sqliteTable(
  'field_values',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    fieldId: integer('field_id')
      .notNull()
      .references(() => fields.id),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull(),
    sortKey: integer('sort_key').notNull().default(0),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
    description: text('description').notNull().default(''),
    /** Statuses only; null for every other field. */
    isOpen: integer('is_open', { mode: 'boolean' }),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    uniqueIndex('field_values_name').on(t.fieldId, t.nameFold),
    index('field_values_sort').on(t.fieldId, t.sortKey, t.nameFold),
  ],
)

/**
 * The values of the controlling field under which a field is shown. The controller may be a select
 * field, the product, the component or the classification, so the number cannot have a foreign key.
 */
export const fieldVisibility = sqliteTable(
  'field_visibility',
  {
    fieldId: integer('field_id')
      .notNull()
      .references(() => fields.id),
    controllingId: integer('controlling_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.fieldId, t.controllingId] })],
)

/** The values of the controlling field under which a value is offered; without any it always is. */
export const valueVisibility = sqliteTable(
  'value_visibility',
  {
    valueId: integer('value_id')
      .notNull()
      .references(() => fieldValues.id),
    controllingId: integer('controlling_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.valueId, t.controllingId] }),
    index('value_visibility_controlling').on(t.controllingId),
  ],
)

/** The status workflow: one row per allowed move. */
export const statusTransitions = sqliteTable(
  'status_transitions',
  {
    id: integer('id').primaryKey(),
    /** Null: a new bug may start in `toId`. */
    fromId: integer('from_id').references(() => fieldValues.id),
    toId: integer('to_id')
      .notNull()
      .references(() => fieldValues.id),
    commentRequired: integer('comment_required', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [
    uniqueIndex('status_transitions_edge').on(t.fromId, t.toId).where(sql`${t.fromId} IS NOT NULL`),
    uniqueIndex('status_transitions_start').on(t.toId).where(sql`${t.fromId} IS NULL`),
    index('status_transitions_to').on(t.toId),
  ],
)

export const keywords = sqliteTable('keywords', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  nameFold: text('name_fold').notNull().unique(),
  description: text('description').notNull(),
  isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
  revision: integer('revision').notNull().default(0),
})
