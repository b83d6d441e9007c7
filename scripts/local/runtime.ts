import { resolve } from 'node:path'
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from 'miniflare'
import { type BundledFile, toModules } from './bundle.ts'
import { CommandError } from './command.ts'
import { createFirstAdministrator } from './first-administrator.ts'
import { readLocalConfig } from './local-config.ts'
import type { LocalOptions, LocalServer } from './local-server.ts'
import { applyMigrations, readMigrations } from './migrations.ts'
import { useSmallHeap } from './v8-flags.ts'
import { ROOT } from './wrangler.ts'

/** The codes of errors about an unusable port or host. */
const ADDRESS_ERROR_CODES = ['ERR_ADDRESS_IN_USE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']

/** Prepares the database, then starts workerd with the bundle; see `startLocalServer`. */
export async function openRuntime(
  options: LocalOptions,
  bundling: Promise<BundledFile[]>,
): Promise<LocalServer> {
  useSmallHeap()
  const { worker, main, moduleRules, crons, secretsKey } = readLocalConfig(options.vars)
  const storage = {
    resourcePersistencePath: resolve(options.persistTo, 'v3'),
    resourceTmpPath: resolve(options.persistTo, 'tmp'),
    // no network request for the location of this computer
    cf: false,
  }
  await prepareDatabase({ ...storage, d1Databases: worker.d1Databases }, secretsKey, options)
  const modules = toModules(await bundling, main, moduleRules)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...storage,
      host: options.host,
      port: options.port,
      log: new LocalLog(LogLevel.INFO, { prefix: 'lacewing' }),
      logRequests: false,
      ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
      workers: [{ ...worker, modules } as V4WorkerOptions],
    }),
  )
  return { url: await waitUntilReady(miniflare), miniflare, crons, stop: () => miniflare.dispose() }
}

/** Applies migrations and creates the first administrator in a runtime with nothing but the database. */
async function prepareDatabase(
  storage: Pick<V4WorkerOptions, 'd1Databases'>,
  secretsKey: string,
  { vars, onCreated }: LocalOptions,
): Promise<void> {
  const script = 'export default {}'
  const runtime = new Miniflare(convertV4MiniflareOptions({ ...storage, modules: true, script }))
  try {
    const db = (await runtime.getD1Database('DB')) as unknown as D1Database
    await applyMigrations(db, readMigrations(resolve(ROOT, 'drizzle')))
    const administrator = await createFirstAdministrator(db, vars, secretsKey)
    if (administrator !== null) {
      onCreated?.(administrator)
    }
  } finally {
    await runtime.dispose()
  }
}

async function waitUntilReady(miniflare: Miniflare): Promise<URL> {
  try {
    return await miniflare.ready
  } catch (error) {
    await miniflare.dispose().catch(() => {})
    const isAddressError =
      error instanceof Error && 'code' in error && ADDRESS_ERROR_CODES.includes(`${error.code}`)
    throw isAddressError ? new CommandError(error.message) : error
  }
}

/** Logs the files of mails, but no line for every batch of queue messages. */
class LocalLog extends Log {
  override logWithLevel(level: LogLevel, message: string): void {
    if (!message.startsWith('QUEUE ')) {
      super.logWithLevel(level, message)
    }
  }
}
