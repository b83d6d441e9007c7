import { applyPushes } from './edges/codehost/apply.ts'
import { deliverWebhooks } from './edges/webhooks/delivery/deliver.ts'
import { recordDeliveries } from './edges/webhooks/delivery/record-deliveries.ts'
import { systemCtx } from './platform/background.ts'
import type { Ctx } from './platform/context.ts'
import { errorFacts, log } from './platform/lib/log.ts'
import { messageShape } from './platform/outbox/messages.ts'
import {
  delayAfter,
  OUTBOX_KINDS,
  type OutboxKind,
  type RowRequest,
  type WorkOutcome,
} from './platform/outbox/outbox.ts'
import { deliverApiKeyMails } from './tracker/keys/deliver-mails.ts'
import { deliverNotices } from './tracker/notices/deliver.ts'
import { deliverReminders } from './tracker/reminders/deliver.ts'
import { deliverAccountMails } from './tracker/users/links/deliver-mails.ts'

/** The name of a dead-letter queue is that of its queue and this suffix. */
const DEAD_LETTER_SUFFIX = '-dead'

/** Rows of one batch share round trips, but all of their mails have to be sent in one invocation. */
const MAX_BATCH_ROWS = 25

/**
 * Handles a batch of queue messages. It acknowledges or retries each message by itself and never throws,
 * because an error would redeliver the messages of the batch that are done.
 */
export async function queue(
  batch: MessageBatch<unknown>,
  env: Env,
  executionContext: ExecutionContext,
): Promise<void> {
  if (batch.queue.endsWith(DEAD_LETTER_SUFFIX)) {
    dropDeadLetters(batch)
    return
  }
  const validMessages = batch.messages.flatMap((message) => {
    const parsed = messageShape.safeParse(message.body)
    if (!parsed.success) {
      log('error', 'message not understood', { queue: batch.queue, message: message.id })
      message.ack()
    }
    return parsed.success ? [{ message, ...parsed.data }] : []
  })
  await Promise.all(
    OUTBOX_KINDS.map((kind) =>
      consumeMessages(
        systemCtx(env, executionContext),
        kind,
        validMessages.filter((one) => one.kind === kind),
      ),
    ),
  )
}

/** One line for each kind of message: the function that processes its outbox rows. */
const PROCESSORS: Readonly<
  Record<OutboxKind, (ctx: Ctx, request: RowRequest) => Promise<ReadonlyMap<number, WorkOutcome>>>
> = {
  // webhooks first, so that no mail that fails holds them up
  notice: (ctx, request) => deliverNotices(ctx, request, (ids) => recordDeliveries(ctx, ids)),
  webhook: deliverWebhooks,
  push: applyPushes,
  reminder: deliverReminders,
  key: deliverApiKeyMails,
  account: deliverAccountMails,
}

/**
 * Processes the messages of one kind together, so that they share round trips, and other rows that are
 * due.
 */
async function consumeMessages(
  ctx: Ctx,
  kind: OutboxKind,
  messages: readonly { message: Message<unknown>; id: number }[],
): Promise<void> {
  const [first] = messages
  if (first === undefined) {
    return
  }
  const ids = new Set(messages.map(({ id }) => id))
  const extraRows = Math.max(0, MAX_BATCH_ROWS - ids.size)
  try {
    const outcomes = await PROCESSORS[kind](ctx, {
      ids: [...ids],
      others: extraRows,
      // any message of this kind lets another invocation claim them while this one still works
      onMoreDue: () => ctx.defer(() => ctx.env.EVENTS.send({ kind, id: first.id })),
    })
    for (const { message, id } of messages) {
      const outcome = outcomes.get(id) ?? 'done'
      if (outcome === 'done') {
        message.ack()
      } else {
        message.retry({ delaySeconds: outcome.retryInSeconds })
      }
    }
    const others = [...outcomes].filter(([id]) => !ids.has(id))
    enqueueRetries(ctx, kind, others)
  } catch (error) {
    log('error', 'messages failed', { kind, ids: [...ids], ...errorFacts(error) })
    for (const { message } of messages) {
      message.retry({ delaySeconds: delayAfter(message.attempts) })
    }
  }
}

/** Sends messages for rows that are to be retried and that no message of the batch announced. */
function enqueueRetries(
  ctx: Ctx,
  kind: OutboxKind,
  outcomes: readonly (readonly [number, WorkOutcome])[],
) {
  const retries = outcomes.flatMap(([id, outcome]) =>
    outcome === 'done' ? [] : [{ body: { kind, id }, delaySeconds: outcome.retryInSeconds }],
  )
  if (retries.length > 0) {
    ctx.defer(() => ctx.env.EVENTS.sendBatch(retries))
  }
}

/**
 * Logs and drops messages that failed too often. Their rows stay as they are: attempts that do not count may use up
 * a message before its row, for which the sweep sends another.
 */
function dropDeadLetters(batch: MessageBatch<unknown>): void {
  const messages = batch.messages.flatMap(({ body }) => {
    const parsed = messageShape.safeParse(body)
    return parsed.success ? parsed.data : []
  })
  log('error', 'messages dropped', { queue: batch.queue, count: batch.messages.length, messages })
  batch.ackAll()
}
