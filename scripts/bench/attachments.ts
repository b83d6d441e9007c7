import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readMemory, resetPeak } from './process.ts'
import { startInspectedServer } from './servers.ts'
import { formatTable } from './table.ts'

const KEY = 'lwmeasure0000000000000000000000000000000'
const ROUNDS = 3

/**
 * Sends an attachment of so many MB, reads it as JSON and downloads it, and prints the growth of the whole local
 * runtime, which includes the copies of the simulated bucket, and the growth of the isolate of the Worker, garbage
 * included, which is all that exists in production.
 */
export async function measureAttachments(megabytes: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-memory-'))
  const vars = { ADMIN_API_KEY: KEY, MAX_ATTACHMENT_KB: String(megabytes * 1024) }
  const { origin, pid, inspector, stop } = await startInspectedServer(folder, {
    minified: false,
    vars,
  })
  const measure = async (action: () => Promise<unknown>) => {
    resetPeak(pid)
    const isolate = await inspector.measureHeap(action)
    return { isolate, runtime: readMemory(pid)?.peak ?? 0 }
  }
  const send = async (path: string, body?: object) => {
    const answer = await fetch(`${origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-tracker-api-key': KEY },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (!answer.ok) {
      throw new Error(`${path} answers ${answer.status}: ${bytes}`)
    }
    return bytes
  }
  try {
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    const filed = await send('/rest/bug', { ...place, summary: 'Large attachments' })
    const bug: number = JSON.parse(String(filed)).id
    const upload = async (bytes: Buffer): Promise<number> => {
      const kind = { file_name: 'a.bin', summary: 'x', content_type: 'application/octet-stream' }
      const body = { ...kind, data: bytes.toString('base64') }
      return JSON.parse(String(await send(`/rest/bug/${bug}/attachment`, body))).ids[0]
    }
    const bytes = randomBytes(megabytes * 1024 * 1024)
    const read = async (id: number) => {
      const { attachments } = JSON.parse(String(await send(`/rest/bug/attachment/${id}`)))
      return Buffer.from(attachments[id].data, 'base64')
    }
    const download = (id: number) => send(`/attachment/${id}`)
    // every path runs once before the measurement
    const small = await upload(Buffer.from('small'))
    await Promise.all([read(small), download(small)])
    const rows = [{ what: 'idle', ...(await measure(() => pause(2000))) }]
    for (let round = 0; round < ROUNDS; round += 1) {
      let id = 0
      const check = async (received: Promise<Uint8Array>) => assertSame(bytes, await received)
      rows.push({ what: 'sent', ...(await measure(async () => (id = await upload(bytes)))) })
      rows.push({ what: 'read as JSON', ...(await measure(() => check(read(id)))) })
      rows.push({ what: 'downloaded', ...(await measure(() => check(download(id)))) })
    }
    const [idle] = rows
    const table = formatTable(rows, {
      [`${megabytes} MB`]: ({ what }) => what,
      'isolate MB': ({ isolate }) => Math.round(isolate),
      more: ({ isolate }) => Math.round(isolate - (idle?.isolate ?? 0)),
      'runtime MB': ({ runtime }) => Math.round(runtime),
      'more ': ({ runtime }) => Math.round(runtime - (idle?.runtime ?? 0)),
    })
    process.stdout.write(`${table}\n`)
  } finally {
    await stop()
    rmSync(folder, { recursive: true })
  }
}

function assertSame(sent: Uint8Array, received: Uint8Array): void {
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  if (hash(sent) !== hash(received)) {
    throw new Error('The downloaded attachment differs from the uploaded one.')
  }
}
