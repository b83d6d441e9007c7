import { resolve } from 'node:path'
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from 'miniflare'
import { type BundledFile, toModules } from './bundle.ts'
import { Complaint } from './complaint.ts'
import { createFirstAdministrator } from './first-administrator.ts'
import { localConfig } from './local-config.ts'
import type { LocalOptions, LocalServer } from './local-server.ts'
import { applyMigrations, migrationFiles } from './migrations.ts'
import { keepLittleGarbage } from './v8-flags.ts'
import { ROOT } from './wrangler.ts'

/** What it is called when port or host cannot be had. */
const UNUSABLE = ['ERR_ADDRESS_IN_USE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']

/** Makes the database ready, then opens workerd with the bundle in it; see `startLocal`. */
export async function openRuntime(
  options: LocalOptions,
  bundling: Promise<BundledFile[]>,
): Promise<LocalServer> {
  keepLittleGarbage()
  const { worker, main, moduleRules, crons, secretsKey } = localConfig(options.vars)
  const place = {
    resourcePersistencePath: resolve(options.persistTo, 'v3'),
    resourceTmpPath: resolve(options.persistTo, 'tmp'),
    // no look-up of where this computer is
    cf: false,
  }
  await prepareDatabase({ ...place, d1Databases: worker.d1Databases }, secretsKey, options)
  const modules = toModules(await bundling, main, moduleRules)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...place,
      host: options.host,
      port: options.port,
      log: new LocalLog(LogLevel.INFO, { prefix: 'lacewing' }),
      logRequests: false,
      ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
      workers: [{ ...worker, modules } as V4WorkerOptions],
    }),
  )
  return { url: await opened(miniflare), miniflare, crons, stop: () => miniflare.dispose() }
}

/** Migrations and the first administrator, in a runtime that holds the database and nothing else. */
async function prepareDatabase(
  place: Pick<V4WorkerOptions, 'd1Databases'>,
  secretsKey: string,
  { vars, onCreated }: LocalOptions,
): Promise<void> {
  const script = 'export default {}'
  const runtime = new Miniflare(convertV4MiniflareOptions({ ...place, modules: true, script }))
  try {
    const db = (await runtime.getD1Database('DB')) as unknown as D1Database
    await applyMigrations(db, migrationFiles(resolve(ROOT, 'drizzle')))
    const administrator = await createFirstAdministrator(db, vars, secretsKey)
    if (administrator !== null) {
      onCreated?.(administrator)
    }
  } finally {
    await runtime.dispose()
  }
}

async function opened(miniflare: Miniflare): Promise<URL> {
  try {
    return await miniflare.ready
  } catch (error) {
    await miniflare.dispose().catch(() => {})
    const place = error instanceof Error && 'code' in error && UNUSABLE.includes(`${error.code}`)
    throw place ? new Complaint(error.message) : error
  }
}

/** Tells where mails landed, and keeps quiet about every batch that the queue delivered. */
class LocalLog extends Log {
  override logWithLevel(level: LogLevel, message: string): void {
    if (!message.startsWith('QUEUE ')) {
      super.logWithLevel(level, message)
    }
  }
}
