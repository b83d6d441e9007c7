import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listDescendants, readMemory } from '../bench/process.ts'
import {
  assertFiles,
  assertRefused,
  assertText,
  fileBug,
  findFreePort,
  isOpen,
  isReady,
  KEY,
  readPort,
  run,
  send,
  serve,
  start,
  startProcess,
  stop,
  type Trial,
  waitUntil,
  within,
} from './trial.ts'

/** How long the processes of a killed server may take to end. */
const END_MS = 5000
/** SIGTERM was lost when it came this soon after the port had opened. */
const EARLY_MS = 150

/** How the processes of a server share their data and end, and what a user sees of them. */
export const processTrials: Trial[] = [
  {
    title: 'of two servers that start on one folder at once, one serves and the other names it',
    async run(folder) {
      const state = join(folder, 'state')
      const both = [start(state), start(state)]
      await waitUntil('one has ended', () => both.some((each) => !each.isRunning()))
      const [winner, loser] = both[0]?.isRunning() ? both : both.toReversed()
      assert(winner !== undefined && loser !== undefined)
      await assertRefused(loser, `process ${winner.pid} (npm start)`, 'stop it first')
      await waitUntil('the other serves', () => isReady(winner))
      const url = `http://127.0.0.1:${readPort(winner)}`
      await assertRefused(start(state), `process ${winner.pid}`, url)
      const bootstrap = run('bootstrap.ts', ['--persist-to', state])
      await assertRefused(bootstrap, `process ${winner.pid}`)
      await stop(winner)
    },
  },
  {
    title: 'a server that is killed takes its runtime along and leaves no lock',
    isLong: true,
    async run(folder) {
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
    },
  },
  {
    title: 'killed starts leave nothing in the temporary folder, and a start deletes old mails',
    isLong: true,
    async run(folder) {
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
  },
  {
    title: 'SIGTERM ends the server well at any time, also as soon as its port is open',
    isLong: true,
    async run(folder) {
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
    },
  },
  {
    title: 'SIGTERM to npm ends the service well, and a killed npm takes it along',
    async run(folder) {
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
    },
  },
  {
    title: 'a runtime that is killed before it serves is told in one sentence',
    async run(folder) {
      const server = start(join(folder, 'state'))
      const isRuntime = ({ command }: { command: string }) => command.includes('workerd serve')
      await waitUntil('a runtime', () => listDescendants(server.pid).some(isRuntime))
      for (const { pid } of listDescendants(server.pid).filter(isRuntime)) {
        process.kill(pid, 'SIGKILL')
      }
      await assertRefused(server, 'The runtime, workerd, ended', 'run npm start again')
    },
  },
  {
    title: 'the start script keeps less than 120 MB',
    isLong: true,
    async run(folder) {
      const server = await serve(join(folder, 'state'))
      const { now } = readMemory(server.pid)
      assert(!(now >= 120), `${now} MB`)
      await stop(server)
      assertText(server.printed(), 'Lacewing')
    },
  },
  {
    title: 'npm start takes a flag without --, says where it is first, and logs no debugging',
    isLong: true,
    async run(folder) {
      const port = await findFreePort()
      const args = ['start', '--port', String(port), '--', '--persist-to', join(folder, 'state')]
      const server = startProcess('npm', args, { ADMIN_API_KEY: KEY })
      await waitUntil('the server is ready', () => isReady(server) || !server.isRunning())
      const lines = server.printed().split('\n')
      const first = lines.findIndex((line) => line.startsWith('Lacewing'))
      assertText(lines[first] ?? '', `http://127.0.0.1:${port}`)
      assertText(lines[first + 1] ?? '', /^Data +.*state/)
      assertText(lines[first + 2] ?? '', /^Sign in +admin@example\.com/)
      assertText(server.printed(), /^Documentation +http.*\/docs$/m)
      assert.equal((await fileBug(port)).status, 200)
      // the queue delivers within a second or two
      await pause(3000)
      assert.equal(typeof (await send(port, 'version')).body.version, 'string')
      assert(!server.printed().includes('"level":"debug"'), server.printed())
      await stop(server)
    },
  },
  {
    title: 'npm start explains several flags without --',
    async run(folder) {
      const args = ['start', '--port', '0', '--persist-to', join(folder, 'state')]
      const server = startProcess('npm', args, {})
      assert.equal(await within(server.ended), 2, 'exit code')
      assertText(server.printed(), 'write -- before the flags')
    },
  },
]
