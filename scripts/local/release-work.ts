import { DatabaseSync } from 'node:sqlite'
import type { Miniflare } from 'miniflare'
import { LEASE_SECONDS } from '../../src/platform/outbox/lease.ts'
import { EVERY_MINUTE } from './crons.ts'

/** No message of the queue takes so long. */
const OVERDUE_SECONDS = 60

const OUTBOXES = `SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%lease_until%'`

/**
 * Makes later work in a database overdue that an ended runtime was at or had a message for. Otherwise it would wait
 * until a lease has expired and a message counts as lost. No runtime may use the database.
 */
export function releaseWork(file: string): void {
  const database = new DatabaseSync(file)
  try {
    for (const { name } of database.prepare(OUTBOXES).all()) {
      database.exec(releaseStatement(name, 'lease_until > unixepoch()'))
    }
  } finally {
    database.close()
  }
}

/** The same in the runtime that replaces one which ended at `endedAt`, in Unix seconds; then the work begins again. */
export async function resumeWork(miniflare: Miniflare, endedAt: number): Promise<void> {
  const db = await miniflare.getD1Database('DB')
  const { results } = await db.prepare(OUTBOXES).all()
  // what the new runtime has claimed by now is leased for longer
  const isOld = `lease_until BETWEEN ${endedAt} AND ${endedAt + LEASE_SECONDS}`
  await db.batch(results.map(({ name }) => db.prepare(releaseStatement(name, isOld))))
  const worker = await miniflare.getWorker()
  await worker.scheduled({ cron: EVERY_MINUTE })
}

function releaseStatement(table: unknown, isLeft: string): string {
  return `UPDATE "${table}" SET lease_until = min(lease_until, unixepoch()),
      next_attempt_at = min(next_attempt_at, unixepoch() - ${OVERDUE_SECONDS})
    WHERE done_at IS NULL AND (${isLeft} OR lease_until IS NULL
      AND next_attempt_at BETWEEN unixepoch() - ${OVERDUE_SECONDS} AND unixepoch())`
}
