import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  expectEqual,
  expectRefusal,
  fileBug,
  findFreePort,
  run,
  send,
  serve,
  stop,
  waitUntil,
} from './server.ts'
import type { Trial } from './trial.ts'

/** After this time without a request the runtime closes its files. */
const IDLE_MS = 12_000
const RECOVERY_MS = 30_000

/** Disks that refuse to store. They need the rights of root on Linux; elsewhere they are skipped. */
export const diskTrials: Trial[] = [
  {
    title: 'on a full disk a start says so, and a server answers 503 until there is space again',
    async run(folder) {
      const disk = join(folder, 'disk')
      mkdirSync(disk)
      if (!runsWell('mount', '-t', 'tmpfs', '-o', 'size=16m', 'none', disk)) {
        return
      }
      try {
        const state = join(disk, 'state')
        const port = await findFreePort()
        const server = await serve(state, port)
        expectEqual('status before', (await fileBug(port)).status, 200)
        fillUp(join(disk, 'filling'))
        await expectUnavailable(port)
        rmSync(join(disk, 'filling'))
        await expectRecovery(port)
        await stop(server)
        fillUp(join(disk, 'filling'))
        const again = run('start.ts', ['--port', '0', '--persist-to', state])
        await expectRefusal(again, state, 'full disk')
      } finally {
        runsWell('umount', '-l', disk)
      }
    },
  },
  {
    title: 'on read-only files a server answers 503 until they can be written again',
    isLong: true,
    async run(folder) {
      const state = join(folder, 'state')
      const port = await findFreePort()
      const server = await serve(state, port)
      const data = join(state, 'v3')
      await new Promise((wake) => setTimeout(wake, IDLE_MS))
      if (runsWell('chattr', '-R', '+i', data)) {
        try {
          await expectUnavailable(port)
        } finally {
          runsWell('chattr', '-R', '-i', data)
        }
        await expectRecovery(port)
      }
      await stop(server)
    },
  },
]

async function expectUnavailable(port: number): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    const { status, headers, body } = await fileBug(port)
    expectEqual('status meanwhile', status, 503)
    expectEqual('Retry-After', headers.get('retry-after'), '1')
    expectEqual('code', body.code, 32000)
  }
}

async function expectRecovery(port: number): Promise<void> {
  const isFiled = async () => (await fileBug(port).catch(() => null))?.status === 200
  await waitUntil('bugs can be filed again', isFiled, RECOVERY_MS)
  // a filing may succeed just before the runtime restarts, which refuses connections for a moment
  const isRead = async () => (await send(port, 'bug/1').catch(() => null))?.status === 200
  await waitUntil('a bug can be read', isRead, RECOVERY_MS)
}

function fillUp(file: string): void {
  const handle = openSync(file, 'w')
  const block = Buffer.alloc(4096)
  try {
    for (;;) {
      writeSync(handle, block)
    }
  } catch {
    closeSync(handle)
  }
}

function runsWell(program: string, ...args: string[]): boolean {
  return process.getuid?.() === 0 && spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
