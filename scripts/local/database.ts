import { inspectDatabases } from './database-check.ts'
import { explainDatabaseError } from './file-errors.ts'
import { lockData, lockState } from './lock.ts'
import { ensureSecretsKey } from './secrets-key.ts'
import { emptyTemporaryFolder, openStateFolder } from './state.ts'

/**
 * Runs an action on the migrated database of a folder of data, with the SECRETS_KEY of the folder. Throws a
 * CommandError while the tracker runs on it, and for a folder or database that cannot be used.
 */
export async function withLocalDatabase<Result>(
  persistTo: string,
  action: (db: D1Database, secretsKey: string) => Promise<Result>,
): Promise<Result> {
  const state = openStateFolder(persistTo)
  const lock = lockState(state, 'npm run bootstrap')
  const unlockData = lockData(state)
  try {
    emptyTemporaryFolder(state)
    const keyIds = [...inspectDatabases(state).values()].flatMap((facts) => facts.keyIds)
    const secretsKey = await ensureSecretsKey(state, keyIds)
    const { withDatabase } = await import('./runtime.ts')
    return await withDatabase(state, (db) => action(db, secretsKey))
  } catch (error) {
    throw explainDatabaseError(error, state.folder)
  } finally {
    unlockData()
    lock.release()
  }
}
