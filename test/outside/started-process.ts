import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ROOT } from '../../scripts/wrangler.ts'

/** A running command, and what it has printed so far. */
type Started = {
  pid: number
  printed(): string
  /** The exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>
  isRunning(): boolean
  kill(signal: NodeJS.Signals): void
}

type Variables = Record<string, string>

/** `npm run trials` repeats trials so often. Otherwise what takes many starts is left out. */
export const ROUNDS = Number(process.env.TRIALS ?? 0)
export const rounds = Array.from({ length: Math.max(1, ROUNDS) }, (_, n) => n + 1)

export const KEY = 'lwtrial0000000000000000000000000000000'

const PATIENCE_MS = 90_000
const started = new Set<ChildProcess>()

/** Runs a script as `npm run` does, with these arguments and variables in the project folder. */
export function run(script: string, args: string[], variables: Variables = {}): Started {
  return startProcess(process.execPath, [join(ROOT, 'scripts/run.js'), script, ...args], variables)
}

/** Begins `npm start` on a folder of data, on any free port unless the arguments name one. */
export function start(state: string, args: string[] = [], variables: Variables = {}): Started {
  return run('start', ['--port', '0', '--persist-to', state, ...args], variables)
}

export function startProcess(program: string, args: string[], variables: Variables): Started {
  const settings = ['BASE_URL', 'ADMIN_LOGIN', 'ADMIN_PASSWORD', 'ADMIN_API_KEY', 'SECRETS_KEY']
  const inherited = Object.entries(process.env).filter(([name]) => !settings.includes(name))
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...variables } as NodeJS.ProcessEnv,
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

/** Starts a server on a folder of data, and waits until it says that it is ready. */
export async function serve(
  state: string,
  port = 0,
  variables: Variables = { ADMIN_API_KEY: KEY },
): Promise<Started & { port: number }> {
  const server = start(state, ['--port', String(port)], variables)
  await waitUntil('the server is ready', () => {
    assert(server.isRunning(), `npm start ended early:\n${server.printed()}`)
    return isReady(server)
  })
  return { ...server, port: readPort(server) }
}

export const isReady = (server: Started) => server.printed().includes('Documentation')

export const readPort = (server: Started) =>
  Number(/127\.0\.0\.1:(\d+)/.exec(server.printed())?.[1])

/** Ends a server as a user does and checks that it ends well. */
export async function stop(server: Started): Promise<void> {
  server.kill('SIGTERM')
  assert.equal(await within(server.ended), 0, 'exit code after SIGTERM')
}

/** Ends processes that a failed test left. */
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
    assert(Date.now() < deadline, `Not within ${patienceMs} ms: ${what}`)
    await pause(20)
  }
}

export function within<Result>(result: Promise<Result>): Promise<Result> {
  const late = pause(PATIENCE_MS, null, { ref: false }).then(() =>
    assert.fail(`Not within ${PATIENCE_MS} ms`),
  )
  return Promise.race([result, late])
}

/** A request as the administrator of `KEY`, or with other headers. */
export async function send(port: number, path: string, init: RequestInit = {}) {
  const headers = { 'x-tracker-api-key': KEY }
  const answer = await fetch(`http://127.0.0.1:${port}/rest/${path}`, { headers, ...init })
  const body = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, headers: answer.headers, body }
}

export function fileBug(port: number) {
  const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
  const body = JSON.stringify({ ...place, summary: 'It broke' })
  return send(port, 'bug', { method: 'POST', body })
}

export async function assertFiles(port: number): Promise<void> {
  assert.equal((await fileBug(port)).status, 200, 'status of a new bug')
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

/** Listens on any free port until it is closed. */
export function listen(): Promise<Server & { port: number }> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((opened) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      opened(Object.assign(server, { port }))
    })
  })
}

export async function findFreePort(): Promise<number> {
  const server = await listen()
  await new Promise((closed) => server.close(closed))
  return server.port
}

export function assertText(text: string, ...expected: (string | RegExp)[]): void {
  for (const each of expected) {
    const isThere = typeof each === 'string' ? text.includes(each) : each.test(text)
    assert(isThere, `Nothing like ${each} in:\n${text}`)
  }
}

/** What a user who made a mistake should see: an exit code of 1, one line with these words, no stack. */
export async function assertRefused(command: Started, ...words: string[]): Promise<void> {
  assert.equal(await within(command.ended), 1, `exit code (${command.printed()})`)
  assertText(command.printed(), ...words)
  assert.equal(command.printed().trim().split('\n').length, 1, 'lines')
}
