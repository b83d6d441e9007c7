import { systemCtx } from '../background.ts'
import type { Ctx } from '../context.ts'
import { commit } from '../db/commit.ts'
import { delayAfter, giveUpStatement, type Outcome, type RowRequest } from '../db/outbox.ts'
import { notices } from '../db/schema/notices.ts'
import { errorFacts, log } from '../lib/log.ts'
import { deliverNotices } from '../notices/deliver.ts'
import { type Message, messageShape } from './messages.ts'

/** The dead-letter queue of a queue has its name with this ending. */
const DEAD = '-dead'

/** What is worked on shares its trips to D1; what it sends by mail has to fit into one invocation. */
const MOST_AT_ONCE = 25

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
    await handleDeadLetters(batch, env, executionContext)
    return
  }
  const understood = batch.messages.flatMap((message) => {
    const parsed = messageShape.safeParse(message.body)
    if (!parsed.success) {
      log('error', 'message not understood', { queue: batch.queue, message: message.id })
      message.ack()
    }
    return parsed.success ? [{ message, ...parsed.data }] : []
  })
  const kinds = Object.keys(WORK) as Message['kind'][]
  await Promise.all(
    kinds.map((kind) =>
      consume(
        systemCtx(env, executionContext),
        kind,
        understood.filter((one) => one.kind === kind),
      ),
    ),
  )
}

/** One line for each kind of message: what is done about the rows that messages name, and others that wait. */
const WORK: Readonly<
  Record<Message['kind'], (ctx: Ctx, wanted: RowRequest) => Promise<ReadonlyMap<number, Outcome>>>
> = { notice: deliverNotices }

/** All messages of one kind at once, so that they share their trips to D1. */
async function consume(
  ctx: Ctx,
  kind: Message['kind'],
  nudges: readonly { message: globalThis.Message<unknown>; id: number }[],
): Promise<void> {
  const [first] = nudges
  if (first === undefined) {
    return
  }
  const ids = new Set(nudges.map(({ id }) => id))
  const others = Math.max(0, MOST_AT_ONCE - ids.size)
  try {
    const outcomes = await WORK[kind](ctx, {
      ids: [...ids],
      others,
      // whoever takes any message of this kind finds them, while these are still being worked on
      onMoreDue: () => ctx.later(() => ctx.env.EVENTS.send({ kind, id: first.id })),
    })
    for (const { message, id } of nudges) {
      const outcome = outcomes.get(id) ?? 'settled'
      if (outcome === 'settled') {
        message.ack()
      } else {
        message.retry({ delaySeconds: outcome.tryAgainIn })
      }
    }
    const found = [...outcomes].filter(([id]) => !ids.has(id))
    enqueueAgain(ctx, kind, found)
  } catch (error) {
    log('error', 'messages failed', { kind, ids: [...ids], ...errorFacts(error) })
    for (const { message } of nudges) {
      message.retry({ delaySeconds: delayAfter(message.attempts) })
    }
  }
}

/** Rows that are to be tried again and that no message speaks for get one. */
function enqueueAgain(
  ctx: Ctx,
  kind: Message['kind'],
  found: readonly (readonly [number, Outcome])[],
) {
  const nudges = found.flatMap(([id, outcome]) =>
    outcome === 'settled' ? [] : [{ body: { kind, id }, delaySeconds: outcome.tryAgainIn }],
  )
  if (nudges.length > 0) {
    ctx.later(() => ctx.env.EVENTS.sendBatch(nudges))
  }
}

/** Messages that failed too often: what they were about is given up, so that no sweep revives it. */
async function handleDeadLetters(
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
    await commit(ctx, {
      notices: giveUpStatement(notices, ids, ctx.now),
    })
    batch.ackAll()
  } catch (error) {
    log('error', 'giving up failed', errorFacts(error))
    batch.retryAll({ delaySeconds: delayAfter(1) })
  }
}
