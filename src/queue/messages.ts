import * as z from 'zod'

/** A queue message names an outbox row that is due, without its content, because only the row is current. */
export const messageShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('notice'), id: z.int() }),
])

export type QueueMessage = z.output<typeof messageShape>
