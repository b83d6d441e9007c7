import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { AdministratorChoice } from '../administrator/first-administrator.ts'
import { CommandError } from '../command.ts'
import type { HostMessage, HostOptions } from './host.ts'
import { digestSources } from './modules.ts'
import type { StateFolder } from './state.ts'

export type RunningHost = {
  url: string
  /** The setting BASE_URL, under which a proxy serves the tracker; empty without one. */
  baseUrl: string
  /** The logins of some administrators. */
  administrators: string[]
  /** The administrator that this start has created. */
  created: AdministratorChoice | null
}

export type HostProcess = {
  /** Rejects with a CommandError when the start fails. */
  ready: Promise<RunningHost>
  /** The administrator that this start has created so far. */
  created(): AdministratorChoice | null
  /** Resolves when the process has ended. */
  ended: Promise<void>
  /** Ends the process, also during its start; resolves when it has ended. */
  stop(): Promise<void>
}

/** Its loop waits for requests and compiles nothing: a small young heap costs it no time. */
const HEAP_FLAGS = ['--max-semi-space-size=1']
const STOP_MS = 10_000

/**
 * Runs Miniflare in a process of its own, which needs several times the memory of this one and may be busy
 * while this one has to react to signals. Files of the runtime go to the temporary folder of the state.
 */
export function startHost({ temporary }: StateFolder, options: HostOptions): HostProcess {
  const child = fork(join(import.meta.dirname, 'host.ts'), [], {
    // its own group, so that the signals of a terminal reach this process alone
    detached: process.platform !== 'win32',
    execArgv: [...process.execArgv, ...HEAP_FLAGS],
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
  })
  let created: AdministratorChoice | null = null
  const ended = new Promise<void>((end) => child.once('exit', () => end()))
  const ready = new Promise<RunningHost>((resolve, reject) => {
    child.on('message', (message: HostMessage) => {
      if (message.event === 'created') {
        created = message.administrator
      } else if (message.event === 'ready') {
        resolve({ ...message, created })
      } else {
        reject(new CommandError(message.message))
      }
    })
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new CommandError(`The runtime ended during its start (${signal ?? code}).`)),
    )
  })
  // a failure is handled where the result is awaited
  ready.catch(() => {})
  // a quarter of a second, in which the process reads its own code
  child.send({ ...options, sources: digestSources() })
  return { ready, created: () => created, ended, stop: () => stopProcess(child, ended) }
}

async function stopProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.connected) {
    child.send('stop')
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(timer)
}
