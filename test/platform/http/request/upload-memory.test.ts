import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { admission } from '../../../../src/platform/http/operations/admission.ts'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { readCounted } from '../../../../src/platform/http/request/counted-body.ts'
import { uploadsBusy } from '../../../../src/platform/http/request/faults.ts'
import { readUploadBody } from '../../../../src/platform/http/request/upload-body.ts'
import { UploadMemory } from '../../../../src/platform/http/request/upload-memory.ts'

const MEGABYTE = 1024 * 1024

test('one upload may be larger than its pool, others wait until it is released', () => {
  const [one, other] = [new UploadMemory(false, null), new UploadMemory(false, null)]
  one.grow(20 * MEGABYTE)
  other.grow(16 * 1024)
  expect(() => other.grow(1)).toThrow(expect.objectContaining({ kind: uploadsBusy, status: 503 }))
  one.release()
  other.grow(MEGABYTE)
  other.release()
})

test('uploads of unknown senders take no memory from those of known ones', () => {
  const [unknown, known] = [new UploadMemory(false, null), new UploadMemory(true, null)]
  unknown.grow(16 * MEGABYTE)
  expect(() => known.grow(40 * MEGABYTE)).not.toThrow()
  unknown.release()
  known.release()
})

test('one that is refused leaves its memory to others while its rest still arrives', async () => {
  const [others, next] = [new UploadMemory(false, null), new UploadMemory(false, null)]
  others.grow(10 * MEGABYTE)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const request = new Request('https://tracker.test/', { method: 'POST', body: readable })
  const kept: number[] = []
  const read = readCounted(request, 20 * 1024, new UploadMemory(false, null), {
    take: ({ length }) => kept.push(length),
    drop: () => kept.splice(0),
  })
  const sender = writable.getWriter()
  for (let sent = 0; sent < 8; sent += 1) {
    await sender.write(new Uint8Array(MEGABYTE))
  }
  expect(kept).toEqual([])
  expect(() => next.grow(5 * MEGABYTE)).not.toThrow()
  await Promise.all([sender.close(), expect(read).rejects.toMatchObject({ kind: uploadsBusy })])
  others.release()
  next.release()
})

test('those of unknown senders of one network leave half of the memory to others', () => {
  const [first, second, other] = ['192.0.2.1', '192.0.2.1', '192.0.2.2'].map(
    (network) => new UploadMemory(false, network),
  )
  first?.grow(6 * MEGABYTE)
  expect(() => second?.grow(3 * MEGABYTE)).toThrow(expect.objectContaining({ kind: uploadsBusy }))
  expect(() => other?.grow(8 * MEGABYTE)).not.toThrow()
  const known = [1, 2].map(() => new UploadMemory(true, '192.0.2.1'))
  expect(() => known.map((one) => one.grow(14 * MEGABYTE))).not.toThrow()
  for (const one of [first, second, other, ...known]) {
    one?.release()
  }
})

test('what has arrived counts until its request is answered', async () => {
  const others = new UploadMemory(false, null)
  const app = new Hono<AppEnv>()
  app.use(admission)
  app.post('/', async (c) => {
    await readUploadBody(c, 'data', false)
    expect(() => others.grow(5 * MEGABYTE)).toThrow(expect.objectContaining({ kind: uploadsBusy }))
    return c.text('stored')
  })
  const body = `{"data":"${'A'.repeat(12 * MEGABYTE)}"}`
  const request = new Request('https://tracker.test/', { method: 'POST', body })
  expect(await (await app.fetch(request, {} as Env)).text()).toBe('stored')
  others.grow(5 * MEGABYTE)
  others.release()
})
