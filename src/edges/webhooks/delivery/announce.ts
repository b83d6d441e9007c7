import type { Ctx } from '../../../platform/context.ts'
import type { QueueMessage } from '../../../platform/outbox/messages.ts'

/** The limit of one `sendBatch`. */
const MAX_MESSAGES = 100

/**
 * Sends a queue message for each delivery after the response, so that a slow receiver delays no other. The
 * sweep finds deliveries whose message was lost.
 */
export function announceDeliveries(
  { env, defer }: Pick<Ctx, 'env' | 'defer'>,
  ids: readonly number[],
  delaySeconds = 0,
): void {
  for (let start = 0; start < ids.length; start += MAX_MESSAGES) {
    const messages = ids
      .slice(start, start + MAX_MESSAGES)
      .map((id): { body: QueueMessage; delaySeconds: number } => ({
        body: { kind: 'webhook', id },
        delaySeconds,
      }))
    defer(() => env.EVENTS.sendBatch(messages))
  }
}
