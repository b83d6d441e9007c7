import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findDatabaseFiles, openStateFolder } from '../../scripts/local/state.ts'
import { PATIENCE_MS } from '../support/time-limit.ts'

export type RunningServer = {
  url: string
  /** A folder of the test, for the state and for the home folders of clients. */
  folder: string
  /** What the server printed so far. */
  printed(): string
  /** Milliseconds from the command to the first answer. */
  startedIn: number
  /** Ends the server and deletes its folder. */
  stop(): Promise<void>
  /** Ends the server and starts another on the same state. */
  restart(): Promise<RunningServer>
  /** Ends the server without a chance to finish anything, and keeps its folder. */
  kill(): Promise<void>
}

/**
 * Starts the tracker as the README says, on a free port and with an empty state folder, with the very code
 * that is deployed.
 */
export async function startServer(
  variables: Record<string, string>,
  folder = mkdtempSync(join(tmpdir(), 'lacewing-server-')),
): Promise<RunningServer> {
  const port = await freePort()
  const begun = Date.now()
  const place = ['--port', String(port), '--persist-to', join(folder, 'state')]
  const args = ['start', '--', ...place, '--minified']
  // the test runner puts a BASE_URL of its own into the environment
  const { BASE_URL: _, ...inherited } = process.env
  const child = spawn('npm', args, {
    env: environment({ ...inherited, ...variables }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  child.stderr.on('data', (data) => {
    printed += data
  })
  const url = `http://127.0.0.1:${port}`
  await waitForAnswer(url, child, () => printed)
  return {
    url,
    folder,
    printed: () => printed,
    startedIn: Date.now() - begun,
    async stop() {
      await stopProcess(child)
      rmSync(folder, { recursive: true, force: true })
    },
    async restart() {
      await stopProcess(child)
      return startServer(variables, folder)
    },
    async kill() {
      await stopProcess(child, 'SIGKILL')
      // the runtime notices a moment later that its command is gone
      while (await fetch(url).catch(() => null)) {
        await new Promise((wake) => setTimeout(wake, 50))
      }
    },
  }
}

/** Makes all that waits overdue, as if more time had passed than any lease and delay lasts. */
export function letTimePass(server: RunningServer): void {
  for (const file of findDatabaseFiles(openStateFolder(join(server.folder, 'state')))) {
    const database = new DatabaseSync(file)
    for (const table of ['notices', 'webhook_deliveries', 'codehost_pushes', 'reminders']) {
      database.exec(
        `UPDATE ${table} SET next_attempt_at = 1, lease_until = NULL WHERE done_at IS NULL`,
      )
    }
    database.close()
  }
}

/** An environment with these settings; the binding types require every setting, but most have defaults. */
export function environment(variables: Record<string, string | undefined>): NodeJS.ProcessEnv {
  return variables as unknown as NodeJS.ProcessEnv
}

async function waitForAnswer(
  url: string,
  child: ChildProcess,
  printed: () => string,
): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; ) {
    if (child.exitCode !== null) {
      throw new Error(`npm start ended early:\n${printed()}`)
    }
    const answer = await fetch(`${url}/rest/version`).catch(() => null)
    // the credentials of a new administrator come with the words that it is ready
    if (answer?.ok && printed().includes('Documentation')) {
      return
    }
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error(`no answer within ${PATIENCE_MS} ms:\n${printed()}`)
}

/** npm does not hand signals on reliably, so the whole process group gets it. */
async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const gone = new Promise((done) => child.once('exit', done))
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, signal)
    await gone
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer()
    probe.once('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
