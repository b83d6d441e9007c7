import { systemCtx } from '../background.ts'
import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import { notices } from '../db/schema/notices.ts'
import { delayAfter, giveUp, type Outcome } from '../db/work.ts'
import { errorFacts, log } from '../lib/log.ts'
import { deliverNotice } from '../notices/deliver.ts'
import { type Message, messageShape } from './messages.ts'

/** The dead-letter queue of a queue has its name with this ending. */
const DEAD = '-dead'

/**
 * Takes messages off the queue. Each is acknowledged or put back on its own, and nothing is thrown:
 * that would bring back the messages of the batch that are done.
 */
export async function queue(
  batch: MessageBatch<unknown>,
  env: Env,
  executionContext: ExecutionContext,
): Promise<void> {
  if (batch.queue.endsWith(DEAD)) {
    await bury(batch, env, executionContext)
    return
  }
  await Promise.all(
    batch.messages.map((message) => consume(batch.queue, message, env, executionContext)),
  )
}

async function consume(
  queueName: string,
  message: globalThis.Message<unknown>,
  env: Env,
  executionContext: ExecutionContext,
): Promise<void> {
  const parsed = messageShape.safeParse(message.body)
  if (!parsed.success) {
    log('error', 'message not understood', { queue: queueName, message: message.id })
    message.ack()
    return
  }
  try {
    const outcome = await workFor(systemCtx(env, executionContext), parsed.data)
    if (outcome === 'settled') {
      message.ack()
    } else {
      message.retry({ delaySeconds: outcome.tryAgainIn })
    }
  } catch (error) {
    log('error', 'message failed', { ...parsed.data, ...errorFacts(error) })
    message.retry({ delaySeconds: delayAfter(message.attempts) })
  }
}

/** One line for each kind of message. */
function workFor(ctx: Ctx, message: Message): Promise<Outcome> {
  switch (message.kind) {
    case 'notice':
      return deliverNotice(ctx, message.id)
  }
}

/** Messages that failed too often: what they were about is given up, so that no sweep revives it. */
async function bury(
  batch: MessageBatch<unknown>,
  env: Env,
  executionContext: ExecutionContext,
): Promise<void> {
  const ids = batch.messages.flatMap(({ body }) => {
    const parsed = messageShape.safeParse(body)
    return parsed.success ? parsed.data.id : []
  })
  log('error', 'messages given up', {
    queue: batch.queue,
    count: batch.messages.length,
    notices: ids,
  })
  try {
    const ctx = systemCtx(env, executionContext)
    await commit(ctx.door, [giveUp(notices, ids, ctx.now)])
    batch.ackAll()
  } catch (error) {
    log('error', 'giving up failed', errorFacts(error))
    batch.retryAll({ delaySeconds: delayAfter(1) })
  }
}
