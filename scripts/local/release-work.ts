import { DatabaseSync } from 'node:sqlite'

/** No message of the queue takes so long. */
const OVERDUE_SECONDS = 60

const OUTBOXES = `SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
  WHERE t.type = 'table' AND c.name = 'lease_until'`

/**
 * Makes later work in a database overdue that an ended runtime was at or had a message for. Otherwise it would wait
 * until a lease has expired and a message counts as lost. No runtime may use the database.
 */
export function releaseWork(file: string): void {
  const database = new DatabaseSync(file)
  try {
    for (const { name } of database.prepare(OUTBOXES).all()) {
      database.exec(`UPDATE "${name}" SET lease_until = min(lease_until, unixepoch()),
          next_attempt_at = min(next_attempt_at, unixepoch() - ${OVERDUE_SECONDS})
        WHERE done_at IS NULL AND (lease_until > unixepoch()
          OR next_attempt_at BETWEEN unixepoch() - ${OVERDUE_SECONDS} AND unixepoch())`)
    }
  } finally {
    database.close()
  }
}
