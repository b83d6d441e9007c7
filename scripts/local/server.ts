import type { Miniflare } from 'miniflare'
import {
  type AdministratorChoice,
  createFirstAdministrator,
  listAdministrators,
} from '../administrator/first-administrator.ts'
import { readLocalConfig } from './config.ts'
import { withDatabase } from './database.ts'
import { inspectDatabases, isLarge } from './database-check.ts'
import { explainDatabaseError } from './file-errors.ts'
import { checkInBackground, type LargeDatabaseCheck } from './large-database.ts'
import { lockData } from './lock.ts'
import { loadModules } from './modules.ts'
import { assertUsableAddress } from './port.ts'
import { releaseWork } from './release-work.ts'
import { describeForeignKey, ensureSecretsKey } from './secrets-key.ts'
import { locateDatabase, markAsUsed, openStateFolder, type StateFolder } from './state.ts'

export type LocalOptions = {
  /** 0 means any free port. */
  port: number
  host: string
  /** Folder of the data, in the layout of wrangler's `--persist-to`. */
  persistTo: string
  /** Settings, SECRETS_KEY and ADMIN_*. They override wrangler.toml; other names are ignored. */
  vars: Record<string, string | undefined>
  /** Settings that override wrangler.toml alone. */
  localVars?: Readonly<Record<string, string>>
  /** Whether to run the minified code as deployed, whose stack traces are hard to read. */
  minified?: boolean
  /** What `digestSources` has found, where that is known. */
  sources?: string
  /** Port of the inspector, 0 for any free port; no inspector by default. */
  inspectorPort?: number
  /** Whether databases that are too large for it before the start are checked while the tracker runs. */
  checksLater?: boolean
  /** Called as soon as the first administrator exists, even if the start fails later. */
  onCreated?: (administrator: AdministratorChoice) => void
  /** Called when a runtime has ended while it replaced another, and nothing serves any more. */
  onLost?: () => void
}

export type LocalServer = {
  url: URL
  /** The setting BASE_URL, under which a proxy serves the tracker; empty without one. */
  baseUrl: string
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
    const modules = loadModules(options.minified ? 'deployed' : 'readable', options.sources)
    // a failure is handled where the result is awaited
    modules.catch(() => {})
    const databases = inspectDatabases(state)
    for (const file of databases.keys()) {
      releaseWork(file)
    }
    const keyIds = [...databases.values()].flatMap((facts) => facts.keyIds)
    const secretsKey = options.vars.SECRETS_KEY || (await ensureSecretsKey(state, keyIds))
    const warning = await describeForeignKey(secretsKey, keyIds)
    if (warning !== null) {
      process.stderr.write(`${warning}\n`)
    }
    const config = readLocalConfig(options.vars, secretsKey, options)
    const known = databases.get(locateDatabase(state))
    const administrators =
      known?.isMigrated && known.administrators.length > 0
        ? known.administrators
        : await prepareDatabase(state, options, secretsKey, modules)
    const { openRuntime } = await import('./runtime.ts')
    let check: LargeDatabaseCheck | null = null
    const server = await openRuntime({
      ...options,
      state,
      config,
      modules: await modules,
      tellCheck: () => check?.state() ?? 'sound',
    })
    markAsUsed(state)
    if (options.checksLater) {
      check = checkInBackground([...databases.keys()].filter(isLarge))
    }
    return {
      ...server,
      baseUrl: String(config.worker.bindings.BASE_URL),
      crons: config.crons,
      administrators,
      async stop() {
        check?.stop()
        await server.stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw explainDatabaseError(error, state.folder)
  }
}

/**
 * Migrates the database, creates the first administrator unless there is one, and returns the logins of some. The
 * bundle, which may fail, is awaited before there is an administrator.
 */
function prepareDatabase(
  state: StateFolder,
  options: LocalOptions,
  secretsKey: string,
  bundle: Promise<unknown>,
): Promise<string[]> {
  return withDatabase(state, async (runner) => {
    const administrator = await createFirstAdministrator(runner, options.vars, secretsKey, bundle)
    if (administrator !== null) {
      options.onCreated?.(administrator)
    }
    return listAdministrators(runner)
  })
}
