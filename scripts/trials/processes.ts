import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  expectEqual,
  expectRefusal,
  expectText,
  fileBug,
  findFreePort,
  isAlive,
  isOpen,
  listDescendants,
  run,
  serve,
  stop,
  waitUntil,
  within,
} from './server.ts'
import type { Trial } from './trial.ts'

/** How long the processes of a killed server may take to end. */
const END_MS = 5000
/** SIGTERM was lost when it came this soon after the port had opened. */
const EARLY_MS = 150

/** How the processes of a server share their data and end. */
export const processTrials: Trial[] = [
  {
    title: 'of two servers that start on one folder at once, one serves and the other names it',
    async run(folder) {
      const state = join(folder, 'state')
      const ports = [await findFreePort(), await findFreePort()]
      const both = ports.map((port) =>
        run('start.ts', ['--port', String(port), '--persist-to', state]),
      )
      await waitUntil('one has ended', () => both.some((each) => !each.isRunning()))
      const [winner, loser] = both[0]?.isRunning() ? both : both.toReversed()
      if (winner === undefined || loser === undefined) {
        throw new Error('two servers are needed')
      }
      await expectRefusal(loser, `process ${winner.pid} (npm start)`, 'stop it first')
      await waitUntil('the other serves', () => winner.printed().includes('Documentation'))
      const port = /127\.0\.0\.1:(\d+)/.exec(winner.printed())?.[1]
      const third = run('start.ts', ['--port', '0', '--persist-to', state])
      await expectRefusal(third, `process ${winner.pid}`, `http://127.0.0.1:${port}`)
      const bootstrap = run('bootstrap.ts', ['--persist-to', state])
      await expectRefusal(bootstrap, `process ${winner.pid}`)
      await stop(winner)
    },
  },
  {
    title: 'a server that is killed takes its runtime along and leaves no lock',
    isLong: true,
    async run(folder) {
      const state = join(folder, 'state')
      const port = await findFreePort()
      for (const victim of ['command', 'host', 'all'] as const) {
        const server = await serve(state, port)
        const others = listDescendants(server.pid)
        const hosts = others.filter(({ command }) => command.includes('host.ts'))
        const pids = {
          command: [server.pid],
          host: hosts.map(({ pid }) => pid),
          all: [server.pid, ...hosts.map(({ pid }) => pid)],
        }
        for (const pid of pids[victim]) {
          process.kill(pid, 'SIGKILL')
        }
        await within(server.ended)
        await waitUntil(
          `every process ends with ${victim}`,
          () => others.every(({ pid }) => !isAlive(pid)),
          END_MS,
        )
        expectEqual('open port', await isOpen(port), false)
      }
      const next = await serve(state, port)
      expectEqual('status of a new bug', (await fileBug(port)).status, 200)
      await stop(next)
    },
  },
  {
    title: 'killed starts leave nothing in the temporary folder, and a start deletes old mails',
    isLong: true,
    async run(folder) {
      const state = join(folder, 'state')
      const temporary = join(folder, 'temporary')
      mkdirSync(temporary)
      const port = await findFreePort()
      const args = ['--port', String(port), '--persist-to', state]
      const killed = run('start.ts', args, { TMPDIR: temporary })
      await waitUntil('the bundle is being built', () => existsSync(join(state, 'tmp')))
      await new Promise((wake) => setTimeout(wake, Math.random() * 2000))
      killed.kill('SIGKILL')
      await within(killed.ended)
      mkdirSync(join(state, 'tmp/email'), { recursive: true })
      writeFileSync(join(state, 'tmp/email/old.eml'), 'a mail')
      const next = await serve(state, port, { TMPDIR: temporary })
      expectEqual('old mail', existsSync(join(state, 'tmp/email/old.eml')), false)
      await stop(next)
      const left = readdirSync(temporary).filter((name) => /^(lacewing|miniflare)-/.test(name))
      expectEqual('files in the temporary folder', left, [])
    },
  },
  {
    title: 'SIGTERM ends the server well at any time, also as soon as its port is open',
    isLong: true,
    async run(folder) {
      const port = await findFreePort()
      const args = ['--port', String(port), '--persist-to', join(folder, 'state')]
      const server = run('start.ts', args)
      await waitUntil('the port is open', async () => {
        expectEqual('running', server.isRunning(), true)
        return isOpen(port)
      })
      await new Promise((wake) => setTimeout(wake, Math.random() * EARLY_MS))
      await stop(server)
      expectEqual('open port', await isOpen(port), false)
      const second = await serve(join(folder, 'state'), port)
      await new Promise((wake) => setTimeout(wake, Math.random() * EARLY_MS))
      await stop(second)
    },
  },
  {
    title: 'the start script keeps less than 120 MB',
    isLong: true,
    async run(folder) {
      if (!existsSync('/proc/self/status')) {
        return
      }
      const server = await serve(join(folder, 'state'), await findFreePort())
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
      const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
      expectEqual('less than 120 MB', megabytes < 120, true)
      await stop(server)
      expectText(server.printed(), 'Lacewing')
    },
  },
]
