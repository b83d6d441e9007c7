import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { commit, type Statement } from '../db/commit.ts'
import { codehostDeliveries, codehostPushes } from '../db/schema/codehost.ts'
import { aliasColumns, limitTo, sql } from '../db/sql.ts'
import type { ReceivedEvent } from './receive.ts'

const d = aliasColumns(codehostDeliveries, 'd')

/** How long the answer to a delivery is kept for its repetitions. */
const KEEP_SECONDS = 7 * 86_400

const MAX_DELETED_ROWS = 500

type Delivery = Pick<ReceivedEvent<unknown>, 'bot' | 'name' | 'deliveryId'>

/** Selects the answer that this delivery got before; undefined for a delivery without an ID. */
export function selectAnswer(delivery: Delivery) {
  const key = keyOf(delivery)
  return key === null
    ? undefined
    : db
        .select({ answer: codehostDeliveries.response })
        .from(codehostDeliveries)
        .where(sql`${codehostDeliveries.deliveryKey} = ${key}`)
}

/**
 * Records a delivery with its answer, an SQL expression for its JSON, in the commit of its effects. Of two equal
 * deliveries at once the later commit fails as a conflict. Returns the answer under the name `response`.
 */
export function recordDelivery({ now }: Ctx, delivery: Delivery, answer: SQL): Statement {
  return db
    .insert(codehostDeliveries)
    .values({
      deliveryKey: keyOf(delivery),
      event: delivery.name,
      botId: delivery.bot.id,
      receivedAt: now,
      response: answer,
    })
    .returning({ id: codehostDeliveries.id, response: codehostDeliveries.response })
}

/** Deletes old deliveries whose pushes are deleted, oldest first and a limited number in each run. */
export async function sweepDeliveries(ctx: Ctx): Promise<void> {
  await commit(ctx, {
    deliveries: sql`DELETE FROM codehost_deliveries WHERE ${codehostDeliveries.id} IN (
      SELECT ${d.id} FROM codehost_deliveries d WHERE ${d.receivedAt} < ${ctx.now - KEEP_SECONDS}
        AND NOT EXISTS (SELECT 1 FROM codehost_pushes WHERE ${codehostPushes.deliveryId} = ${d.id})
      ORDER BY ${d.receivedAt} ${limitTo(MAX_DELETED_ROWS)})`,
  })
}

/** Sender and event belong to the key, so that nobody gets the answer that was meant for another sender. */
function keyOf({ bot, name, deliveryId }: Delivery): string | null {
  return deliveryId === null ? null : `${bot.id} ${name} ${deliveryId}`
}
