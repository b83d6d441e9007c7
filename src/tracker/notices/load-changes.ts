import { eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { changePrivacy } from '../../platform/access/privacy.ts'
import { bugVisibleToCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { ReadLimit } from '../../platform/db/read-limit.ts'
import {
  attachments,
  bugCc,
  bugKeywords,
  bugs,
  comments,
  history,
} from '../../platform/db/schema/bugs.ts'
import { fields, fieldValues, keywords } from '../../platform/db/schema/fields.ts'
import { flags, flagTypes } from '../../platform/db/schema/flags.ts'
import { noticeMails, notices } from '../../platform/db/schema/notices.ts'
import {
  classifications,
  components,
  milestones,
  products,
  versions,
} from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { type ParsedComment, parseComment } from '../../platform/lib/markdown/markdown.ts'
import { pick } from '../../platform/lib/pick.ts'
import { itemBugId, namesBugsCondition, splitItems } from '../history/links.ts'
import { isOpenIn, selectMailedBugs } from './dependent-bugs.ts'
import { selectFlagNews } from './flag-news.ts'
import { type InvolvedIn, selectInvolvedPeople, selectWithinLimit } from './involved.ts'
import { loadTargets } from './linked.ts'
import { isSwitchOn } from './preferences.ts'
import {
  parseMailedPerson,
  parseRecipient,
  selectMailedPeople,
  selectRecipients,
} from './recipients.ts'
import { presentAsAdded, selectBugsInSetFields, selectSetFields } from './set-fields.ts'
import type { Change, MailedPerson, Notice } from './types.ts'

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

/** What one part may be at most, so that it fits into memory and takes one statement a fifth of a second. */
type Most = {
  /** People whom its notices may concern. */
  readonly people: number
  /** People times bugs that its changes name, for each of which it is asked who sees it. */
  readonly pairs: number
}

const MOST_OF_PART: Most = { people: 2000, pairs: 20_000 }

/** The changes of some notices, with some of their recipients. */
export type ChangesPart = {
  readonly changes: readonly Change[]
  /** The notices that have no further part. */
  readonly ended: readonly number[]
}

/**
 * Loads everything that mails about notices need, in one part for all of them, or for each in as many as the people take
 * whom it concerns: so that no number of them fills the memory, or keeps others from the database for long.
 */
export async function* loadParts(
  ctx: Ctx,
  listed: readonly Notice[],
  most: Most = MOST_OF_PART,
): AsyncGenerator<ChangesPart> {
  const ids = listed.map(({ id }) => id)
  const changes = await loadChangesOfFew(ctx, listed, most)
  if (changes !== null) {
    yield { changes, ended: ids }
  } else if (listed.length > 1) {
    for (const notice of listed) {
      yield* loadParts(ctx, [notice], most)
    }
  } else {
    const { people, atOnce } = await loadInvolved(ctx, ids, most)
    for (let start = 0; start < people.length; start += atOnce) {
      const among = people.slice(start, start + atOnce)
      const ended = start + atOnce < people.length ? [] : ids
      yield { changes: await loadChanges(ctx, listed, { among }), ended }
    }
  }
}

/** Null where there are too many people. */
async function loadChangesOfFew(
  ctx: Ctx,
  listed: readonly Notice[],
  most: Most,
): Promise<Change[] | null> {
  try {
    return await loadChanges(ctx, listed, { most })
  } catch (error) {
    if (error instanceof ReadLimit) {
      return null
    }
    throw error
  }
}

/** The people whom notices may concern, and of how many of them a part may be. */
async function loadInvolved(ctx: Ctx, noticeIds: readonly number[], most: Most) {
  const { people, sizes } = await readBatch(ctx, {
    people: db
      .selectDistinct({ id: sql<number>`person_id`.as('id') })
      .from(sql`(${selectInvolvedPeople(ctx.settings, { noticeIds })})`),
    sizes: db
      .select({ atOnce: mostAtOnce(ctx, noticeIds, most).as('at_once') })
      .from(sql`(SELECT 1)`),
  })
  return { people: people.map(({ id }) => id), atOnce: sizes[0]?.atOnce ?? 1 }
}

/** Of how many people a part may be: the fewer, the more bugs the changes name. A whole number, which LIMIT demands. */
function mostAtOnce({ baseUrl }: Ctx, noticeIds: readonly number[], most: Most): SQL<number> {
  return sql<number>`(SELECT CAST(max(1, min(${most.people}, ${most.pairs} / max(1, count(*)))) AS INTEGER)
    FROM (${selectAllNamedBugs(noticeIds, baseUrl)}))`
}

/**
 * Loads what mails about notices need, in one round trip for all of them: the current bugs, the history rows and
 * comments of the notices, and the recipients, or those among some people. What comments of HTML refer to is read in
 * another one.
 * Throws a `ReadLimit` where the notices concern more people than one part may be of.
 */
export async function loadChanges(
  ctx: Ctx,
  listed: readonly Notice[],
  { among, most }: Pick<InvolvedIn, 'among'> & { readonly most?: Most } = {},
): Promise<Change[]> {
  const ids = listed.map(({ id }) => id)
  const involved: InvolvedIn = { noticeIds: ids, ...(among && { among }) }
  const read = await readBatch(ctx, {
    // first, because it ends all others
    few: most === undefined ? undefined : selectWithinLimit(ids, mostAtOnce(ctx, ids, most)),
    bugs: selectBugs(ids),
    rows: selectHistoryRows(ids),
    setFields: selectSetFields(jsonList(ids)),
    comments: selectComments(ids),
    links: selectLinks(ids, ctx.baseUrl),
    hidden: selectHiddenLinks(ctx, involved),
    flagNews: selectFlagNews(ids),
    recipients: selectRecipients(ctx.settings, involved),
    people: selectMailedPeople(ctx.settings, involved),
  })
  const bugsOf = Map.groupBy(read.bugs, noticeIdOf)
  const rowsOf = Map.groupBy(read.rows, noticeIdOf)
  const setFieldsOf = Map.groupBy(read.setFields, noticeIdOf)
  const commentsOf = Map.groupBy(read.comments, noticeIdOf)
  const linksOf = Map.groupBy(read.links, noticeIdOf)
  const flagNewsOf = Map.groupBy(read.flagNews, noticeIdOf)
  const recipientsOf = Map.groupBy(read.recipients, noticeIdOf)
  const people = new Map(read.people.map((row) => [row.userId, parseMailedPerson(row)]))
  const hidden = new Set(read.hidden.map(({ personId, bugId }) => `${personId}:${bugId}`))
  const getsHtml = ({ preferences }: MailedPerson) => isSwitchOn(preferences, 'format', 'html')
  const proseOf = [...people.values()].some(getsHtml)
    ? await parseComments(ctx, read.comments)
    : () => null
  const changes = listed.flatMap((notice) => {
    const bugs = new Map((bugsOf.get(notice.id) ?? []).map((row) => [row.id, row]))
    const bug = bugs.get(notice.bugId)
    const added = presentAsAdded(setFieldsOf.get(notice.id) ?? [])
    const parts = {
      rows: [...(rowsOf.get(notice.id) ?? []), ...added.rows],
      comments: (commentsOf.get(notice.id) ?? []).map((row) => ({ ...row, prose: proseOf(row) })),
      links: [...(linksOf.get(notice.id) ?? []), ...added.links],
      flagNews: flagNewsOf.get(notice.id) ?? [],
    }
    const recipients = (recipientsOf.get(notice.id) ?? []).flatMap((row) => {
      const mailed = people.get(row.personId)
      return mailed === undefined ? [] : parseRecipient(row, mailed)
    })
    return bug === undefined
      ? []
      : [{ notice, bug, blockedBugs: bugs, ...parts, hidden, recipients }]
  })
  const targetsOf = await loadTargets(
    ctx,
    changes.map(({ comments, recipients }) => ({
      readers: recipients.filter(getsHtml).map(({ person }) => person),
      prose: comments.flatMap(({ prose }) => prose ?? []),
    })),
  )
  return changes.map((change) => ({ ...change, targetsOf }))
}

type CommentRow = Awaited<ReturnType<typeof selectComments>>[number]

/** Once for all readers, because parsing takes longest. */
async function parseComments({ settings, baseUrl }: Ctx, rows: readonly CommentRow[]) {
  const prose = new Map<CommentRow, ParsedComment>()
  for (const row of rows) {
    const isMarkdown = settings.USE_MARKDOWN && row.isMarkdown
    prose.set(row, await parseComment(row.body, { baseUrl, isOnBug: baseUrl !== '', isMarkdown }))
  }
  return (row: CommentRow) => prose.get(row) ?? null
}

function noticeIdOf({ noticeId }: { readonly noticeId: number }): number {
  return noticeId
}

function selectBugs(ids: readonly number[]) {
  const value = (column: SQLiteColumn) =>
    sql<string>`(SELECT ${v.name} FROM field_values v WHERE ${v.id} = ${column})`
  const recorded = (value: SQL) =>
    sql<number>`(SELECT ${value} FROM notice_mails WHERE ${noticeMails.noticeId} = ${notices.id})`
  const login = (id: SQL) => sql<string>`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${id})`
  return db
    .select({
      noticeId: sql<number>`${notices.id}`.as('notice_id'),
      id: bugs.id,
      summary: bugs.summary,
      recordedCount: recorded(sql`count(*)`).as('recorded_count'),
      refusedCount: recorded(sql`coalesce(sum(${noticeMails.isRefused}), 0)`).as('refused_count'),
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
      author: login(sql`${notices.authorId}`).as('author'),
      authorName:
        sql<string>`(SELECT ${u.realName} FROM users u WHERE ${u.id} = ${notices.authorId})`.as(
          'author_name',
        ),
    })
    .from(notices)
    .innerJoin(
      sql`(${selectMailedBugs(jsonList(ids))}) AS mailed`,
      sql`mailed.notice_id = ${notices.id}`,
    )
    .innerJoin(bugs, sql`${bugs.id} = mailed.bug_id`)
}

function selectHistoryRows(ids: readonly number[]) {
  return db
    .select({
      noticeId: sql<number>`${history.noticeId}`.as('notice_id'),
      id: sql<number>`${history.id}`.as('history_id'),
      field: history.field,
      displayName: fields.displayName,
      ...pick(history, 'removed', 'added', 'attachmentId'),
      isAttachmentPrivate: sql<number | null>`${attachments.isPrivate}`.as('is_attachment_private'),
      submitterId: sql<number | null>`${attachments.submitterId}`.as('submitter_id'),
      isCommentPrivate: changePrivacy().as('is_comment_private'),
      isOpen: sql<
        number | null
      >`CASE ${history.field} WHEN 'status' THEN ${isOpenIn(history.addedFold)} END`.as('is_open'),
    })
    .from(history)
    .leftJoin(comments, eq(comments.id, history.commentId))
    .leftJoin(
      attachments,
      sql`${attachments.id} = coalesce(${history.attachmentId}, ${comments.attachmentId})`,
    )
    .leftJoin(fields, eq(fields.name, history.field))
    .where(sql`${history.noticeId} IN ${jsonList(ids)}`)
    .orderBy(history.id)
}

function selectComments(ids: readonly number[]) {
  return db
    .select({
      noticeId: sql<number>`${comments.noticeId}`.as('notice_id'),
      number: comments.number,
      at: sql<number>`${comments.createdAt}`.as('commented_at'),
      ...pick(comments, 'body', 'isPrivate', 'isMarkdown', 'kind', 'relatedBugId', 'attachmentId'),
      attachmentSummary: sql<string | null>`${attachments.summary}`.as('attachment_summary'),
      isAttachmentPrivate: sql<number | null>`${attachments.isPrivate}`.as('is_attachment_private'),
      submitterId: sql<number | null>`${attachments.submitterId}`.as('submitter_id'),
      author: users.login,
      authorName: users.realName,
    })
    .from(comments)
    .innerJoin(users, eq(users.id, comments.authorId))
    .leftJoin(attachments, eq(attachments.id, comments.attachmentId))
    .where(sql`${comments.noticeId} IN ${jsonList(ids)}`)
    .orderBy(comments.number)
}

function selectLinks(ids: readonly number[], baseUrl: string) {
  return db
    .select({
      noticeId: sql<number>`link.notice_id`.as('notice_id'),
      historyId: sql<number>`link.history_id`.as('history_id'),
      side: sql<'removed' | 'added'>`link.side`.as('side'),
      item: sql<string>`link.item`.as('item'),
      bugId: sql<number | null>`${bugs.id}`.as('linked_bug_id'),
      summary: sql<string | null>`${bugs.summary}`.as('linked_summary'),
    })
    .from(
      sql`(${selectNamedBugs(ids, baseUrl)}) AS link LEFT JOIN bugs ON ${bugs.id} = link.bug_id`,
    )
}

/** Pairs of a person and a bug hidden from that person, among all bugs that the changes name. */
function selectHiddenLinks({ settings, baseUrl }: Ctx, involved: InvolvedIn) {
  const ids = involved.noticeIds
  return db
    .selectDistinct({
      personId: sql<number>`person.person_id`.as('person_id'),
      bugId: sql<number>`${bugs.id}`.as('hidden_bug_id'),
    })
    .from(
      sql`(${selectAllNamedBugs(ids, baseUrl)}) AS link
        JOIN bugs ON ${bugs.id} = link.bug_id
        JOIN (SELECT DISTINCT notice_id, person_id FROM (${selectInvolvedPeople(settings, involved)})) AS person
          ON person.notice_id = link.notice_id`,
    )
    .where(sql`NOT ${bugVisibleToCondition(sql`person.person_id`)}`)
}

/** Selects `notice_id` and `bug_id` of the bugs in the history rows, comments and new bugs of notices, each once. */
function selectAllNamedBugs(ids: readonly number[], baseUrl: string): SQL {
  return sql`SELECT notice_id, bug_id FROM (${selectNamedBugs(ids, baseUrl)})
    UNION SELECT notice_id, bug_id FROM (${selectBugsInSetFields(jsonList(ids))})
    UNION SELECT ${comments.noticeId}, ${comments.relatedBugId} FROM comments
      WHERE ${comments.noticeId} IN ${jsonList(ids)} AND ${comments.relatedBugId} IS NOT NULL`
}

/** Selects the items of history rows that are bugs. */
function selectNamedBugs(ids: readonly number[], baseUrl: string): SQL {
  return sql`SELECT ${history.noticeId} AS notice_id, ${history.id} AS history_id, side.key AS side,
      item.value AS item, ${itemBugId(baseUrl)} AS bug_id
    FROM history
    JOIN json_each(json_object('removed', ${history.removed}, 'added', ${history.added})) side
    JOIN ${splitItems(sql`side.value`)} item
    WHERE ${history.noticeId} IN ${jsonList(ids)} AND ${namesBugsCondition()} AND item.value <> ''`
}

function joinNames(names: SQL): SQL<string> {
  return sql<string>`coalesce((SELECT group_concat(name, ', ') FROM (${names})), '')`
}
