import { eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugVisibleToCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { attachments } from '../db/schema/attachments.ts'
import { bugCc, bugKeywords } from '../db/schema/bug-sets.ts'
import { bugs } from '../db/schema/bugs.ts'
import { comments } from '../db/schema/comments.ts'
import { components } from '../db/schema/components.ts'
import { fields, fieldValues, keywords } from '../db/schema/fields.ts'
import { flags, flagTypes } from '../db/schema/flags.ts'
import { history } from '../db/schema/history.ts'
import { classifications, milestones, products, versions } from '../db/schema/products.ts'
import { users } from '../db/schema/users.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { itemBugId, namesBugsCondition, splitItems } from '../history/links.ts'
import { selectFlagNews } from './flag-news.ts'
import { parseRecipient, selectInvolvedPeople, selectRecipients } from './recipients.ts'
import type { Change, Notice } from './types.ts'

const u = aliasColumns(users, 'u')
const p = aliasColumns(products, 'p')
const m = aliasColumns(milestones, 'm')
const k = aliasColumns(keywords, 'k')
const t = aliasColumns(flagTypes, 't')
const f = aliasColumns(flags, 'f')
const v = aliasColumns(fieldValues, 'v')
const ver = aliasColumns(versions, 'ver')
const cl = aliasColumns(classifications, 'cl')
const c = aliasColumns(components, 'c')

/**
 * Loads everything that mails about a change need, in one round trip: the current bug, the history rows and
 * comments of the notice, and the recipients.
 */
export async function loadChange(ctx: Ctx, notice: Notice): Promise<Change> {
  const read = await readBatch(ctx, {
    bugs: selectBug(notice),
    rows: selectHistoryRows(notice),
    comments: selectComments(notice),
    links: selectLinks(notice, ctx.baseUrl),
    hidden: selectHiddenLinks(notice, ctx.baseUrl),
    flagNews: selectFlagNews(notice),
    recipients: selectRecipients(ctx.settings, notice),
  })
  const [bug] = read.bugs
  if (bug === undefined) {
    throw new Error('The bug of a notice does not exist')
  }
  return {
    notice,
    bug,
    rows: read.rows,
    comments: read.comments,
    links: read.links,
    hidden: new Set(read.hidden.map(({ personId, bugId }) => `${personId}:${bugId}`)),
    flagNews: read.flagNews,
    recipients: read.recipients.map(parseRecipient),
  }
}

function selectBug(notice: Notice) {
  const value = (column: SQLiteColumn) =>
    sql<string>`(SELECT ${v.name} FROM field_values v WHERE ${v.id} = ${column})`
  const login = (id: SQL) => sql<string>`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${id})`
  return db
    .select({
      id: bugs.id,
      summary: bugs.summary,
      classification: sql<string>`(SELECT ${cl.name} FROM classifications cl JOIN products p
        ON ${p.classificationId} = ${cl.id} WHERE ${p.id} = ${bugs.productId})`.as(
        'classification',
      ),
      product: sql<string>`(SELECT ${p.name} FROM products p WHERE ${p.id} = ${bugs.productId})`.as(
        'product',
      ),
      component:
        sql<string>`(SELECT ${c.name} FROM components c WHERE ${c.id} = ${bugs.componentId})`.as(
          'component',
        ),
      version:
        sql<string>`(SELECT ${ver.name} FROM versions ver WHERE ${ver.id} = ${bugs.versionId})`.as(
          'version',
        ),
      milestone:
        sql<string>`(SELECT ${m.name} FROM milestones m WHERE ${m.id} = ${bugs.milestoneId})`.as(
          'milestone',
        ),
      status: value(bugs.statusId).as('status'),
      resolution: value(bugs.resolutionId).as('resolution'),
      type: value(bugs.typeId).as('type'),
      priority: value(bugs.priorityId).as('priority'),
      severity: value(bugs.severityId).as('severity'),
      platform: value(bugs.platformId).as('platform'),
      opSys: value(bugs.opSysId).as('op_sys'),
      url: bugs.url,
      assignedTo: login(sql`${bugs.assignedToId}`).as('assigned_to'),
      reporter: login(sql`${bugs.reporterId}`).as('reporter'),
      qaContact: sql<
        string | null
      >`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${bugs.qaContactId})`.as('qa_contact'),
      cc: joinNames(sql`SELECT ${u.login} AS name FROM bug_cc JOIN users u ON ${u.id} = ${bugCc.userId}
        WHERE ${bugCc.bugId} = ${bugs.id} ORDER BY ${u.loginFold}`).as('cc'),
      keywords: joinNames(sql`SELECT ${k.name} AS name FROM bug_keywords JOIN keywords k
        ON ${k.id} = ${bugKeywords.keywordId} WHERE ${bugKeywords.bugId} = ${bugs.id} ORDER BY ${k.nameFold}`).as(
        'keywords',
      ),
      /** JSON: name, status and requestee of each flag of the bug; flags of attachments may be private. */
      flags:
        sql<string>`(SELECT json_group_array(json_array(${t.name}, ${f.status}, ${u.login}) ORDER BY ${f.id})
        FROM flags f JOIN flag_types t ON ${t.id} = ${f.typeId} LEFT JOIN users u ON ${u.id} = ${f.requesteeId}
        WHERE ${f.bugId} = ${bugs.id} AND ${f.attachmentId} IS NULL)`.as('flags'),
      author: login(sql`${notice.authorId}`).as('author'),
      authorName:
        sql<string>`(SELECT ${u.realName} FROM users u WHERE ${u.id} = ${notice.authorId})`.as(
          'author_name',
        ),
    })
    .from(bugs)
    .where(eq(bugs.id, notice.bugId))
}

function selectHistoryRows(notice: Notice) {
  return db
    .select({
      id: sql<number>`${history.id}`.as('history_id'),
      field: history.field,
      displayName: fields.displayName,
      removed: history.removed,
      added: history.added,
      attachmentId: history.attachmentId,
      isAttachmentPrivate: sql<number | null>`${attachments.isPrivate}`.as('is_attachment_private'),
      submitterId: sql<number | null>`${attachments.submitterId}`.as('submitter_id'),
      isCommentPrivate: sql<number | null>`${comments.isPrivate}`.as('is_comment_private'),
    })
    .from(history)
    .leftJoin(attachments, eq(attachments.id, history.attachmentId))
    .leftJoin(comments, eq(comments.id, history.commentId))
    .leftJoin(fields, eq(fields.name, history.field))
    .where(eq(history.noticeId, notice.id))
    .orderBy(history.id)
}

function selectComments(notice: Notice) {
  return db
    .select({
      number: comments.number,
      at: sql<number>`${comments.createdAt}`.as('commented_at'),
      body: comments.body,
      isPrivate: comments.isPrivate,
      kind: comments.kind,
      relatedBugId: comments.relatedBugId,
      attachmentId: comments.attachmentId,
      attachmentSummary: sql<string | null>`${attachments.summary}`.as('attachment_summary'),
      isAttachmentPrivate: sql<number | null>`${attachments.isPrivate}`.as('is_attachment_private'),
      submitterId: sql<number | null>`${attachments.submitterId}`.as('submitter_id'),
      author: users.login,
      authorName: users.realName,
    })
    .from(comments)
    .innerJoin(users, eq(users.id, comments.authorId))
    .leftJoin(attachments, eq(attachments.id, comments.attachmentId))
    .where(eq(comments.noticeId, notice.id))
    .orderBy(comments.number)
}

function selectLinks(notice: Notice, baseUrl: string) {
  return db
    .select({
      historyId: sql<number>`link.history_id`.as('history_id'),
      side: sql<'removed' | 'added'>`link.side`.as('side'),
      item: sql<string>`link.item`.as('item'),
      bugId: sql<number | null>`${bugs.id}`.as('linked_bug_id'),
      summary: sql<string | null>`${bugs.summary}`.as('linked_summary'),
    })
    .from(
      sql`(${selectNamedBugs(notice, baseUrl)}) AS link LEFT JOIN bugs ON ${bugs.id} = link.bug_id`,
    )
}

/** Pairs of a person and a bug hidden from that person, among all bugs that the change names. */
function selectHiddenLinks(notice: Notice, baseUrl: string) {
  return db
    .select({
      personId: sql<number>`person.person_id`.as('person_id'),
      bugId: sql<number>`${bugs.id}`.as('hidden_bug_id'),
    })
    .from(
      sql`(SELECT bug_id FROM (${selectNamedBugs(notice, baseUrl)})
          UNION SELECT ${comments.relatedBugId} FROM comments WHERE ${comments.noticeId} = ${notice.id}) AS link
        JOIN bugs ON ${bugs.id} = link.bug_id
        JOIN (SELECT DISTINCT person_id FROM (${selectInvolvedPeople(notice)})) AS person`,
    )
    .where(sql`NOT ${bugVisibleToCondition(sql`person.person_id`)}`)
}

/** A select of the items in history rows of the notice that stand for bugs. */
function selectNamedBugs(notice: Notice, baseUrl: string): SQL {
  return sql`SELECT ${history.id} AS history_id, side.key AS side, item.value AS item,
      ${itemBugId(baseUrl)} AS bug_id
    FROM history
    JOIN json_each(json_object('removed', ${history.removed}, 'added', ${history.added})) side
    JOIN ${splitItems(sql`side.value`)} item
    WHERE ${history.noticeId} = ${notice.id} AND ${namesBugsCondition()} AND item.value <> ''`
}

function joinNames(names: SQL): SQL<string> {
  return sql<string>`coalesce((SELECT group_concat(name, ', ') FROM (${names})), '')`
}
