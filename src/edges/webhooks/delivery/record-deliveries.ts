import type { SQL } from 'drizzle-orm'
import {
  attachmentPrivacy,
  commentPrivacy,
  isChangeOfHours,
  isChangeOfPrivateComment,
  mayKnowCondition,
} from '../../../platform/access/privacy.ts'
import {
  bugVisibleToCondition,
  productSelectableByCondition,
} from '../../../platform/access/visibility.ts'
import type { Ctx } from '../../../platform/context.ts'
import { commit } from '../../../platform/db/commit.ts'
import { attachments, bugs, comments, history } from '../../../platform/db/schema/bugs.ts'
import { notices } from '../../../platform/db/schema/notices.ts'
import { components, products } from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { webhookDeliveries, webhooks } from '../../../platform/db/schema/webhooks.ts'
import {
  aliasColumns,
  columnName,
  columnNames,
  db,
  jsonList,
  limitTo,
  sql,
  unionOf,
} from '../../../platform/db/sql.ts'
import { sendMessages } from '../../../platform/outbox/messages.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../events.ts'
import { BACKLOG_SECONDS } from './backlog.ts'

const n = aliasColumns(notices, 'n')
const h = aliasColumns(history, 'h')
const b = aliasColumns(bugs, 'b')
const p = aliasColumns(products, 'p')
const c = aliasColumns(components, 'c')
const now = aliasColumns(components, 'now')
const moved = aliasColumns(history, 'moved')
const place = aliasColumns(history, 'place')
const w = aliasColumns(webhooks, 'w')
const owner = aliasColumns(users, 'owner')

const DELIVERY_COLUMNS = columnNames(
  webhookDeliveries.webhookId,
  webhookDeliveries.event,
  webhookDeliveries.bugId,
  webhookDeliveries.noticeId,
  webhookDeliveries.subjectId,
  webhookDeliveries.createdAt,
  webhookDeliveries.nextAttemptAt,
)

/** Messages leave in the order of their IDs; of one change, what is about its fields comes before its comment. */
const IN_ORDER_OF_CHANGES = sql`ORDER BY placed.notice_id, happened.event, happened.subject_id`

/** Pairs of a notice and a webhook that one commit looks at: what is beyond them is put off to another call. */
const MAX_PAIRS = 1000

/** Larger than the ID of any webhook. */
const ALL_WEBHOOKS = sql.raw(String(Number.MAX_SAFE_INTEGER))

/** Deliveries that one call announces; workers claim the others with these. */
const MAX_ANNOUNCED = 100

/**
 * Records and announces a delivery for each webhook that the notices concern, in one round trip, for a limited
 * number of webhooks. Returns the notices of which it has to be called again. Recording again has no effect.
 */
export async function recordDeliveries(
  ctx: Ctx,
  noticeIds: readonly number[],
  maxPairs = MAX_PAIRS,
): Promise<ReadonlySet<number>> {
  const ids = jsonList(noticeIds)
  const most = Math.max(1, Math.floor(maxPairs / noticeIds.length))
  const next = selectNextWebhooks(ids, most)
  const { recorded, told } = await commit(ctx, {
    recorded: sql`INSERT INTO webhook_deliveries (${DELIVERY_COLUMNS}) ${selectDeliveries(ids, next, ctx.now)}
      ${IN_ORDER_OF_CHANGES} ON CONFLICT DO NOTHING RETURNING ${columnName(webhookDeliveries.id)}`,
    told: sql`UPDATE notices SET ${columnName(notices.webhooksUpTo)} = max(${notices.webhooksUpTo}, step.up_to)
      FROM (SELECT iif(count(*) < ${most}, ${ALL_WEBHOOKS}, max(webhook_id)) AS up_to FROM (${next})) AS step
      WHERE ${notices.id} IN ${ids}
      RETURNING ${columnName(notices.id)}, ${notices.webhooksUpTo} < ${ALL_WEBHOOKS} AS is_unfinished`,
  })
  sendMessages(
    ctx,
    'webhook',
    recorded.slice(0, MAX_ANNOUNCED).map(({ id }) => Number(id)),
  )
  return new Set(told.flatMap(({ id, is_unfinished }) => (is_unfinished === 1 ? Number(id) : [])))
}

/**
 * How many messages a webhook is still to get of changes that concern many webhooks, of the oldest 500 at most. The plus
 * sign leaves it to the index of what is not done: there may be many notices that are.
 */
export function selectPutOff(webhookId: number) {
  const waiting = sql`(SELECT ${n.id} FROM notices n WHERE ${n.doneAt} IS NULL AND ${n.webhooksUpTo} < ${webhookId}
    ORDER BY +${n.id} ${limitTo(MAX_COUNTED_NOTICES)})`
  const only = sql`SELECT ${w.id} AS webhook_id FROM webhooks w WHERE ${w.id} = ${webhookId} AND ${w.isEnabled} = 1`
  return db
    .select({ putOff: sql<number>`count(*)`.as('put_off') })
    .from(sql`(${selectDeliveries(waiting, only, 0)}) AS put_off`)
}

const MAX_COUNTED_NOTICES = 500

/** The next webhooks that some of the notices are to be recorded for, by ID. */
function selectNextWebhooks(ids: SQL, most: number): SQL {
  return sql`SELECT ${w.id} AS webhook_id FROM webhooks w WHERE ${w.isEnabled} = 1
      AND ${w.id} > (SELECT min(${n.webhooksUpTo}) FROM notices n WHERE ${n.id} IN ${ids})
    ORDER BY ${w.id} ${limitTo(most)}`
}

/**
 * A select of the columns of deliveries. Only what the owner may see now is recorded. The restriction of a public bug
 * is told to everybody who saw it before, and replaces the change. The cross join looks up the owners of webhooks: else
 * all accounts would be read, for each notice.
 */
function selectDeliveries(ids: SQL, webhookIds: SQL, at: number): SQL {
  return sql`WITH
      hooks(webhook_id) AS MATERIALIZED (${webhookIds}),
      restricted(notice_id) AS MATERIALIZED (${selectRestrictions(ids)}),
      happened(notice_id, event, subject_id, is_private, is_timed) AS MATERIALIZED (
        SELECT DISTINCT * FROM (${unionOf(WEBHOOK_EVENTS.map((event) => SELECT_EVENT[event](ids)))})),
      placed(notice_id, bug_id, product_id, component_id, is_former) AS MATERIALIZED (${selectPlaces(ids)})
    SELECT ${w.id}, happened.event, placed.bug_id, placed.notice_id, happened.subject_id, ${at},
      iif(${w.heldAfterId} IS NULL, ${at}, ${at + BACKLOG_SECONDS})
    FROM happened
      JOIN placed ON placed.notice_id = happened.notice_id
        AND (placed.is_former = 0 OR happened.event IN ('change', 'restriction'))
      JOIN hooks JOIN webhooks w ON ${w.id} = hooks.webhook_id
        AND ${w.id} > (SELECT ${n.webhooksUpTo} FROM notices n WHERE ${n.id} = placed.notice_id)
        AND (${w.productId} IS NULL OR ${w.productId} = placed.product_id)
        AND coalesce(${w.componentId}, placed.component_id) = placed.component_id
        AND ${w.afterNoticeId} < placed.notice_id
        AND instr(',' || ${w.events} || ',',
          CASE happened.event WHEN 'restriction' THEN ',change,' ELSE ',' || happened.event || ',' END) > 0
      CROSS JOIN users owner ON ${owner.id} = ${w.userId} AND ${owner.loginDeniedText} = ''
      JOIN bugs ON ${bugs.id} = placed.bug_id
      JOIN products ON ${products.id} =
        CASE happened.event WHEN 'restriction' THEN placed.product_id ELSE ${bugs.productId} END
    WHERE (happened.event = 'restriction' OR ${bugVisibleToCondition(w.userId)})
      AND ${productSelectableByCondition(w.userId)}
      AND ${mayKnowCondition(w.userId, { isPrivate: sql`happened.is_private`, isTimed: sql`happened.is_timed` })}`
}

/**
 * What the notices tell of each event, with a row for each kind of right that knowing of it takes. Messages leave
 * out changes of private comments.
 */
const SELECT_EVENT: Readonly<Record<WebhookEvent, (ids: SQL) => SQL>> = {
  create: (ids) => sql`SELECT ${n.id}, 'create', 0, 0, 0 FROM notices n
    WHERE ${n.id} IN ${ids} AND ${n.kind} = 'created'`,
  change: (
    ids,
  ) => sql`SELECT ${n.id}, iif(EXISTS (SELECT 1 FROM restricted WHERE restricted.notice_id = ${n.id}),
      'restriction', 'change'), 0, 0, ${isChangeOfHours(h)}
    FROM notices n JOIN history h ON ${h.noticeId} = ${n.id}
    WHERE ${n.id} IN ${ids} AND ${n.kind} = 'changed' AND ${h.attachmentId} IS NULL
      AND NOT ${isChangeOfPrivateComment(h)}`,
  attachment: (ids) => sql`SELECT ${n.id}, 'attachment', ${comments.attachmentId},
      ${attachmentPrivacy(comments.attachmentId)}, 0
    FROM notices n JOIN comments ON ${comments.noticeId} = ${n.id}
    WHERE ${n.id} IN ${ids} AND ${comments.kind} = 'attachment_created'`,
  attachment_change: (ids) => sql`SELECT ${n.id}, 'attachment_change', ${h.attachmentId},
      ${attachments.isPrivate}, 0
    FROM notices n JOIN history h ON ${h.noticeId} = ${n.id}
      JOIN attachments ON ${attachments.id} = ${h.attachmentId}
    WHERE ${n.id} IN ${ids}`,
  comment: (ids) => sql`SELECT ${n.id}, 'comment', ${comments.id}, ${commentPrivacy()}, 0
    FROM notices n JOIN comments ON ${comments.noticeId} = ${n.id}
    WHERE ${n.id} IN ${ids} AND ${comments.number} > 0 AND ${comments.body} <> ''`,
}

/** Where the bugs are, and where they were if the notice moved them. */
function selectPlaces(ids: SQL): SQL {
  return sql`SELECT ${n.id}, ${b.id}, ${b.productId}, ${b.componentId}, 0
      FROM notices n JOIN bugs b ON ${b.id} = ${n.bugId} WHERE ${n.id} IN ${ids}
    UNION ALL SELECT ${n.id}, ${b.id}, ${p.id}, ${c.id}, 1
      FROM notices n JOIN bugs b ON ${b.id} = ${n.bugId}
        JOIN components now ON ${now.id} = ${b.componentId}
        LEFT JOIN history moved ON ${moved.noticeId} = ${n.id} AND ${moved.field} = 'product'
        LEFT JOIN history place ON ${place.noticeId} = ${n.id} AND ${place.field} = 'component'
        JOIN products p ON (${moved.id} IS NULL AND ${p.id} = ${b.productId})
          OR ${p.nameFold} = ${moved.removedFold}
        JOIN components c ON ${c.productId} = ${p.id}
          AND ${c.nameFold} = coalesce(${place.removedFold}, ${now.nameFold})
      WHERE ${n.id} IN ${ids} AND coalesce(${moved.id}, ${place.id}) IS NOT NULL`
}

/**
 * The notices that put a public bug into its first groups. The number of groups before a change is today's
 * without what this change and later ones added, since every change of the groups is in the history.
 */
function selectRestrictions(ids: SQL): SQL {
  const countItems = (list: SQL) =>
    sql`iif(${list} = '', 0, (length(${list}) - length(replace(${list}, ', ', ''))) / 2 + 1)`
  const later = aliasColumns(history, 'later')
  return sql`SELECT ${n.id} FROM notices n JOIN history h ON ${h.noticeId} = ${n.id}
      JOIN bugs b ON ${b.id} = ${n.bugId}
    WHERE ${n.id} IN ${ids} AND ${h.field} = 'groups' AND ${h.added} <> ''
      AND ${b.groupCount} = (SELECT sum(${countItems(later.added)} - ${countItems(later.removed)})
        FROM history later
        WHERE ${later.bugId} = ${b.id} AND ${later.field} = 'groups' AND ${later.id} >= ${h.id})`
}
