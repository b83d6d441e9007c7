import type { SQL, SQLWrapper } from 'drizzle-orm'
import { selectOf } from './read-batch.ts'
import { idempotencyKeys } from './schema/idempotency.ts'
import type { DbSession, IdempotencyRecord, SessionHolder } from './session.ts'
import { columnName, columnNames, sql } from './sql.ts'

/** How long a key is remembered. */
export const IDEMPOTENCY_SECONDS = 86_400

/** A request with the same idempotency key was committed since this one looked for it. */
export class RepeatedRequest extends Error {
  override readonly name = 'RepeatedRequest'
}

/** The same session, whose first commit also writes the record of an idempotency key. */
export function withIdempotencyRecord(session: DbSession, record: IdempotencyRecord): DbSession {
  return {
    ...session,
    idempotencyRecord: record,
    onPrimary: () => withIdempotencyRecord(session.onPrimary(), record),
  }
}

/** Selects the record of a key that has not expired. */
export function selectIdempotencyRecord(record: IdempotencyRecord) {
  return selectOf(
    {
      fingerprint: sql<string>`${idempotencyKeys.fingerprint}`,
      createdAt: sql<number>`${idempotencyKeys.createdAt}`,
      answer: sql<string | null>`${idempotencyKeys.answer}`,
    },
    sql`FROM idempotency_keys WHERE ${isRecordOf(record)} AND ${idempotencyKeys.createdAt} > ${record.now - IDEMPOTENCY_SECONDS}`,
  )
}

/** Writes the record; fails for a key that another request has taken and that has not expired. */
export function idempotencyStatements(record: IdempotencyRecord): SQLWrapper[] {
  const { userId, operation, key, fingerprint, now } = record
  const { createdAt } = idempotencyKeys
  return [
    sql`DELETE FROM idempotency_keys WHERE ${isRecordOf(record)} AND ${createdAt} <= ${now - IDEMPOTENCY_SECONDS}`,
    sql`INSERT INTO idempotency_keys (${columnNames(idempotencyKeys.userId, idempotencyKeys.operation, idempotencyKeys.requestKey, idempotencyKeys.fingerprint, createdAt)})
      VALUES (${userId}, ${operation}, ${key}, ${fingerprint}, ${now})`,
  ]
}

/**
 * Records the answer in the commit that it is about, so that nothing can come between them: `answer` is
 * SQL for its JSON, evaluated after the parts ahead of this one. Nothing without an idempotency key. It must
 * hold no secret, because it is stored as it is.
 */
export function answerStatements({ session }: SessionHolder, answer: SQL): SQLWrapper[] {
  const { idempotencyRecord: record } = session
  if (record === undefined) {
    return []
  }
  record.hasAnswer = true
  return [storeAnswerStatement(record, answer)]
}

export function storeAnswerStatement(record: IdempotencyRecord, answer: SQL | string): SQLWrapper {
  return sql`UPDATE idempotency_keys SET ${columnName(idempotencyKeys.answer)} = ${answer} WHERE ${isRecordOf(record)}`
}

/** Whether a commit failed because its key was taken. D1 reports that only as text. */
export function isRepeatedKey(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.message.includes('UNIQUE constraint failed: idempotency_keys.user_id')
  )
}

function isRecordOf({ userId, operation, key }: IdempotencyRecord): SQL {
  return sql`${idempotencyKeys.userId} = ${userId} AND ${idempotencyKeys.operation} = ${operation}
    AND ${idempotencyKeys.requestKey} = ${key}`
}
