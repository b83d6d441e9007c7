import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { log } from '../../src/platform/lib/log.ts'
import { applyMigrations, inTransaction, readMigrations } from '../migrations.ts'
import type { StatementRunner } from '../statement-runner.ts'
import { ROOT } from '../wrangler.ts'
import { inspectDatabases } from './database-check.ts'
import { explainDatabaseError } from './file-errors.ts'
import { lockData, lockState } from './lock.ts'
import { ensureSecretsKey } from './secrets-key.ts'
import { emptyTemporaryFolder, locateDatabase, openStateFolder, type StateFolder } from './state.ts'

/**
 * Runs an action on the migrated database of a folder of data, with the SECRETS_KEY of the folder. Throws a
 * CommandError while the tracker runs on it, and for a folder or database that cannot be used.
 */
export async function withLocalDatabase<Result>(
  persistTo: string,
  action: (runner: StatementRunner, secretsKey: string) => Promise<Result>,
): Promise<Result> {
  const state = openStateFolder(persistTo)
  const lock = lockState(state, 'npm run bootstrap')
  const unlockData = lockData(state)
  try {
    emptyTemporaryFolder(state)
    const keyIds = [...inspectDatabases(state).values()].flatMap((facts) => facts.keyIds)
    const secretsKey = await ensureSecretsKey(state, keyIds)
    return await withDatabase(state, (runner) => action(runner, secretsKey))
  } catch (error) {
    throw explainDatabaseError(error, state.folder)
  } finally {
    unlockData()
    lock.release()
  }
}

/** Runs an action on the migrated database of a folder that no runtime uses; without one, it is created. */
export async function withDatabase<Result>(
  state: StateFolder,
  action: (runner: StatementRunner) => Promise<Result>,
): Promise<Result> {
  mkdirSync(state.databases, { recursive: true })
  const database = new DatabaseSync(locateDatabase(state))
  try {
    // as the runtime opens it
    database.exec('PRAGMA journal_mode = wal')
    applyMigrations(database, readMigrations(join(ROOT, 'drizzle')), (event, facts) =>
      log('info', event, facts),
    )
    return await action(runOn(database))
  } finally {
    database.close()
  }
}

/** Runs statements on an open database. */
export function runOn(database: DatabaseSync): StatementRunner {
  return {
    select: async ({ sql, params }) => database.prepare(sql).all(...params),
    run: async (statements) =>
      inTransaction(database, () => {
        for (const { sql, params } of statements) {
          database.prepare(sql).run(...params)
        }
      }),
  }
}
