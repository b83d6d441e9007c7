import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { CommandError } from '../command.ts'
import { useSmallHeap } from '../v8-flags.ts'
import type { LocalConfig } from './config.ts'
import type { CheckState } from './large-database.ts'
import { MINIFLARE } from './miniflare.ts'
import type { WorkerModule } from './modules.ts'
import { watchReadOnlyStorage } from './recovery.ts'
import { resumeWork } from './release-work.ts'
import type { LocalOptions, LocalServer } from './server.ts'
import type { StateFolder } from './state.ts'
import { endRuntimesWithProcess } from './workerd.ts'

const { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } = MINIFLARE

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
  // the error of a start that fails says the same in a sentence
  let unwritten: LogEntry[] | null = []
  const log = new LocalLog(LogLevel.INFO, { prefix: 'lacewing' })
  let isStopping = false
  const watchRestart = (restart: Promise<unknown>) =>
    void restart.catch(() => isStopping || options.onLost?.())
  log.onCrash = () => watchRestart(miniflare.ready)
  const describeRuntime = (port: number) =>
    convertV4MiniflareOptions({
      ...storageOptions(state),
      host: options.host,
      port,
      log,
      unsafeHandleRuntimeRestart: () => resumeWork(miniflare, log.crashedAt),
      handleStructuredLogs: (entry) => {
        recovery.read(entry.message)
        if (unwritten === null) {
          writeLog(entry)
        } else {
          unwritten.push(entry)
        }
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
  unwritten.forEach(writeLog)
  unwritten = null
  recovery.onWritable(() => {
    const restart = miniflare.setOptions(describeRuntime(Number(url.port)))
    watchRestart(restart)
    return restart
  })
  return {
    url,
    miniflare,
    stop() {
      isStopping = true
      recovery.end()
      return miniflare.dispose()
    },
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

type LogEntry = { level: string; message: string }

/** Writes what the Worker logs, except for what only its developers want to know. */
function writeLog({ level, message }: LogEntry): void {
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
  /** Called then, before another is begun. */
  onCrash = () => {}

  override logWithLevel(level: number, message: string): void {
    if (message.includes('crashed unexpectedly')) {
      this.crashedAt = Math.floor(Date.now() / 1000)
      setImmediate(this.onCrash)
    }
    if (!message.startsWith('QUEUE ')) {
      super.logWithLevel(level, message)
    }
  }
}
