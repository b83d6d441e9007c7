import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { OUTBOX_KINDS, type OutboxKind } from './outbox.ts'

/** A queue message names an outbox row that is due, without its content, because only the row is current. */
export const messageShape = z.strictObject({ kind: z.enum(OUTBOX_KINDS), id: z.int() })

export type QueueMessage = z.output<typeof messageShape>

/** The limit of one `sendBatch`. */
const MAX_MESSAGES = 100

/**
 * Sends a queue message for each row of an outbox after the response, so that a slow receiver delays no other. The
 * sweep finds rows whose message was lost.
 */
export function sendMessages(
  { env, defer }: Pick<Ctx, 'env' | 'defer'>,
  kind: OutboxKind,
  ids: readonly number[],
  delaySeconds = 0,
): void {
  for (let start = 0; start < ids.length; start += MAX_MESSAGES) {
    const messages = ids
      .slice(start, start + MAX_MESSAGES)
      .map((id): { body: QueueMessage; delaySeconds: number } => ({
        body: { kind, id },
        delaySeconds,
      }))
    defer(() => env.EVENTS.sendBatch(messages))
  }
}
