import { describe, expect, test } from 'vitest'
import {
  discardBody,
  readChunks,
  readWhole,
} from '../../../../src/platform/http/request/body-chunks.ts'
import { bodyIncomplete, uploadsBusy } from '../../../../src/platform/http/request/faults.ts'
import { streamPieces } from '../../../support/clients/service.ts'

const PIECE = new Uint8Array(100_000).fill(7)

function buildRequest(body: ReadableStream<Uint8Array>): Request {
  return new Request('https://tracker.test/', { method: 'POST', body })
}

/** A body whose connection breaks after its first piece. */
function breakOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(PIECE),
    pull: (controller) => controller.error(new Error('Network connection lost.')),
  })
}

describe('the chunks of a body', () => {
  test('are all of its bytes', async () => {
    let size = 0
    for await (const chunk of readChunks(streamPieces([PIECE, PIECE]))) {
      size += chunk.length
    }
    expect(size).toBe(200_000)
  })

  test('end in 32000 when the body breaks off', async () => {
    const read = async () => {
      for await (const _ of readChunks(breakOff())) {
        // the bytes do not matter
      }
    }
    await expect(read()).rejects.toMatchObject({ kind: bodyIncomplete, status: 400 })
    await expect(readWhole(buildRequest(breakOff()))).rejects.toMatchObject({ code: 32000 })
  })
})

/** A body of which some has come, and its connection. */
function beginBody(bytes = 1) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const sender = writable.getWriter()
  sender.closed.catch(() => {})
  sender.write(PIECE.slice(0, bytes)).catch(() => {})
  return { request: buildRequest(readable), abort: () => sender.abort().catch(() => {}) }
}

async function readAll({ request }: ReturnType<typeof beginBody>): Promise<void> {
  for await (const _ of readChunks(request.body)) {
    // takes what comes
  }
}

describe('bodies that arrive at once', () => {
  test('are five hundred at most, of which the slowest is given up with 503 for the next one', async () => {
    const bodies = Array.from({ length: 501 }, beginBody)
    const answers: unknown[] = []
    const read = async ({ request }: (typeof bodies)[number], n: number) => {
      await readWhole(request).catch(({ kind }) => {
        answers.push([n, kind])
      })
    }
    const reads = bodies.slice(0, 500).map(read)
    await scheduler.wait(5)
    expect(answers).toEqual([])

    const whole = await readWhole(buildRequest(streamPieces([PIECE])))
    expect(whole.byteLength).toBe(PIECE.length)
    const others = bodies.slice(500).map((body) => read(body, 500))
    await scheduler.wait(5)
    expect(answers).toEqual([[0, uploadsBusy]])

    await Promise.all(bodies.map(({ abort }) => abort()))
    await Promise.all([...reads, ...others])
    expect(answers).toHaveLength(501)
  })

  test('are given up in the order of what has come, even of a first chunk', async () => {
    const slow = beginBody(50_000)
    const given: unknown[] = []
    const reads = [readAll(slow).catch(({ kind }) => given.push(kind))]
    await scheduler.wait(5)
    const empty = Array.from({ length: 500 }, () => beginBody())
    const others = Promise.allSettled(empty.map(readAll))
    await scheduler.wait(5)
    expect(given).toEqual([])

    await Promise.all([slow, ...empty].map(({ abort }) => abort()))
    await Promise.all([...reads, others])
    expect(given).toEqual([bodyIncomplete])
  })
})

describe('a discarded body', () => {
  test('is read to its end, even when that breaks off', async () => {
    const request = buildRequest(streamPieces([PIECE, PIECE]))
    await discardBody(request)
    expect(request.bodyUsed).toBe(true)
    await expect(discardBody(request)).resolves.toBeUndefined()
    await expect(discardBody(buildRequest(breakOff()))).resolves.toBeUndefined()
  })
})
