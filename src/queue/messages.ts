import * as z from 'zod'

/** What may be on the queue: a nudge with the ID of a row, never its content; the database is the truth. */
export const messageShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('notice'), id: z.int() }),
])

export type Message = z.output<typeof messageShape>
