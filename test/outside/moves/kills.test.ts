import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/generator/random.ts'
import { ROOT } from '../../../scripts/wrangler.ts'
import { type RunningServer, startServer } from '../running-server.ts'

/** An export and an import that die again and again at any of their requests, and go on. */

const KILLS = 30
const KEY = 'lwAdministratorKeyForThisTestRun00000000'

/** A tracker behind a door that counts who goes through. */
async function openDoor(target: string) {
  let watcher: () => void = () => {}
  const server = createServer((request, response) => {
    watcher()
    const { method, headers } = request
    const forwarded = sendRequest(`${target}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    watch: (next: () => void) => {
      watcher = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Door = Awaited<ReturnType<typeof openDoor>>

/** Runs a command, which dies at one of its requests; null lets it end. */
function run(door: Door, args: readonly string[], requests: number | null): Promise<boolean> {
  const place = ['--url', door.url, '--key', KEY]
  const child = spawn(process.execPath, [join(ROOT, 'scripts/run.js'), ...args, ...place], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let [seen, output] = [0, '']
  child.stderr.on('data', (data) => {
    output += data
  })
  door.watch(() => {
    seen += 1
    if (seen === requests) {
      child.kill('SIGKILL')
    }
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) =>
      signal === 'SIGKILL' || code === 0
        ? resolve(signal === 'SIGKILL')
        : reject(new Error(`${args.join(' ')}: ${output.slice(-500)}`)),
    )
  })
}

/** Kills a command again and again until it ends; returns how often. */
async function killUntilDone(door: Door, args: readonly string[], most: number): Promise<number> {
  const r = createRandom(11, most)
  let kills = 0
  while (await run(door, args, kills < KILLS ? 1 + r.below(most) : null)) {
    kills += 1
  }
  return kills
}

function readArchive(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter(
    (name) => name.endsWith('.ndjson') || /^files.[0-9a-f]{64}$/.test(name),
  )
  return new Map(files.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]))
}

describe('an archive', () => {
  const place = mkdtempSync(join(tmpdir(), 'killed-'))
  const servers: RunningServer[] = []
  const doors: Door[] = []

  async function openTracker(login: string): Promise<{ door: Door; url: string }> {
    const server = await startServer({ ADMIN_LOGIN: login, ADMIN_API_KEY: KEY })
    servers.push(server)
    const door = await openDoor(server.url)
    doors.push(door)
    return { door, url: server.url }
  }

  let source: { door: Door; url: string }
  const whole = join(place, 'whole')

  beforeAll(async () => {
    source = await openTracker('root@old.test')
    const send = async (path: string, body: object) => {
      const headers = { 'x-tracker-api-key': KEY }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await fetch(`${source.url}/rest${path}`, init)
      expect(answer.status, await answer.text()).toBeLessThan(300)
    }
    const at = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    for (let n = 1; n <= 20; n += 1) {
      const depends = n > 1 ? { depends_on: [n - 1] } : {}
      await send('/bug', { ...at, ...depends, summary: `Bug ${n}`, description: 'x'.repeat(n) })
      await send(`/bug/${n}/comment`, { comment: `Comment ${n}`, is_private: n % 2 === 0 })
    }
    for (const data of ['one', 'two']) {
      await send('/bug/1/attachment', {
        file_name: data,
        summary: data,
        data: btoa(data),
        content_type: 'text/plain',
      })
    }
    await send('/keyword', { name: 'crash', description: 'It crashes' })
    await run(source.door, ['export', whole, '--source', 'the source'], null)
  })
  afterAll(async () => {
    for (const door of doors) {
      door.close()
    }
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(place, { recursive: true, force: true })
  })

  test(`is the same when its export was killed ${KILLS} times`, async () => {
    const folder = join(place, 'killed')
    expect(await killUntilDone(source.door, ['export', folder, '--source', 'the source'], 5)).toBe(
      KILLS,
    )
    expect(readArchive(folder)).toEqual(readArchive(whole))
  })

  test(`brings the same tracker when its import was killed ${KILLS} times`, async () => {
    const target = await openTracker('root@old.test')
    expect(await killUntilDone(target.door, ['import', whole], 5)).toBe(KILLS)
    const again = join(place, 'again')
    await run(target.door, ['export', again, '--source', 'the source'], null)
    expect(readArchive(again)).toEqual(readArchive(whole))
  })
})
