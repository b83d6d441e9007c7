import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { log } from '../../src/platform/lib/log.ts'
import {
  createFirstAdministrator,
  listAdministrators,
} from '../administrator/first-administrator.ts'
import { CommandError } from '../command.ts'
import { applyMigrations, readMigrations } from '../migrations.ts'
import { useSmallHeap } from '../v8-flags.ts'
import { ROOT } from '../wrangler.ts'
import type { LocalConfig } from './config.ts'
import type { CheckState } from './large-database.ts'
import type { WorkerModule } from './modules.ts'
import { watchReadOnlyStorage } from './recovery.ts'
import { resumeWork } from './release-work.ts'
import type { LocalOptions, LocalServer } from './server.ts'
import { D1_DATABASES, type StateFolder } from './state.ts'
import { endRuntimesWithProcess } from './workerd.ts'

// an import would scan the file for names and keep 30 MB for that
const require = createRequire(import.meta.url)
const {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response,
}: typeof import('miniflare') = require('miniflare')

type RuntimeOptions = LocalOptions & {
  state: StateFolder
  config: LocalConfig
  modules: WorkerModule[]
  tellCheck: () => CheckState
}

/**
 * Reaches public addresses alone, whatever a name resolves to. The network of the platform is like that; on this
 * computer a name could lead to one of its own services.
 */
export const PUBLIC_NETWORK = {
  network: { allow: ['public'], tlsOptions: { trustBrowserCas: true } },
}

/** Stands before the modules of the Worker. */
export const ENTRY_MODULE: WorkerModule = {
  type: 'ESModule',
  path: 'entry.mjs',
  contents: readFileSync(join(import.meta.dirname, 'entry.js'), 'utf8'),
}

/** The codes of errors about an unusable port or host. */
const ADDRESS_ERROR_CODES = ['ERR_ADDRESS_IN_USE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND']

/** The codes of errors about a runtime that is gone before, or while, it reads its configuration. */
const KILLED_CODES = ['ERR_RUNTIME_FAILURE', 'EPIPE', 'ECONNRESET']

/** What a call of the runtime throws, without a code, when it ends before it has answered. */
const NO_ANSWER = 'fetch failed'

/**
 * Migrates the database, creates the first administrator unless there is one, and returns the logins of some. The
 * bundle, which may fail, is awaited before there is an administrator.
 */
export function prepareDatabase(
  state: StateFolder,
  options: LocalOptions,
  secretsKey: string,
  bundle: Promise<unknown>,
): Promise<string[]> {
  return withDatabase(state, async (db) => {
    const administrator = await createFirstAdministrator(db, options.vars, secretsKey, bundle)
    if (administrator !== null) {
      options.onCreated?.(administrator)
    }
    return listAdministrators(db)
  })
}

/** Starts workerd with the modules; see `startLocalServer`. */
export async function openRuntime(
  options: RuntimeOptions,
): Promise<Pick<LocalServer, 'url' | 'miniflare' | 'stop'>> {
  const { config, modules, state, tellCheck } = options
  useSmallHeap()
  endRuntimesWithProcess()
  const recovery = watchReadOnlyStorage(state)
  const serviceBindings = {
    ...config.worker.serviceBindings,
    DATABASE_CHECK: () => new Response(tellCheck()),
    PUBLIC_NETWORK,
  }
  const log = new LocalLog(LogLevel.INFO, { prefix: 'lacewing' })
  const describeRuntime = (port: number) =>
    convertV4MiniflareOptions({
      ...storageOptions(state),
      host: options.host,
      port,
      log,
      unsafeHandleRuntimeRestart: () => resumeWork(miniflare, log.crashedAt),
      handleStructuredLogs: (entry) => {
        recovery.read(entry.message)
        writeLog(entry)
      },
      logRequests: false,
      ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
      workers: [
        {
          ...config.worker,
          modules: [ENTRY_MODULE, ...modules],
          serviceBindings,
        } as V4WorkerOptions,
      ],
    })
  const miniflare = new Miniflare(describeRuntime(options.port))
  const url = await waitUntilReady(miniflare)
  recovery.onWritable(() => miniflare.setOptions(describeRuntime(Number(url.port))))
  return {
    url,
    miniflare,
    stop() {
      recovery.end()
      return miniflare.dispose()
    },
  }
}

/** Runs an action on the migrated database in a runtime that has nothing else. */
export async function withDatabase<Result>(
  state: StateFolder,
  action: (db: D1Database) => Promise<Result>,
): Promise<Result> {
  endRuntimesWithProcess()
  const script = 'export default {}'
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...storageOptions(state),
      d1Databases: D1_DATABASES,
      modules: true,
      script,
      // the error that the database throws says the same without a stack
      handleStructuredLogs: () => {},
    }),
  )
  try {
    const db = (await runtime.getD1Database('DB')) as unknown as D1Database
    await applyMigrations(db, readMigrations(join(ROOT, 'drizzle')), (event, facts) =>
      log('info', event, facts),
    )
    return await action(db)
  } catch (error) {
    throw explainRuntimeError(error)
  } finally {
    // fails again when the runtime has failed
    await runtime.dispose().catch(() => {})
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
    throw explainRuntimeError(error)
  }
}

function explainRuntimeError(error: unknown): unknown {
  if (error instanceof TypeError && error.message === NO_ANSWER) {
    return new CommandError(explainEnd(''))
  }
  if (!(error instanceof Error && 'code' in error)) {
    return error
  }
  if (KILLED_CODES.includes(`${error.code}`)) {
    return new CommandError(explainEnd(error.message))
  }
  return ADDRESS_ERROR_CODES.includes(`${error.code}`) ? new CommandError(error.message) : error
}

/** Why a runtime has ended, by what it wrote last; one that is killed writes nothing. */
function explainEnd(message: string): string {
  const [, output = ''] = message.split('Runtime stderr:')
  const last = output.trim().split('\n').at(-1) ?? ''
  if (last.includes('No CA certificates')) {
    return 'The runtime, workerd, needs the CA certificates of the system, and finds none: install the package ca-certificates.'
  }
  const reason =
    last === ''
      ? 'Something else may have ended it, such as a lack of memory: run npm start again.'
      : `The last that it wrote: ${readLogLine(last)}`
  return `The runtime, workerd, ended before it was ready. ${reason}`
}

/** The message of a line, which is JSON unless the runtime has crashed. */
function readLogLine(line: string): string {
  try {
    return String((JSON.parse(line) as { message: unknown }).message)
  } catch {
    return line
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
  /** When the runtime ended last without being told to, in Unix seconds. */
  crashedAt = 0

  override logWithLevel(level: number, message: string): void {
    if (message.includes('crashed unexpectedly')) {
      this.crashedAt = Math.floor(Date.now() / 1000)
    }
    if (!message.startsWith('QUEUE ')) {
      super.logWithLevel(level, message)
    }
  }
}
