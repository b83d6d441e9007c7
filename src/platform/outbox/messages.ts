import * as z from 'zod'
import { OUTBOX_KINDS } from './outbox.ts'

/** A queue message names an outbox row that is due, without its content, because only the row is current. */
export const messageShape = z.strictObject({ kind: z.enum(OUTBOX_KINDS), id: z.int() })

export type QueueMessage = z.output<typeof messageShape>
