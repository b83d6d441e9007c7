import { describe, expect, test } from 'vitest'
import { readEventBody as readFrom } from '../../../../src/platform/http/request/event-body.ts'
import { UploadMemory } from '../../../../src/platform/http/request/upload-memory.ts'
import { streamPieces } from '../../../support/clients/service.ts'

const MEGABYTE = 1024 * 1024

const readEventBody = (request: Request) => readFrom(request, null)

function requestOf(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request('https://tracker.test/', { method: 'POST', body, headers })
}

/** Bytes that differ from place to place. */
function makeBytes(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, n) => (n * 31) % 251)
}

async function join(pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array> {
  return new Uint8Array(await new Blob([...pieces]).arrayBuffer())
}

describe('the bytes of an event', () => {
  test.each([
    ['of a short body', 1000],
    ['of a long body', 3 * MEGABYTE + 17],
  ])('%s are those that were sent', async (_, size) => {
    const bytes = makeBytes(size)
    for (const body of [bytes, streamPieces([bytes.slice(0, 7), bytes.slice(7)])]) {
      const read = await readEventBody(requestOf(body))
      expect(read.size).toBe(size)
      expect(await join(read.pieces)).toEqual(bytes)
      read.release()
    }
  })

  test('may be none', async () => {
    const read = await readEventBody(requestOf(null))
    expect(await join(read.pieces)).toHaveLength(0)
  })

  test('over 25 MB are refused with 58, be their number announced or not', async () => {
    const size = 25 * MEGABYTE + 1
    const pieces = [
      ...Array.from({ length: 25 }, () => new Uint8Array(MEGABYTE)),
      new Uint8Array(1),
    ]
    for (const body of [new Uint8Array(size), streamPieces(pieces)]) {
      await expect(readEventBody(requestOf(body))).rejects.toMatchObject({ code: 58 })
    }
  })

  test('wait for no others when they are few, and are refused when others fill the memory', async () => {
    const others = new UploadMemory(false, null)
    others.grow(20 * MEGABYTE)
    const short = requestOf(streamPieces([new Uint8Array(16 * 1024)]))
    expect((await readEventBody(short)).size).toBe(16 * 1024)
    const long = () => requestOf(streamPieces([new Uint8Array(2 * MEGABYTE)]))
    await expect(readEventBody(long())).rejects.toMatchObject({ code: 32000, status: 503 })
    others.release()
    const read = await readEventBody(long())
    expect(read.size).toBe(2 * MEGABYTE)
    read.release()
  })

  test('give their memory back', async () => {
    const first = await readEventBody(requestOf(streamPieces([new Uint8Array(17 * MEGABYTE)])))
    const next = () => readEventBody(requestOf(streamPieces([new Uint8Array(2 * MEGABYTE)])))
    await expect(next()).rejects.toMatchObject({ code: 32000, status: 503 })
    first.release()
    ;(await next()).release()
  })
})
