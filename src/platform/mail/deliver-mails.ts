import type { Ctx } from '../context.ts'
import type { Statement } from '../db/commit.ts'
import type { Outbox } from '../outbox/claim.ts'
import {
  createFinisher,
  processOutboxTogether,
  type RowRequest,
  type WorkOutcome,
} from '../outbox/outbox.ts'
import { throwUnlessAccepted } from './outcome.ts'
import { type Mail, sendMails } from './send.ts'

type Prepared = {
  /** At most one for each row; a row without one is done. */
  readonly mails: readonly (Mail & { readonly rowId: number })[]
  /** What is written with the end of a row; throws for a row that cannot be done. */
  readonly whenDone?: (id: number) => readonly Statement[]
}

/** Sends the mails of the rows of an outbox, each at least once, and returns the outcome of each row. */
export function deliverMails(
  ctx: Ctx,
  outbox: Outbox,
  request: RowRequest,
  prepare: (ids: readonly number[]) => Promise<Prepared>,
): Promise<ReadonlyMap<number, WorkOutcome>> {
  return processOutboxTogether(ctx, outbox, request, async (rows) => {
    const { mails, whenDone = () => [] } = await prepare(rows.map(({ id }) => Number(id)))
    const finish = createFinisher(ctx, outbox, rows)
    const sent = await sendMails(ctx, mails, ({ rowId }) => finish(rowId, whenDone(rowId)))
    const outcomes = new Map([...sent].map(([{ rowId }, outcome]) => [rowId, outcome]))
    return async ({ id }) => {
      const statements = whenDone(Number(id))
      throwUnlessAccepted(outcomes.get(Number(id)), 'the mail')
      return statements
    }
  })
}
