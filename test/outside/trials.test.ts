import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { findListener, listDescendants, readMemory } from '../../scripts/bench/process.ts'
import { locateWorkerd } from '../../scripts/local/workerd.ts'
import { computeTimeLimit } from '../support/time-limit.ts'
import {
  assertFiles,
  assertRefused,
  assertText,
  fileBug,
  findFreePort,
  isOpen,
  isReady,
  KEY,
  killAll,
  ROUNDS,
  readPort,
  rounds,
  run,
  send,
  serve,
  start,
  startProcess,
  stop,
  waitUntil,
  within,
} from './started-process.ts'

/** Some trials start a server a dozen times. */
const LIMIT_MS = 2 * computeTimeLimit()
/** How long the processes of a killed server may take to end. */
const END_MS = 5000
/** SIGTERM was lost when it came this soon after the port had opened. */
const EARLY_MS = 150
/** After this time without a request the runtime closes its files. */
const IDLE_MS = 12_000
const RECOVERY_MS = 30_000
const DEATH = 'kill -9 $$'
/** Nothing tells that the input of such a program has no reader any more. */
const DEATH_WITH_OPEN_INPUT = `exec 4<&0; sleep 2 & ${DEATH}`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacewing-trial-'))
})

afterEach(() => {
  killAll()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
})

describe.each(rounds)('npm start, round %i', { timeout: LIMIT_MS }, () => {
  const long = test.skipIf(ROUNDS === 0)

  test('of two servers that start on one folder at once, one serves and the other names it', async () => {
    const state = join(folder, 'state')
    const both = [start(state), start(state)]
    await waitUntil('one has ended', () => both.some((each) => !each.isRunning()))
    const [winner, loser] = both[0]?.isRunning() ? both : both.toReversed()
    assert(winner !== undefined && loser !== undefined)
    await assertRefused(loser, `process ${winner.pid} (npm start)`, 'stop it first')
    await waitUntil('the other serves', () => isReady(winner))
    const url = `http://127.0.0.1:${readPort(winner)}`
    await assertRefused(start(state), `process ${winner.pid}`, url)
    const bootstrap = run('bootstrap', ['--persist-to', state])
    await assertRefused(bootstrap, `process ${winner.pid}`)
    await stop(winner)
  })

  long('a server that is killed takes its runtime along and leaves no lock', async () => {
    const state = join(folder, 'state')
    for (const victim of ['command', 'host', 'all'] as const) {
      const server = await serve(state)
      const others = listDescendants(server.pid).map(({ pid }) => pid)
      const hosts = listDescendants(server.pid)
        .filter(({ command }) => command.includes('host.ts'))
        .map(({ pid }) => pid)
      const pids = { command: [server.pid], host: hosts, all: [server.pid, ...hosts] }
      for (const pid of pids[victim]) {
        process.kill(pid, 'SIGKILL')
      }
      await within(server.ended)
      const haveEnded = () => others.every((pid) => Number.isNaN(readMemory(pid).now))
      await waitUntil(`every process ends with ${victim}`, haveEnded, END_MS)
      // its memory is gone a moment before its sockets
      await waitUntil('the port is closed', async () => !(await isOpen(server.port)), END_MS)
    }
    const next = await serve(state)
    await assertFiles(next.port)
    await stop(next)
  })

  long(
    'killed starts leave nothing in the temporary folder, and a start deletes old mails',
    async () => {
      const state = join(folder, 'state')
      const temporary = join(folder, 'temporary')
      const mail = join(state, 'tmp/email/old.eml')
      mkdirSync(temporary)
      const killed = start(state, [], { TMPDIR: temporary })
      await waitUntil('the bundle is being built', () => existsSync(join(state, 'tmp')))
      await pause(Math.random() * 2000)
      killed.kill('SIGKILL')
      await within(killed.ended)
      mkdirSync(join(state, 'tmp/email'), { recursive: true })
      writeFileSync(mail, 'a mail')
      const next = await serve(state, 0, { TMPDIR: temporary })
      assert.equal(existsSync(mail), false, 'old mail')
      await stop(next)
      const left = readdirSync(temporary).filter((name) => /^(lacewing|miniflare)-/.test(name))
      assert.deepEqual(left, [], 'files in the temporary folder')
    },
  )

  long('SIGTERM ends the server well at any time, also as soon as its port is open', async () => {
    const state = join(folder, 'state')
    const port = await findFreePort()
    const server = start(state, ['--port', String(port)])
    await waitUntil('the port is open', async () => {
      assert(server.isRunning(), server.printed())
      return isOpen(port)
    })
    await pause(Math.random() * EARLY_MS)
    await stop(server)
    assert.equal(await isOpen(port), false, 'open port')
    const second = await serve(state, port)
    await pause(Math.random() * EARLY_MS)
    await stop(second)
  })

  test('SIGTERM to npm ends the service well, and a killed npm takes it along', async () => {
    const args = ['start', '--', '--port', '0', '--persist-to', join(folder, 'state')]
    for (const [signal, end] of [
      ['SIGTERM', 0],
      ['SIGKILL', 'SIGKILL'],
    ] as const) {
      const npm = startProcess('npm', args, {})
      await waitUntil('the server is ready', () => isReady(npm) || !npm.isRunning())
      const port = readPort(npm)
      npm.kill(signal)
      assert.equal(await within(npm.ended), end, 'the end of npm')
      await waitUntil('the port is closed', async () => !(await isOpen(port)), END_MS)
    }
  })

  test('a runtime that is killed before it serves is told in one sentence', async () => {
    const state = join(folder, 'state')
    // a first start shows the credentials before
    await stop(await serve(state))
    for (const death of [DEATH, DEATH_WITH_OPEN_INPUT]) {
      const server = start(state, [], { MINIFLARE_WORKERD_PATH: writeRuntime(death) })
      await assertRefused(server, 'The runtime, workerd, ended', 'run npm start again')
    }
  })

  test('where the runtime is killed and another cannot begin, the service ends', async () => {
    const broken = join(folder, 'broken')
    const program = writeRuntime(
      `[ -e ${broken} ] || exec ${locateWorkerd()} "$@"\n${DEATH_WITH_OPEN_INPUT}`,
    )
    const variables = { ADMIN_API_KEY: KEY, MINIFLARE_WORKERD_PATH: program }
    const server = await serve(join(folder, 'state'), 0, variables)
    await assertFiles(server.port)
    writeFileSync(broken, '')
    const runtime = findListener(`http://127.0.0.1:${server.port}`)
    assert(runtime !== null)
    process.kill(runtime, 'SIGKILL')
    assert.equal(await within(server.ended), 1)
    assertText(server.printed(), 'The runtime ended unexpectedly. Run npm start again.')
  })

  test('on a full disk a start says so, and a server answers 503 until there is space again', async () => {
    const disk = join(folder, 'disk')
    const filling = join(disk, 'filling')
    mkdirSync(disk)
    if (!runsWell('mount', '-t', 'tmpfs', '-o', 'size=16m', 'none', disk)) {
      return
    }
    try {
      const state = join(disk, 'state')
      const server = await serve(state)
      await assertFiles(server.port)
      fillUp(filling)
      await assertUnavailable(server.port)
      rmSync(filling)
      await assertRecovery(server.port)
      await stop(server)
      fillUp(filling)
      await assertRefused(start(state), state, 'full disk')
    } finally {
      runsWell('umount', '-l', disk)
    }
  })

  long('on read-only files a server answers 503 until they can be written again', async () => {
    const state = join(folder, 'state')
    const server = await serve(state)
    const data = join(state, 'v3')
    await pause(IDLE_MS)
    if (runsWell('chattr', '-R', '+i', data)) {
      try {
        await assertUnavailable(server.port)
      } finally {
        runsWell('chattr', '-R', '-i', data)
      }
      await assertRecovery(server.port)
    }
    await stop(server)
  })
})

async function assertUnavailable(port: number): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    const { status, headers, body } = await fileBug(port)
    const found = [status, headers.get('retry-after'), body.code]
    assert.deepEqual(found, [503, '1', 32000])
  }
}

async function assertRecovery(port: number): Promise<void> {
  const isFiled = async () => (await fileBug(port).catch(() => null))?.status === 200
  await waitUntil('bugs can be filed again', isFiled, RECOVERY_MS)
  // a filing may succeed just before the runtime restarts, which refuses connections for a moment
  const isRead = async () => (await send(port, 'bug/1').catch(() => null))?.status === 200
  await waitUntil('a bug can be read', isRead, RECOVERY_MS)
}

/** Writes a program that is started instead of the runtime. */
function writeRuntime(commands: string): string {
  const program = join(folder, 'workerd')
  writeFileSync(program, `#!/bin/sh\n${commands}\n`, { mode: 0o755 })
  return program
}

function fillUp(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (;;) {
      writeSync(handle, Buffer.alloc(4096))
    }
  } catch {
    closeSync(handle)
  }
}

function runsWell(program: string, ...args: string[]): boolean {
  return process.getuid?.() === 0 && spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
