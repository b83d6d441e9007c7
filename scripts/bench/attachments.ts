import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readMemory, resetPeak } from './process.ts'
import { askWell, get, post, type Request } from './request.ts'
import { startServer } from './servers.ts'
import { formatTable } from './table.ts'

const KEY = 'lwmeasure0000000000000000000000000000000'
const ROUNDS = 3
const MEGABYTE = 1024 * 1024
const BUG = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
const KIND = { file_name: 'a.bin', summary: 'x', content_type: 'application/octet-stream' }

/**
 * Sends an attachment of so many MB, reads it as JSON and downloads it, and prints the growth of the whole local
 * runtime, which includes the copies of the simulated bucket, and the growth of the isolate of the Worker, garbage
 * included, which is all that exists in production.
 */
export async function measureAttachments(megabytes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-memory-'))
  const vars = { ADMIN_API_KEY: KEY, MAX_ATTACHMENT_KB: String(megabytes * 1024) }
  const server = await startServer(folder, { minified: false, vars, isInspected: true })
  const inspector = await server.inspect()
  const rows: { what: string; isolate: number; runtime: number }[] = []
  const measure = async (what: string, action: () => Promise<unknown>) => {
    resetPeak(server.pid)
    const isolate = await inspector.measureHeap(action)
    rows.push({ what, isolate, runtime: readMemory(server.pid).peak })
  }
  const { upload, read, download } = createClient(server.origin)
  const bytes = randomBytes(megabytes * MEGABYTE)
  try {
    // every path runs once before the measurement
    const small = await upload(Buffer.from('small'))
    await Promise.all([read(small), download(small)])
    await measure('idle', () => pause(2000))
    for (let round = 0; round < ROUNDS; round += 1) {
      let id = 0
      await measure('sent', async () => {
        id = await upload(bytes)
      })
      await measure('read as JSON', async () => assertSame(bytes, await read(id)))
      await measure('downloaded', async () => assertSame(bytes, await download(id)))
    }
    const table = formatTable(rows, {
      [`${megabytes} MB`]: ({ what }) => what,
      'isolate MB': ({ isolate }) => Math.round(isolate),
      more: ({ isolate }) => Math.round(isolate - (rows[0]?.isolate ?? 0)),
      'runtime MB': ({ runtime }) => Math.round(runtime),
      'more ': ({ runtime }) => Math.round(runtime - (rows[0]?.runtime ?? 0)),
    })
    process.stdout.write(`${table}\n`)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

/** What is done with attachments of one bug. */
function createClient(origin: string) {
  const headers = { 'x-tracker-api-key': KEY }
  const send = async (request: Request) => (await askWell(origin, { ...request, headers })).bytes
  const bug = send(post('/rest/bug', { ...BUG, summary: 'Large attachments' })).then(
    (answer): number => JSON.parse(String(answer)).id,
  )
  return {
    async upload(bytes: Buffer): Promise<number> {
      const body = { ...KIND, data: bytes.toString('base64') }
      return JSON.parse(String(await send(post(`/rest/bug/${await bug}/attachment`, body)))).ids[0]
    },
    async read(id: number) {
      const { attachments } = JSON.parse(String(await send(get(`/rest/bug/attachment/${id}`))))
      return Buffer.from(attachments[id].data, 'base64')
    },
    download: (id: number) => send(get(`/attachment/${id}`)),
  }
}

function assertSame(sent: Uint8Array, received: Uint8Array): void {
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  if (hash(sent) !== hash(received)) {
    throw new Error('The downloaded attachment differs from the uploaded one.')
  }
}
