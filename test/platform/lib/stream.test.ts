import { describe, expect, test, vi } from 'vitest'
import { streamJson, translateBody } from '../../../src/platform/lib/stream.ts'
import { streamPieces } from '../../support/clients/service.ts'

async function* pieces(...all: string[]): AsyncGenerator<string> {
  yield* all
}

describe('streamJson', () => {
  test('sends its pieces in order as JSON', async () => {
    const response = streamJson(pieces('{"a":', '', '[1,', '', '', '"ä😀"]}'), 'numbers')

    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ a: [1, 'ä😀'] })
  })

  test('collects short texts into one piece of the response', async () => {
    const texts = Array.from({ length: 1000 }, (_, i) => `${i},`)
    const reader = streamJson(pieces(...texts), 'numbers').body?.getReader()
    const { value } = (await reader?.read()) ?? {}

    expect(new TextDecoder().decode(value)).toBe(texts.join(''))
  })

  test('produces a piece when the client has read the last one, and none after cancellation', async () => {
    const produced: number[] = []
    let isOver = false
    async function* numbers(): AsyncGenerator<string> {
      try {
        for (let i = 0; ; i += 1) {
          produced.push(i)
          yield String(i).padEnd(70_000)
        }
      } finally {
        isOver = true
      }
    }
    const reader = streamJson(numbers(), 'numbers').body?.getReader()

    expect(produced).toEqual([])
    await reader?.read()
    await reader?.read()
    expect(produced).toEqual([0, 1])
    await reader?.cancel()
    expect([produced, isOver]).toEqual([[0, 1], true])
  })

  test('aborts the response and logs the error when a piece fails', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    async function* failing(): AsyncGenerator<string> {
      yield '['
      throw new Error('gone')
    }

    await expect(streamJson(failing(), 'numbers').text()).rejects.toThrow('gone')
    expect(logged).toHaveBeenCalledOnce()
    expect(logged.mock.calls[0]?.[0]).toContain('"event":"answer broken off","part":"numbers"')
    logged.mockRestore()
  })
})

describe('translateBody', () => {
  const translation = {
    begin: '<',
    write: (text: string) => text.replaceAll('é', ''),
    end: () => '>',
  }

  test('writes each piece between a begin and an end, whole characters alone', async () => {
    const bytes = [...new TextEncoder().encode('aéb€')].map((byte) => Uint8Array.of(byte))

    for (const [each, text] of [
      [bytes, '<ab€>'],
      [[], '<>'],
    ] as const) {
      expect(await new Response(translateBody(streamPieces([...each]), translation)).text()).toBe(
        text,
      )
    }
  })

  test('ends its source as soon as the client is gone, also between two of its pieces', async () => {
    let isOver = false
    const source = new ReadableStream<Uint8Array>({
      pull: () => new Promise<void>(() => {}),
      cancel: () => {
        isOver = true
      },
    })
    const reader = translateBody(source, translation).getReader()
    const piece = reader.read()
    await reader.cancel()
    expect([await piece, isOver]).toEqual([{ done: true, value: undefined }, true])
  })
})
