import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import {
  createFirstAdministrator,
  listAdministrators,
} from '../administrator/first-administrator.ts'
import { type BundledFile, toModules } from '../bundle.ts'
import { CommandError } from '../command.ts'
import { applyMigrations, readMigrations } from '../migrations.ts'
import { useSmallHeap } from '../v8-flags.ts'
import { ROOT } from '../wrangler.ts'
import type { LocalConfig } from './config.ts'
import { watchReadOnlyStorage } from './recovery.ts'
import type { LocalOptions, LocalServer } from './server.ts'
import type { StateFolder } from './state.ts'
import { endRuntimesWithProcess } from './workerd.ts'

// an import would scan the file for names and keep 30 MB for that
const require = createRequire(import.meta.url)
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare }: typeof import('miniflare') =
  require('miniflare')

type RuntimeOptions = LocalOptions & {
  state: StateFolder
  secretsKey: string
  config: LocalConfig
  files: BundledFile[]
}

/** The codes of errors about an unusable port or host. */
const ADDRESS_ERROR_CODES = ['ERR_ADDRESS_IN_USE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']

/** Prepares the database, then starts workerd with the bundle; see `startLocalServer`. */
export async function openRuntime(options: RuntimeOptions): Promise<LocalServer> {
  const { config, state } = options
  useSmallHeap()
  endRuntimesWithProcess()
  const administrators = await withDatabase(state, config, async (db) => {
    const administrator = await createFirstAdministrator(db, options.vars, options.secretsKey)
    if (administrator !== null) {
      options.onCreated?.(administrator)
    }
    return listAdministrators(db)
  })
  const modules = toModules(options.files)
  const recovery = watchReadOnlyStorage(state)
  const describeRuntime = (port: number) =>
    convertV4MiniflareOptions({
      ...storageOptions(state),
      host: options.host,
      port,
      log: new LocalLog(LogLevel.INFO, { prefix: 'lacewing' }),
      handleStructuredLogs: (entry) => {
        recovery.read(entry.message)
        writeLog(entry)
      },
      logRequests: false,
      ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
      workers: [{ ...config.worker, modules } as V4WorkerOptions],
    })
  const miniflare = new Miniflare(describeRuntime(options.port))
  const url = await waitUntilReady(miniflare)
  recovery.onWritable(() => miniflare.setOptions(describeRuntime(Number(url.port))))
  return {
    url,
    miniflare,
    crons: config.crons,
    administrators,
    stop() {
      recovery.end()
      return miniflare.dispose()
    },
  }
}

/** Runs an action on the migrated database in a runtime that has nothing else. */
export async function withDatabase<Result>(
  state: StateFolder,
  { worker }: LocalConfig,
  action: (db: D1Database) => Promise<Result>,
): Promise<Result> {
  const { d1Databases } = worker
  const script = 'export default {}'
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...storageOptions(state),
      d1Databases,
      modules: true,
      script,
      // the error that the database throws says the same without a stack
      handleStructuredLogs: () => {},
    }),
  )
  try {
    const db = (await runtime.getD1Database('DB')) as unknown as D1Database
    await applyMigrations(db, readMigrations(join(ROOT, 'drizzle')))
    return await action(db)
  } finally {
    await runtime.dispose()
  }
}

function storageOptions({ data, temporary }: StateFolder) {
  return {
    resourcePersistencePath: data,
    resourceTmpPath: temporary,
    // no network request for the location of this computer
    cf: false,
  } as const
}

async function waitUntilReady(miniflare: InstanceType<typeof Miniflare>): Promise<URL> {
  try {
    return await miniflare.ready
  } catch (error) {
    await miniflare.dispose().catch(() => {})
    const isAddressError =
      error instanceof Error && 'code' in error && ADDRESS_ERROR_CODES.includes(`${error.code}`)
    throw isAddressError ? new CommandError(error.message) : error
  }
}

/** Writes what the Worker logs, except for what only its developers want to know. */
function writeLog({ level, message }: { level: string; message: string }): void {
  if (level === 'error' || level === 'warn') {
    process.stderr.write(`${message}\n`)
  } else if (level !== 'debug') {
    process.stdout.write(`${message}\n`)
  }
}

/** Logs the files of mails, but no line for every batch of queue messages. */
class LocalLog extends Log {
  override logWithLevel(level: number, message: string): void {
    if (!message.startsWith('QUEUE ')) {
      super.logWithLevel(level, message)
    }
  }
}
