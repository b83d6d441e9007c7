/** `node scripts/attachment-memory.ts`: see HELP. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectInspector, type Inspector } from './bench/process/inspector.ts'
import { runCommand } from './command.ts'
import { parseFlags } from './flags.ts'
import { startLocalServer } from './local/server.ts'
import { useProductionHeap } from './v8-flags.ts'

const HELP = `Measures the memory of uploading and downloading a large attachment: the growth of the whole local
runtime, which includes the copies of the simulated bucket, and the growth of the isolate of the Worker,
garbage included, which is all that exists in production. The heap of V8 is limited as in production.

node scripts/attachment-memory.ts [--mb N] [--rounds N]

  --mb N       size of the attachment, which also becomes the limit (20)
  --rounds N   number of times that it is sent, read as JSON, and downloaded (3)
`

const KEY = 'lwmeasure0000000000000000000000000000000'

runCommand(async () => {
  const flags = parseFlags(HELP, {
    mb: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  })
  const [mb, rounds] = [Number(flags.mb), Number(flags.rounds)]
  const persistTo = mkdtempSync(join(tmpdir(), 'lacewing-memory-'))
  const vars = { ADMIN_API_KEY: KEY, MAX_ATTACHMENT_KB: String(mb * 1024) }
  useProductionHeap()
  const address = { port: 0, host: '127.0.0.1', inspectorPort: 0 }
  const server = await startLocalServer({ ...address, persistTo, vars })
  const inspector = await connectInspector(await server.miniflare.getInspectorURL(), 'lacewing')
  try {
    await measureRounds(server.url, inspector, mb * 1024 * 1024, rounds)
  } finally {
    inspector.close()
    await server.stop()
    rmSync(persistTo, { recursive: true })
  }
})

async function measureRounds(origin: URL, inspector: Inspector, size: number, rounds: number) {
  const measure = (action: () => Promise<unknown>) => measurePeak(inspector, action)
  const bytes = randomBytes(size)
  const sent = hashBytes(bytes)
  const body = createAttachmentBody(bytes.toString('base64'))
  const sendRequest = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, origin), { ...init, headers: { 'x-tracker-api-key': KEY } })
  const bug = await fileBug(sendRequest)
  // warm-up: every path runs once before the measurement
  await createAttachment(
    sendRequest,
    bug,
    createAttachmentBody(Buffer.from('small').toString('base64')),
  )
  await sendRequest(`/rest/bug/${bug}/attachment`).then((response) => response.text())
  const idle = await measure(() => pause(2000))
  process.stdout.write(`idle: ${idle.runtime} MB, ${idle.isolate} of them in the isolate\n`)
  for (let round = 1; round <= rounds; round += 1) {
    let id = 0
    const upload = await measure(async () => {
      id = await createAttachment(sendRequest, bug, body)
    })
    const asJson = await measure(async () => {
      const response = await sendRequest(`/rest/bug/attachment/${id}`).then((one) => one.text())
      assertSame(sent, hashBytes(Buffer.from(JSON.parse(response).attachments[id].data, 'base64')))
    })
    const raw = await measure(async () => {
      const response = await sendRequest(`/attachment/${id}`).then((one) => one.arrayBuffer())
      assertSame(sent, hashBytes(new Uint8Array(response)))
    })
    const formatGrowth = ({ runtime, isolate }: MemoryUsage) =>
      `+${runtime - idle.runtime} MB, isolate +${isolate - idle.isolate} MB`
    process.stdout.write(
      `in: ${formatGrowth(upload)}; out as JSON: ${formatGrowth(asJson)}; downloaded: ${formatGrowth(raw)}\n`,
    )
  }
}

type SendRequest = (path: string, init?: RequestInit) => Promise<Response>

async function fileBug(sendRequest: SendRequest): Promise<number> {
  const fields = {
    product: 'TestProduct',
    component: 'TestComponent',
    version: 'unspecified',
    summary: 'Large attachments',
  }
  const response = await sendRequest('/rest/bug', { method: 'POST', body: JSON.stringify(fields) })
  return ((await response.json()) as { id: number }).id
}

function createAttachmentBody(data: string): string {
  const description = { file_name: 'a.bin', summary: 'x', content_type: 'application/octet-stream' }
  return JSON.stringify({ data, ...description })
}

async function createAttachment(
  sendRequest: SendRequest,
  bug: number,
  body: string,
): Promise<number> {
  const response = await sendRequest(`/rest/bug/${bug}/attachment`, { method: 'POST', body })
  const { ids, message } = (await response.json()) as { ids?: number[]; message?: string }
  const [id] = ids ?? []
  if (id === undefined) {
    throw new Error(message)
  }
  return id
}

/** Peaks in MB. */
type MemoryUsage = { runtime: number; isolate: number }

/** The peak memory during an action, sampled every 20 ms. */
async function measurePeak(
  inspector: Inspector,
  action: () => Promise<unknown>,
): Promise<MemoryUsage> {
  const peak = { runtime: 0, isolate: 0 }
  const sample = async () => {
    peak.runtime = Math.max(peak.runtime, readRuntimeMemory())
    peak.isolate = Math.max(peak.isolate, Math.round(await inspector.measureHeap()))
  }
  let isDone = false
  const sampling = (async () => {
    for (await sample(); !isDone; await sample()) {
      await pause(20)
    }
  })()
  await action()
  isDone = true
  await sampling
  return peak
}

/** The memory of workerd, a child of this process, in MB. */
function readRuntimeMemory(): number {
  const sizes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        return status.includes('Name:\tworkerd') && status.includes(`PPid:\t${process.pid}\n`)
          ? [Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)]
          : []
      } catch {
        // the process has ended
        return []
      }
    })
  return Math.round(Math.max(0, ...sizes) / 1024)
}

function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function assertSame(sent: string, received: string): void {
  if (sent !== received) {
    throw new Error('The downloaded attachment differs from the uploaded one.')
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds))
}
