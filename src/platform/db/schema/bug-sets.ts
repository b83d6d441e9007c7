import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { bugs } from './bugs.ts'
import { fields, fieldValues, keywords } from './fields.ts'
import { groups } from './groups.ts'
import { users } from './users.ts'

const bugId = (name = 'bug_id') =>
  integer(name)
    .notNull()
    .references(() => bugs.id)

export const bugCc = sqliteTable(
  'bug_cc',
  {
    bugId: bugId(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [primaryKey({ columns: [t.bugId, t.userId] }), index('bug_cc_user').on(t.userId, t.bugId)],
)

export const bugGroups = sqliteTable(
  'bug_groups',
  {
    bugId: bugId(),
    groupId: integer('group_id')
      .notNull()
      .references(() => groups.id),
  },
  (t) => [
    primaryKey({ columns: [t.bugId, t.groupId] }),
    index('bug_groups_group').on(t.groupId, t.bugId),
  ],
)

export const bugKeywords = sqliteTable(
  'bug_keywords',
  {
    bugId: bugId(),
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
  },
  (t) => [
    primaryKey({ columns: [t.bugId, t.keywordId] }),
    index('bug_keywords_keyword').on(t.keywordId, t.bugId),
  ],
)

/** `bugId` depends on `dependsOnId`, which blocks `bugId`. */
export const dependencies = sqliteTable(
  'dependencies',
  { bugId: bugId(), dependsOnId: bugId('depends_on_id') },
  (t) => [
    primaryKey({ columns: [t.bugId, t.dependsOnId] }),
    index('dependencies_blocks').on(t.dependsOnId, t.bugId),
    check('dependencies_self', sql`${t.bugId} <> ${t.dependsOnId}`),
  ],
)

/** `regressedById` caused `bugId`, which is one of its regressions. */
export const regressions = sqliteTable(
  'regressions',
  { bugId: bugId(), regressedById: bugId('regressed_by_id') },
  (t) => [
    primaryKey({ columns: [t.bugId, t.regressedById] }),
    index('regressions_caused').on(t.regressedById, t.bugId),
    check('regressions_self', sql`${t.bugId} <> ${t.regressedById}`),
  ],
)

/** See-also links in the order of their addition; a link to a bug of this service also has its ID. */
export const seeAlso = sqliteTable(
  'see_also',
  {
    id: integer('id').primaryKey(),
    bugId: bugId(),
    url: text('url').notNull(),
    urlFold: text('url_fold').notNull(),
    localBugId: integer('local_bug_id').references(() => bugs.id),
  },
  (t) => [
    uniqueIndex('see_also_url').on(t.bugId, t.urlFold),
    index('see_also_local').on(t.localBugId),
  ],
)

/** Personal tags: seen, searched and changed by their owner alone. */
export const bugTags = sqliteTable(
  'bug_tags',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    bugId: bugId(),
    name: text('name').notNull(),
    nameFold: text('name_fold').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.bugId, t.nameFold] }),
    index('bug_tags_name').on(t.userId, t.nameFold, t.bugId),
    index('bug_tags_bug').on(t.bugId),
  ],
)

/**
 * Values of custom fields: one row per bug and field, several for a multi select. Text and dates are
 * in `text`, numbers, bug IDs and Unix seconds in `number`, choices in `valueId`.
 */
export const customValues = sqliteTable(
  'custom_values',
  {
    id: integer('id').primaryKey(),
    bugId: bugId(),
    fieldId: integer('field_id')
      .notNull()
      .references(() => fields.id),
    text: text('text'),
    textFold: text('text_fold'),
    number: real('number'),
    valueId: integer('value_id').references(() => fieldValues.id),
  },
  (t) => [
    uniqueIndex('custom_values_single').on(t.bugId, t.fieldId).where(sql`${t.valueId} IS NULL`),
    uniqueIndex('custom_values_several')
      .on(t.bugId, t.fieldId, t.valueId)
      .where(sql`${t.valueId} IS NOT NULL`),
    index('custom_values_choice').on(t.valueId, t.bugId).where(sql`${t.valueId} IS NOT NULL`),
    index('custom_values_number')
      .on(t.fieldId, t.number, t.bugId)
      .where(sql`${t.number} IS NOT NULL`),
  ],
)
