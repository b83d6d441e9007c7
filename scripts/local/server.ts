import type { Miniflare } from 'miniflare'
import type { AdministratorChoice } from '../administrator/first-administrator.ts'
import { bundleWorker } from '../bundle.ts'
import { writeAssets } from '../page-assets.ts'
import { readLocalConfig } from './config.ts'
import { assertSoundDatabase } from './database-check.ts'
import { explainDatabaseError } from './file-errors.ts'
import { lockData } from './lock.ts'
import { assertUsableAddress } from './port.ts'
import { ensureSecretsKey } from './secrets-key.ts'
import { findDatabaseFiles, markAsUsed, openStateFolder } from './state.ts'

export type LocalOptions = {
  /** 0 means any free port. */
  port: number
  host: string
  /** Folder of the data, in the layout of wrangler's `--persist-to`. */
  persistTo: string
  /** Settings, SECRETS_KEY and ADMIN_*. They override wrangler.toml; other names are ignored. */
  vars: Record<string, string | undefined>
  /** Whether to run the minified code as deployed, whose stack traces are hard to read. */
  minified?: boolean
  /** Port of the inspector, 0 for any free port; no inspector by default. */
  inspectorPort?: number
  /** Called as soon as the first administrator exists, even if the start fails later. */
  onCreated?: (administrator: AdministratorChoice) => void
}

export type LocalServer = {
  url: URL
  miniflare: Miniflare
  /** The crons of wrangler.toml; the caller has to run them. */
  crons: string[]
  /** The logins of some administrators. */
  administrators: string[]
  stop(): Promise<void>
}

/**
 * Starts the tracker as `npm start` does: the Worker in workerd, with the bindings of wrangler.toml
 * simulated on disk, a migrated database and an administrator. The address is checked first, the
 * administrator is created last, and then the port opens. Throws a CommandError with a remedy for an
 * unusable folder, database, address or setting, and for a failed build.
 */
export async function startLocalServer(options: LocalOptions): Promise<LocalServer> {
  const state = openStateFolder(options.persistTo)
  const unlock = lockData(state)
  try {
    await assertUsableAddress(options.host, options.port)
    const databases = findDatabaseFiles(state)
    const secretsKey = options.vars.SECRETS_KEY || ensureSecretsKey(state, databases.length > 0)
    const preparing = Promise.all([
      bundleWorker(options.minified ? 'deployed' : 'readable'),
      readLocalConfig(options.vars, secretsKey),
      writeAssets(false),
    ])
    // a failure is handled where the results are awaited
    preparing.catch(() => {})
    // both take a second, in which the other processes run
    for (const file of databases) {
      assertSoundDatabase(file, state.folder)
    }
    const { openRuntime } = await import('./runtime.ts')
    const [files, config] = await preparing
    const server = await openRuntime({ ...options, state, secretsKey, config, files })
    markAsUsed(state)
    return {
      ...server,
      async stop() {
        await server.stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw explainDatabaseError(error, state.folder)
  }
}
