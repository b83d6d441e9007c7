/** `node scripts/attachment-memory.ts`: see HELP. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Inspector, inspect } from './bench/inspector.ts'
import { runCommand } from './complaint.ts'
import { readFlags } from './flags.ts'
import { startLocal } from './local-server.ts'
import { limitHeap } from './v8-flags.ts'

const HELP = `Measures how much memory a large attachment takes while it goes in and out: what the whole
runtime grows by, in which the simulator of the bucket keeps copies too, and what the isolate of the
Worker grows by, garbage included, which is all that there is of it in production. V8 is held to as much
heap as there.

node scripts/attachment-memory.ts [--mb N] [--rounds N]

  --mb N       size of the attachment, which is also the limit that is set (20)
  --rounds N   how often it is sent, read as JSON, and downloaded (3)
`

const KEY = 'lwmeasure0000000000000000000000000000000'

runCommand(async () => {
  const flags = readFlags(HELP, {
    mb: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  })
  const [mb, rounds] = [Number(flags.mb), Number(flags.rounds)]
  const persistTo = mkdtempSync(join(tmpdir(), 'lacewing-memory-'))
  const vars = { ADMIN_API_KEY: KEY, MAX_ATTACHMENT_KB: String(mb * 1024) }
  limitHeap()
  const where = { port: 0, host: '127.0.0.1', inspectorPort: 0 }
  const server = await startLocal({ ...where, persistTo, vars })
  const inspector = await inspect(await server.miniflare.getInspectorURL(), 'lacewing')
  try {
    await measure(server.url, inspector, mb * 1024 * 1024, rounds)
  } finally {
    inspector.close()
    await server.stop()
    rmSync(persistTo, { recursive: true })
  }
})

async function measure(origin: URL, inspector: Inspector, size: number, rounds: number) {
  const samples = (happens: () => Promise<unknown>) => peak(inspector, happens)
  const bytes = randomBytes(size)
  const sent = digest(bytes)
  const body = attachmentBody(bytes.toString('base64'))
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, origin), { ...init, headers: { 'x-tracker-api-key': KEY } })
  const bug = await fileBug(ask)
  // everything is loaded once before it counts
  await attach(ask, bug, attachmentBody(Buffer.from('small').toString('base64')))
  await ask(`/rest/bug/${bug}/attachment`).then((answer) => answer.text())
  const idle = await samples(() => pause(2000))
  process.stdout.write(`idle: ${idle.runtime} MB, ${idle.isolate} of them in the isolate\n`)
  for (let round = 1; round <= rounds; round += 1) {
    let id = 0
    const into = await samples(async () => {
      id = await attach(ask, bug, body)
    })
    const asJson = await samples(async () => {
      const answer = await ask(`/rest/bug/attachment/${id}`).then((one) => one.text())
      expectSame(sent, digest(Buffer.from(JSON.parse(answer).attachments[id].data, 'base64')))
    })
    const raw = await samples(async () => {
      const answer = await ask(`/attachment/${id}`).then((one) => one.arrayBuffer())
      expectSame(sent, digest(new Uint8Array(answer)))
    })
    const grown = ({ runtime, isolate }: Held) =>
      `+${runtime - idle.runtime} MB, isolate +${isolate - idle.isolate} MB`
    process.stdout.write(
      `in: ${grown(into)}; out as JSON: ${grown(asJson)}; downloaded: ${grown(raw)}\n`,
    )
  }
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

async function fileBug(ask: Ask): Promise<number> {
  const fields = {
    product: 'TestProduct',
    component: 'TestComponent',
    version: 'unspecified',
    summary: 'Large attachments',
  }
  const answer = await ask('/rest/bug', { method: 'POST', body: JSON.stringify(fields) })
  return ((await answer.json()) as { id: number }).id
}

function attachmentBody(data: string): string {
  const about = { file_name: 'a.bin', summary: 'x', content_type: 'application/octet-stream' }
  return JSON.stringify({ data, ...about })
}

async function attach(ask: Ask, bug: number, body: string): Promise<number> {
  const answer = await ask(`/rest/bug/${bug}/attachment`, { method: 'POST', body })
  const { ids, message } = (await answer.json()) as { ids?: number[]; message?: string }
  const [id] = ids ?? []
  if (id === undefined) {
    throw new Error(message)
  }
  return id
}

/** MB at the highest. */
type Held = { runtime: number; isolate: number }

/** What is held, looked at all the time while something happens. */
async function peak(inspector: Inspector, happens: () => Promise<unknown>): Promise<Held> {
  const held = { runtime: 0, isolate: 0 }
  const look = async () => {
    held.runtime = Math.max(held.runtime, runtimeMemory())
    held.isolate = Math.max(held.isolate, Math.round(await inspector.heap()))
  }
  let isOver = false
  const watching = (async () => {
    for (await look(); !isOver; await look()) {
      await pause(20)
    }
  })()
  await happens()
  isOver = true
  await watching
  return held
}

/** What workerd, a child of this process, holds in memory. */
function runtimeMemory(): number {
  const held = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        return status.includes('Name:\tworkerd') && status.includes(`PPid:\t${process.pid}\n`)
          ? [Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)]
          : []
      } catch {
        // it ended meanwhile
        return []
      }
    })
  return Math.round(Math.max(0, ...held) / 1024)
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function expectSame(sent: string, received: string): void {
  if (sent !== received) {
    throw new Error('What came out is not what went in.')
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds))
}
