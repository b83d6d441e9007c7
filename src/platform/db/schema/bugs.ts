import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { fields, fieldValues, keywords } from './fields.ts'
import { groups } from './groups.ts'
import { components, milestones, products, versions } from './products.ts'
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
/** Few bugs have more comments, and a search for fewer ends soon without an index. */
export const MANY_COMMENTS = 20

/** SQLite uses an index of such bugs for conditions that say the same. */
export function isDiscussedCondition(commentCount: SQLWrapper): SQL {
  return sql`${commentCount} > ${sql.raw(String(MANY_COMMENTS))}`
}

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
    // finds the newest bugs of a product, component or status, by ID and by time, without sorting all of them
    // and counts those of a product or status: most have no group, and need not be read to know that they are visible
    index('bugs_product_newest').on(t.productId, t.id, t.groupCount),
    index('bugs_product_created').on(t.productId, t.createdAt),
    index('bugs_product_changed').on(t.productId, t.changedAt),
    // finds the first bugs of a product or status by priority, severity or both
    index('bugs_product_importance').on(t.productId, t.statusId, t.priorityId, t.severityId),
    index('bugs_status_importance').on(t.statusId, t.priorityId, t.severityId),
    index('bugs_component').on(t.componentId, t.statusId),
    index('bugs_component_newest').on(t.componentId),
    index('bugs_status').on(t.statusId, t.id, t.groupCount),
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
    index('bugs_discussed').on(t.commentCount).where(isDiscussedCondition(t.commentCount)),
    index('bugs_restricted').on(t.groupCount).where(sql`${t.groupCount} > 0`),
  ],
)

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

/** Metadata of attachments; the bytes are an R2 object, written before the row. */
export const attachments = sqliteTable(
  'attachments',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    submitterId: integer('submitter_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    changedAt: integer('changed_at').notNull(),
    fileName: text('file_name').notNull(),
    summary: text('summary').notNull(),
    summaryFold: text('summary_fold').notNull(),
    contentType: text('content_type').notNull(),
    /** Bytes after decoding. */
    size: integer('size').notNull(),
    /** Key of the R2 object; the same bytes on several bugs share one. */
    objectKey: text('object_key').notNull(),
    sha256: text('sha256').notNull(),
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(false),
    isObsolete: integer('is_obsolete', { mode: 'boolean' }).notNull().default(false),
    isPatch: integer('is_patch', { mode: 'boolean' }).notNull().default(false),
    /** The URL of a link attachment, to find an existing link without reading objects. */
    linkUrl: text('link_url'),
    revision: integer('revision').notNull().default(0),
  },
  (t) => [
    index('attachments_bug').on(t.bugId),
    index('attachments_private').on(t.bugId).where(sql`${t.isPrivate} = 1`),
    index('attachments_submitter').on(t.submitterId, t.bugId),
    index('attachments_object').on(t.objectKey),
    // finds the bytes that an archive names
    index('attachments_digest').on(t.sha256),
    index('attachments_link').on(t.linkUrl, t.bugId),
  ],
)

/** `body` is the text as entered; reading adds the first lines of attachment and duplicate comments. */
export const comments = sqliteTable(
  'comments',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    /** Place among all comments of the bug; the description is 0. */
    number: integer('number').notNull(),
    authorId: integer('author_id')
      .notNull()
      .references(() => users.id),
    createdAt: integer('created_at').notNull(),
    body: text('body').notNull(),
    isPrivate: integer('is_private', { mode: 'boolean' }).notNull().default(false),
    isMarkdown: integer('is_markdown', { mode: 'boolean' }).notNull().default(false),
    kind: text('kind', {
      enum: ['plain', 'attachment_created', 'attachment_updated', 'duplicate_of', 'has_duplicate'],
    })
      .notNull()
      .default('plain'),
    attachmentId: integer('attachment_id').references(() => attachments.id),
    /** The other bug of a duplicate pair. */
    relatedBugId: integer('related_bug_id').references(() => bugs.id),
    workTime: real('work_time').notNull().default(0),
    /** The notice of this comment. No foreign key, because old notices are deleted. */
    noticeId: integer('notice_id'),
  },
  (t) => [
    uniqueIndex('comments_number').on(t.bugId, t.number),
    // finds the comments of a bug that are newer than a time, in order
    index('comments_bug_time').on(t.bugId, t.createdAt, t.number),
    index('comments_author').on(t.authorId, t.bugId),
    index('comments_attachment').on(t.attachmentId).where(sql`${t.attachmentId} IS NOT NULL`),
    index('comments_notice').on(t.noticeId).where(sql`${t.noticeId} IS NOT NULL`),
    check(
      'comments_kind',
      sql`${t.kind} IN ('plain', 'attachment_created', 'attachment_updated', 'duplicate_of', 'has_duplicate')`,
    ),
  ],
)

export const commentTags = sqliteTable(
  'comment_tags',
  {
    commentId: integer('comment_id')
      .notNull()
      .references(() => comments.id),
    nameFold: text('name_fold').notNull(),
    name: text('name').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.commentId, t.nameFold] }),
    index('comment_tags_name').on(t.nameFold, t.commentId),
  ],
)

/** The number of comments with each tag, maintained by triggers, which delete a row at 0. */
export const commentTagWeights = sqliteTable('comment_tag_weights', {
  nameFold: text('name_fold').primaryKey(),
  name: text('name').notNull(),
  weight: integer('weight').notNull(),
})

/**
 * What an index has of a text in history: a link differs from others at its end, a name at its beginning. Whoever looks
 * it up compares the text itself, too.
 */
export function changeKey(text: SQLWrapper): SQL {
  return sql`iif(length(${text}) > 12, substr(${text}, 1, 8) || substr(${text}, -4), ${text})`
}

/** Whether a row of history may have a list of several items, of which hidden ones are omitted. */
export function hasListCondition(row: Record<'removedFold' | 'addedFold', SQLWrapper>): SQL {
  return sql`(instr(${row.removedFold}, ', ') > 0 OR instr(${row.addedFold}, ', ') > 0)`
}

/**
 * The history of bugs: one row per changed field, under its API name, with its values as the API shows them. Row IDs
 * follow the order of commits.
 */
export const history = sqliteTable(
  'history',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    bugId: integer('bug_id')
      .notNull()
      .references(() => bugs.id),
    authorId: integer('author_id')
      .notNull()
      .references(() => users.id),
    changedAt: integer('changed_at').notNull(),
    field: text('field').notNull(),
    removed: text('removed').notNull(),
    removedFold: text('removed_fold').notNull(),
    added: text('added').notNull(),
    addedFold: text('added_fold').notNull(),
    attachmentId: integer('attachment_id').references(() => attachments.id),
    /** The comment whose privacy or tags changed. */
    commentId: integer('comment_id').references(() => comments.id),
    noticeId: integer('notice_id'),
  },
  (t) => [
    index('history_bug').on(t.bugId, t.changedAt),
    index('history_field').on(t.field, t.changedAt, t.bugId),
    index('history_author_field').on(t.authorId, t.field, t.changedAt),
    index('history_added').on(changeKey(t.addedFold), t.field, t.changedAt),
    index('history_removed')
      .on(changeKey(t.removedFold), t.field)
      .where(sql`${t.removedFold} <> ''`),
    index('history_lists').on(t.field, t.changedAt).where(hasListCondition(t)),
    index('history_notice').on(t.noticeId).where(sql`${t.noticeId} IS NOT NULL`),
  ],
)
