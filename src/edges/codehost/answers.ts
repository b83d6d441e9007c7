import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { codehostDeliveries, codehostPushes } from '../../platform/db/schema/codehost.ts'
import { aliasColumns, db, limitTo, sql } from '../../platform/db/sql.ts'
import type { ReceivedEvent } from './receive.ts'

const d = aliasColumns(codehostDeliveries, 'd')

/** How long the answer to an event is kept for its repetitions. */
const KEEP_SECONDS = 7 * 86_400

const MAX_DELETED_ROWS = 500

type Event = Pick<ReceivedEvent<unknown>, 'bot' | 'name' | 'identity'>

/**
 * Selects the answer that this event got before; undefined for an event that nothing tells from others.
 */
export function selectAnswer(event: Event) {
  const key = keyOf(event)
  return key === null
    ? undefined
    : db
        .select({ answer: codehostDeliveries.response })
        .from(codehostDeliveries)
        .where(sql`${codehostDeliveries.deliveryKey} = ${key}`)
}

/**
 * Records an event with its answer, an SQL expression for its JSON, in the commit of its effects. Of two equal
 * events at once the later commit fails as a conflict. Returns the answer under the name `response`.
 */
export function recordAnswer({ now }: Ctx, event: Event, answer: SQL): Statement {
  return db
    .insert(codehostDeliveries)
    .values({
      deliveryKey: keyOf(event),
      event: event.name,
      botId: event.bot.id,
      receivedAt: now,
      response: answer,
    })
    .returning({ id: codehostDeliveries.id, response: codehostDeliveries.response })
}

/** Deletes old events whose pushes are deleted, oldest first and a limited number in each run. */
export async function deleteOldAnswers(ctx: Ctx): Promise<void> {
  await commit(ctx, {
    deliveries: sql`DELETE FROM codehost_deliveries WHERE ${codehostDeliveries.id} IN (
      SELECT ${d.id} FROM codehost_deliveries d WHERE ${d.receivedAt} < ${ctx.now - KEEP_SECONDS}
        AND NOT EXISTS (SELECT 1 FROM codehost_pushes WHERE ${codehostPushes.deliveryId} = ${d.id})
      ORDER BY ${d.receivedAt} ${limitTo(MAX_DELETED_ROWS)})`,
  })
}

/** The key names sender and event, so that no sender gets the answer to another one. */
function keyOf({ bot, name, identity }: Event): string | null {
  return identity === null ? null : `${bot.id} ${name} ${identity}`
}
