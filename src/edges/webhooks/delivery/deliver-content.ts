import { eq } from 'drizzle-orm'
import { requireEnabledPerson } from '../../../platform/access/account.ts'
import { bugsWhere } from '../../../platform/access/bug-set.ts'
import { type Person, type ViewerRights, viewerRights } from '../../../platform/access/caller.ts'
import {
  asOutsider,
  commentPrivacy,
  isHiddenAsPrivate,
  visibleRowConditions,
} from '../../../platform/access/privacy.ts'
import { selectableProductCondition } from '../../../platform/access/visibility.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { RowsTooLong } from '../../../platform/db/read-limit.ts'
import { attachments, bugs, comments, history } from '../../../platform/db/schema/bugs.ts'
import { FIELD_TYPE, fields } from '../../../platform/db/schema/fields.ts'
import { flags } from '../../../platform/db/schema/flags.ts'
import { products } from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, allOf, db, jsonList, sql } from '../../../platform/db/sql.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { selectAttachmentFlagTuples } from '../../../tracker/attachments/get.ts'
import { BugReading } from '../../../tracker/bugs/read/reader.ts'
import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import { type FlagTuple, presentFlag } from '../../../tracker/flags/present.ts'
import { expandLinks, namesBugsCondition } from '../../../tracker/history/links.ts'
import { omitHiddenBugs } from '../../../tracker/history/visibility.ts'
import { PeoplePresenter } from '../../../tracker/users/people.ts'
import type { LoadedDelivery } from './deliver-load.ts'
import type { MessageContent } from './payload.ts'

const f = aliasColumns(fields, 'f')

/** The fields of bugs in messages, and `groups`, which say whether the bug is restricted. */
const MESSAGE_BUG_FIELDS = [
  ...['id', 'alias', 'type', 'summary', 'status', 'resolution', 'product', 'component'],
  ...['classification', 'version', 'platform', 'op_sys', 'priority', 'severity'],
  ...['target_milestone', 'url', 'whiteboard', 'keywords', 'see_also', 'flags', 'groups'],
  ...['creation_time', 'last_change_time', 'assigned_to', 'creator', 'qa_contact', '_custom'],
]

type BugDelivery = LoadedDelivery & {
  readonly event: MessageContent['event']
  readonly bugId: number
  readonly noticeId: number
  readonly happenedAt: number
}

/** What one owner sees of the bugs of some deliveries. */
type OwnerView = {
  readonly bugs: ReadonlyMap<number, BugObject>
  readonly changes: readonly ChangeOfNotice[]
  readonly rights: ViewerRights
}

type ChangeOfNotice = MessageContent['changes'][number] & {
  readonly noticeId: number | null
  readonly attachmentId: number | null
}

/** Whether a delivery is about a bug whose notice is still there. */
export function isBugDelivery(delivery: LoadedDelivery): delivery is BugDelivery {
  return (
    delivery.kind === 'message' &&
    delivery.bugId !== null &&
    delivery.noticeId !== null &&
    delivery.happenedAt !== null
  )
}

/** The selects of each owner, by the place of the owner among those of the batch. */
type OwnerSelects = {
  [bugs: `bugs ${number}`]: ReturnType<typeof createReading>['bugs']
  [changes: `changes ${number}`]: ReturnType<typeof selectChanges>
}

/** Read once for all owners. */
type CommonRows = {
  [Name in keyof ReturnType<typeof selectCommon>]: Awaited<ReturnType<typeof selectCommon>[Name]>
}

/**
 * Loads the content of messages about bugs, in one round trip for any number of deliveries and owners, or in several
 * where their bugs are too long together. Each owner is read as an outsider, because no message holds private things.
 */
export async function loadContents(
  ctx: Ctx,
  deliveries: readonly BugDelivery[],
): Promise<(delivery: BugDelivery) => MessageContent> {
  try {
    return await loadTogether(ctx, deliveries)
  } catch (error) {
    if (!(error instanceof RowsTooLong)) {
      throw error
    }
    const half = Math.ceil(deliveries.length / 2)
    const first = new Set(deliveries.slice(0, half))
    const contentOfFirst = await loadContents(ctx, [...first])
    const contentOfRest = await loadContents(ctx, deliveries.slice(half))
    return (delivery) => (first.has(delivery) ? contentOfFirst : contentOfRest)(delivery)
  }
}

async function loadTogether(
  ctx: Ctx,
  deliveries: readonly BugDelivery[],
): Promise<(delivery: BugDelivery) => MessageContent> {
  const readings = [...Map.groupBy(deliveries, ({ userId }) => userId).values()].flatMap((own) =>
    own[0] === undefined ? [] : [createReading(ctx, own[0], own)],
  )
  const ownerSelects: OwnerSelects = {}
  readings.forEach(({ bugs, changes }, n) => {
    ownerSelects[`bugs ${n}`] = bugs
    ownerSelects[`changes ${n}`] = changes
  })
  const definitions = { definitions: readings[0]?.definitions }
  const read = await readBatch(
    ctx,
    Object.assign(ownerSelects, selectCommon(deliveries), definitions),
  )
  const fields = read.definitions ?? []
  const views = new Map(
    readings.map(({ owner, present }, n): [number, OwnerView] => {
      const shown = present({
        rows: read[`bugs ${n}`] ?? [],
        definitions: fields.filter((field) => !field.isObsolete),
      })
      const bugs = new Map(shown.flatMap((bug) => (bug.id === undefined ? [] : [[bug.id, bug]])))
      const changes = read[`changes ${n}`] ?? []
      return [owner.id, { bugs, changes, rights: viewerRights(owner) }]
    }),
  )
  const datetimeFields = fields.flatMap(({ name, type }) =>
    type === FIELD_TYPE.datetime ? [name] : [],
  )
  return createContentMaker(ctx, read, { views, datetimeFields })
}

function createContentMaker(
  { caller, settings, baseUrl }: Ctx,
  read: CommonRows,
  { views, datetimeFields }: { views: Map<number, OwnerView>; datetimeFields: string[] },
) {
  const people = new PeoplePresenter(caller, settings)
  const requestees = new Map(
    read.requestees.map(({ id, login, realName }) => [login, { id, login, real_name: realName }]),
  )
  const commentById = new Map(read.comments.map((row) => [row.id, row]))
  const attachmentById = new Map(
    read.attachments.map((row) => {
      const flags = (JSON.parse(row.flags) as FlagTuple[]).map((one) => presentFlag(one, people))
      return [row.id, { ...row, flags }]
    }),
  )
  return (delivery: BugDelivery): MessageContent => {
    const { event, webhookId, name, bugId, noticeId, subjectId, userId } = delivery
    const view = views.get(userId)
    const omitHidden = <Item extends { isPrivate: boolean }>(item: Item | undefined) =>
      item && view && isHiddenAsPrivate(view.rights, item) ? undefined : item
    const isOfSubject = (row: ChangeOfNotice) =>
      row.noticeId === noticeId && (row.attachmentId ?? 0) === subjectId
    return {
      event,
      webhook: { id: webhookId, name },
      happenedAt: delivery.happenedAt,
      author: {
        id: delivery.authorId ?? 0,
        login: delivery.authorLogin ?? '',
        real_name: delivery.authorName ?? '',
      },
      bugId,
      bug: view?.bugs.get(bugId) ?? null,
      datetimeFields,
      changes: (view?.changes ?? []).filter(isOfSubject).map((row) => ({
        ...row,
        removed: expandLinks(row.field, row.removed, baseUrl),
        added: expandLinks(row.field, row.added, baseUrl),
      })),
      comment: event === 'comment' ? omitHidden(commentById.get(subjectId)) : undefined,
      attachment: event === 'comment' ? undefined : omitHidden(attachmentById.get(subjectId)),
      findPerson: (login) => requestees.get(login),
    }
  }
}

function createReading(ctx: Ctx, account: LoadedDelivery, deliveries: readonly BugDelivery[]) {
  const owner = requireEnabledPerson(account)
  const caller = asOutsider(owner)
  const settings = { ...ctx.settings, ALIAS_AS_LIST: false }
  const reading = new BugReading(
    { ...ctx, caller, settings },
    { include_fields: MESSAGE_BUG_FIELDS },
  )
  const ids = new Set(deliveries.map(({ bugId }) => bugId))
  const isProductVisible = sql`EXISTS (SELECT 1 FROM products
    WHERE ${products.id} = ${bugs.productId} AND ${selectableProductCondition(caller)})`
  const set = bugsWhere(caller, [sql`${bugs.id} IN ${jsonList([...ids])}`, isProductVisible])
  const { rows, definitions } = reading.selects(set, ids.size)
  return {
    owner,
    bugs: rows,
    definitions,
    changes: selectChanges(ctx, { owner, caller }, deliveries),
    present: (read: Parameters<BugReading['present']>[0]) => reading.present(read),
  }
}

/** Rows about private attachments are there for insiders, whose messages say that something changed. */
function selectChanges(
  { baseUrl }: Ctx,
  { owner, caller }: { owner: Person; caller: Person },
  deliveries: readonly BugDelivery[],
) {
  const visible = (column: typeof history.removed | typeof history.added) =>
    sql<string>`CASE WHEN ${namesBugsCondition()}
      THEN ${omitHiddenBugs(caller, baseUrl, sql`${column}`)} ELSE ${column} END`
  return db
    .select({
      ...pick(history, 'noticeId', 'attachmentId', 'field'),
      removed: visible(history.removed).as('removed_items'),
      added: visible(history.added).as('added_items'),
      isSelect: sql<boolean>`EXISTS (SELECT 1 FROM fields f WHERE ${f.name} = ${history.field}
        AND ${f.isCustom} = 1 AND ${f.type} = ${FIELD_TYPE.single})`
        .mapWith(Boolean)
        .as('is_select'),
    })
    .from(history)
    .where(
      allOf([
        sql`${history.noticeId} IN ${jsonList(deliveries.map(({ noticeId }) => noticeId))}`,
        ...visibleRowConditions(caller, owner),
      ]),
    )
    .orderBy(history.id)
}

/** The selects that do not depend on the owner, whose rights are applied to their rows. */
function selectCommon(deliveries: readonly BugDelivery[]) {
  const subjects = (events: readonly string[]) =>
    jsonList(deliveries.flatMap((one) => (events.includes(one.event) ? one.subjectId : [])))
  return {
    comments: db
      .select({
        id: sql<number>`${comments.id}`.as('comment_id'),
        number: comments.number,
        body: comments.body,
        createdAt: sql<number>`${comments.createdAt}`.as('commented_at'),
        isPrivate: commentPrivacy().mapWith(Boolean).as('is_private'),
      })
      .from(comments)
      .where(sql`${comments.id} IN ${subjects(['comment'])}`),
    attachments: db
      .select({
        ...pick(attachments, 'id', 'fileName', 'summary', 'contentType', 'createdAt'),
        ...pick(attachments, 'changedAt', 'isObsolete', 'isPatch', 'isPrivate'),
        flags: selectAttachmentFlagTuples().as('flags'),
      })
      .from(attachments)
      .where(sql`${attachments.id} IN ${subjects(['attachment', 'attachment_change'])}`),
    requestees: db
      .selectDistinct({ id: users.id, login: users.login, realName: users.realName })
      .from(flags)
      .innerJoin(users, eq(users.id, flags.requesteeId))
      .where(sql`${flags.bugId} IN ${jsonList(deliveries.map(({ bugId }) => bugId))}`),
  }
}
