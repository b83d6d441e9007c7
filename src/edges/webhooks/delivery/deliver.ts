import type { Ctx } from '../../../platform/context.ts'
import { commit, type Statement } from '../../../platform/db/commit.ts'
import { webhookDeliveries, webhooks } from '../../../platform/db/schema/webhooks.ts'
import { columnName, sql } from '../../../platform/db/sql.ts'
import { unseal } from '../../../platform/lib/crypto/secrets.ts'
import { createLanes } from '../../../platform/lib/lanes.ts'
import { RetryError, UnfinishedWork } from '../../../platform/outbox/errors.ts'
import { sendMessages } from '../../../platform/outbox/messages.ts'
import {
  createFinisher,
  type FinishRow,
  OUTBOXES,
  processOutboxTogether,
  type RowRequest,
  type WorkOutcome,
} from '../../../platform/outbox/outbox.ts'
import {
  BACKLOG_SECONDS,
  disableStatements,
  isHeld,
  parkDueStatement,
  parkStatement,
} from './backlog.ts'
import { isBugDelivery, loadContents } from './deliver-content.ts'
import { type LoadedDelivery, loadDeliveries } from './deliver-load.ts'
import { mailOwner } from './disabled-mail.ts'
import { createPauses, type WebhookPauses } from './pauses.ts'
import { buildPayload, buildPing } from './payload.ts'
import { type Attempt, type Network, sendMessage } from './send.ts'
import { signMessage } from './signature.ts'

type Batch = {
  readonly runInLane: ReturnType<typeof createLanes>
  readonly pauses: WebhookPauses
  readonly buildMessage: (delivery: LoadedDelivery) => object | null
  readonly finish: FinishRow
}

/**
 * Sends the messages of webhooks at least once, in a constant number of round trips, and returns the outcome
 * of each delivery. A message has what its owner may see now; an empty one is dropped.
 */
export function deliverWebhooks(
  ctx: Ctx,
  request: RowRequest,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return processOutboxTogether(ctx, OUTBOXES.webhook, request, async (rows) => {
    const loaded = await loadDeliveries(
      ctx,
      rows.map(({ id }) => Number(id)),
    )
    if (loaded.some(isHeldMessage)) {
      await commit(ctx, { parked: parkDueStatement(ctx.now) })
    }
    const deliveries = new Map(loaded.map((delivery) => [delivery.id, delivery]))
    const batch: Batch = {
      runInLane: createLanes(),
      pauses: createPauses(ctx.env),
      buildMessage: await prepareMessages(ctx, loaded),
      finish: createFinisher(ctx, OUTBOXES.webhook, rows),
    }
    return async (row) => {
      const delivery = deliveries.get(Number(row.id))
      // the webhook was removed, and its deliveries with it
      return delivery === undefined ? [] : deliverOne(ctx, batch, delivery, Number(row.attempts))
    }
  })
}

function isHeldMessage(delivery: LoadedDelivery): boolean {
  return delivery.kind === 'message' && isHeld(delivery.id, delivery)
}

/** Messages about bugs are for owners whose account is enabled and whose webhook is. */
async function prepareMessages(ctx: Ctx, deliveries: readonly LoadedDelivery[]) {
  const active = deliveries
    .filter(isBugDelivery)
    .filter((delivery) => !isHeldMessage(delivery) && delivery.loginDeniedText === '')
  const contentOf = active.length === 0 ? null : await loadContents(ctx, active)
  return (delivery: LoadedDelivery): object | null => {
    const own = active.find(({ id }) => id === delivery.id)
    return contentOf === null || own === undefined ? null : buildPayload(contentOf(own))
  }
}

/** Returns statements for the commit that marks the delivery as done. */
async function deliverOne(
  ctx: Ctx,
  batch: Batch,
  delivery: LoadedDelivery,
  attempts: number,
): Promise<readonly Statement[]> {
  switch (delivery.kind) {
    case 'mail':
      await mailOwner(ctx, delivery, batch.finish)
      return [dropStatement(delivery)]
    case 'ping':
      return send(ctx, batch, { delivery, attempts, message: pingOf(delivery) })
    case 'message': {
      if (isHeldMessage(delivery)) {
        return waitForWebhook(ctx, delivery)
      }
      const message = batch.buildMessage(delivery)
      return message === null
        ? [dropStatement(delivery)]
        : send(ctx, batch, { delivery, attempts, message })
    }
  }
}

function pingOf({ webhookId: id, name, userId, login, realName, createdAt }: LoadedDelivery) {
  return buildPing({ id, name }, { id: userId, login, real_name: realName }, createdAt)
}

/** A message or a ping that is sent. */
type Sending = {
  readonly delivery: LoadedDelivery
  readonly attempts: number
  readonly message: object
}

/** Sends to a receiver that is not paused. */
async function send(ctx: Ctx, batch: Batch, sending: Sending): Promise<readonly Statement[]> {
  const { delivery, attempts, message } = sending
  const origin = URL.canParse(delivery.url) ? new URL(delivery.url).origin : ''
  const attempt = await batch.runInLane(origin, async () => {
    if (batch.pauses.isPaused(origin, delivery.kind === 'ping')) {
      return null
    }
    const began = Date.now()
    const made = await sendSigned(ctx, delivery, JSON.stringify(message))
    if (made.error !== null) {
      batch.pauses.countFailure(origin, { milliseconds: Date.now() - began, attempts })
    }
    return made
  })
  if (attempt === null) {
    const { seconds, attempts: tried } = batch.pauses.pauseOf(origin)
    throw new RetryError(
      // nothing was tried, so the reason is still that of the last attempt
      delivery.lastError ?? 'the receiver failed a moment ago',
      [uncountStatement(delivery)],
      // as late as the one that was tried, because a receiver with a long backlog would be asked all the time
      Math.max(seconds, OUTBOXES.webhook.delayAfter(Math.max(attempts, tried))),
    )
  }
  const answer = answerStatement(delivery, attempt)
  if (attempt.error === null) {
    return [answer]
  }
  const count = sql`UPDATE webhooks SET ${columnName(webhooks.errors)} = ${webhooks.errors} + 1
    WHERE ${webhooks.id} = ${delivery.webhookId}`
  if (delivery.kind === 'ping') {
    return [answer, count, endPing(ctx, delivery, attempt.error)]
  }
  throw new RetryError(attempt.error, [answer, count, ...disableAtLimit(ctx, sending)])
}

async function sendSigned(ctx: Ctx, delivery: LoadedDelivery, body: string): Promise<Attempt> {
  const { SECRETS_KEY } = ctx.env
  const { headerName, headerSealed } = delivery
  const secret = await unseal(delivery.secretSealed, SECRETS_KEY)
  const value = headerSealed === null ? null : await unseal(headerSealed, SECRETS_KEY)
  if (secret === null || (headerSealed !== null && value === null)) {
    throw new RetryError('the secrets of the webhook cannot be decrypted')
  }
  const timestamp = Math.floor(Date.now() / 1000)
  const message = {
    url: delivery.url,
    headers: {
      ...(headerName === null || value === null ? {} : { [headerName]: value }),
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'Lacewing',
      ...signMessage(secret, { id: `msg_${delivery.id}`, timestamp, body }),
    },
    body,
  }
  const { PUBLIC_NETWORK } = ctx.env as typeof ctx.env & { PUBLIC_NETWORK?: Network }
  return sendMessage(message, {
    allowsPrivate: ctx.settings.WEBHOOK_ALLOW_PRIVATE,
    network: PUBLIC_NETWORK,
  })
}

/** A disabled webhook keeps its backlog as long as the log. Nothing was tried, so the message keeps its place. */
function waitForWebhook(ctx: Ctx, delivery: LoadedDelivery): readonly Statement[] {
  const { id, isEnabled, createdAt } = delivery
  if (!isEnabled && createdAt + BACKLOG_SECONDS <= ctx.now) {
    return [dropStatement(delivery)]
  }
  throw new UnfinishedWork('the webhook is disabled', [parkStatement(id, ctx.now)])
}

/** A webhook is disabled when one of its messages has failed as often as the limit says. */
function disableAtLimit(ctx: Ctx, { delivery, attempts }: Sending): Statement[] {
  const limit = ctx.settings.WEBHOOK_ERROR_LIMIT
  if (limit === 0 || attempts < limit) {
    return []
  }
  const { id: deliveryId, webhookId } = delivery
  // the mail is a delivery too, and any message lets the consumer find it
  sendMessages(ctx, 'webhook', [deliveryId], 1)
  return disableStatements({ webhookId, deliveryId }, ctx.now)
}

function answerStatement({ id }: LoadedDelivery, { status, excerpt }: Attempt): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.responseStatus)} = ${status},
      ${columnName(webhookDeliveries.responseExcerpt)} = ${excerpt}
    WHERE ${webhookDeliveries.id} = ${id}`
}

function dropStatement({ id }: LoadedDelivery): Statement {
  return sql`DELETE FROM webhook_deliveries WHERE ${webhookDeliveries.id} = ${id}`
}

/** A ping has no next attempt. A row that the outbox marks as done would lose the error that its owner sees. */
function endPing({ now }: Ctx, { id }: LoadedDelivery, error: string): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.doneAt)} = ${now},
      ${columnName(webhookDeliveries.leaseUntil)} = NULL,
      ${columnName(webhookDeliveries.lastError)} = ${error}
    WHERE ${webhookDeliveries.id} = ${id}`
}

/** An attempt that did not reach the receiver is not counted. */
function uncountStatement({ id }: LoadedDelivery): Statement {
  return sql`UPDATE webhook_deliveries SET ${columnName(webhookDeliveries.attempts)} =
      max(0, ${webhookDeliveries.attempts} - 1), ${columnName(webhookDeliveries.doneAt)} = NULL
    WHERE ${webhookDeliveries.id} = ${id}`
}
