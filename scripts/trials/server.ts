import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { ROOT } from '../wrangler.ts'

export const KEY = 'lwtrial0000000000000000000000000000000'

/** A running command, and what it has printed so far. */
export type Started = {
  pid: number
  printed(): string
  /** The exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>
  isRunning(): boolean
  kill(signal: NodeJS.Signals): void
}

const PATIENCE_MS = 90_000
const started = new Set<ChildProcess>()

/** Runs `node scripts/<script>` with these arguments and variables in the project folder. */
export function run(
  script: string,
  args: string[],
  variables: Record<string, string> = {},
): Started {
  return startProcess(process.execPath, [join(ROOT, 'scripts', script), ...args], variables)
}

export function startProcess(
  program: string,
  args: string[],
  variables: Record<string, string>,
): Started {
  const {
    BASE_URL: _,
    ADMIN_LOGIN,
    ADMIN_PASSWORD,
    ADMIN_API_KEY,
    SECRETS_KEY,
    ...rest
  } = process.env as Record<string, string | undefined>
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...rest, ...variables } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      printed += data
    })
  }
  const ended = new Promise<number | string>((end) =>
    child.once('exit', (code, signal) => end(code ?? signal ?? '')),
  )
  return {
    pid: child.pid ?? 0,
    printed: () => printed,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => child.kill(signal),
  }
}

/** Starts a server on a state folder and waits until it says that it is ready. */
export async function serve(
  state: string,
  port: number,
  variables: Record<string, string> = { ADMIN_API_KEY: KEY },
): Promise<Started> {
  const server = run('start.ts', ['--port', String(port), '--persist-to', state], variables)
  await waitUntil('the server is ready', () => {
    if (!server.isRunning()) {
      throw new Error(`npm start ended early:\n${server.printed()}`)
    }
    return server.printed().includes('Documentation')
  })
  return server
}

/** Ends a server as a user does and checks that it ends well. */
export async function stop(server: Started): Promise<void> {
  server.kill('SIGTERM')
  expectEqual('exit code after SIGTERM', await within(server.ended), 0)
}

/** Ends processes that a failed trial left. */
export function killAll(): void {
  for (const child of started) {
    child.kill('SIGKILL')
  }
  started.clear()
}

export async function waitUntil(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isTrue())) {
    if (Date.now() > deadline) {
      throw new Error(`Not within ${patienceMs} ms: ${what}`)
    }
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

export function within<Result>(result: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`Not within ${PATIENCE_MS} ms`)), PATIENCE_MS)
  })
  return Promise.race([result, late]).finally(() => clearTimeout(timer))
}

/** A request as the administrator of `KEY`, or with other headers. */
export async function send(
  port: number,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const answer = await fetch(`http://127.0.0.1:${port}/rest/${path}`, {
    headers: { 'x-tracker-api-key': KEY },
    ...init,
  })
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, unknown>,
  }
}

export function fileBug(port: number) {
  const body = JSON.stringify({
    product: 'TestProduct',
    component: 'TestComponent',
    version: 'unspecified',
    summary: 'It broke',
  })
  return send(port, 'bug', { method: 'POST', body, headers: { 'x-tracker-api-key': KEY } })
}

export function isOpen(port: number): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      tell(true)
    })
    socket.once('error', () => tell(false))
  })
}

/** Listens on a port, or on any free one, until it is closed. */
export function listen(port = 0): Promise<Server & { port: number }> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((opened, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const own = typeof address === 'object' && address !== null ? address.port : 0
      opened(Object.assign(server, { port: own }))
    })
  })
}

export async function findFreePort(): Promise<number> {
  const server = await listen()
  await new Promise((closed) => server.close(closed))
  return server.port
}

/** The processes below a process, by /proc; none where the system has no /proc. */
export function listDescendants(pid: number): { pid: number; command: string }[] {
  const parents = listProcesses()
  const below = (parent: number): { pid: number; command: string }[] =>
    parents.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)])
  return below(pid)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function listProcesses(): { pid: number; parent: number; command: string }[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
          const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
          const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
          return [{ pid: Number(name), parent, command }]
        } catch {
          return []
        }
      })
  } catch {
    return []
  }
}

export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
  }
}

export function expectText(text: string, ...expected: (string | RegExp)[]): void {
  for (const each of expected) {
    if (typeof each === 'string' ? !text.includes(each) : !each.test(text)) {
      throw new Error(`Nothing like ${each} in:\n${text}`)
    }
  }
}

/** What a user who made a mistake should see: an exit code of 1, one line with these words, no stack. */
export async function expectRefusal(
  command: Started,
  ...expected: (string | RegExp)[]
): Promise<void> {
  expectEqual(`exit code (${command.printed()})`, await within(command.ended), 1)
  expectText(command.printed(), ...expected)
  expectEqual('lines', command.printed().trim().split('\n').length, 1)
}
