import { describe, expect, test, vi } from 'vitest'
import { streamJson } from '../../src/lib/stream.ts'

async function* pieces(...all: string[]): AsyncGenerator<string> {
  yield* all
}

describe('a streamed answer', () => {
  test('is its pieces in order, as JSON', async () => {
    const response = streamJson(pieces('{"a":', '', '[1,', '', '', '"ä😀"]}'), 'numbers')

    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ a: [1, 'ä😀'] })
  })

  test('makes a piece only when the last has been taken, and none once nobody listens', async () => {
    const made: number[] = []
    let isOver = false
    async function* numbers(): AsyncGenerator<string> {
      try {
        for (let i = 0; ; i += 1) {
          made.push(i)
          yield String(i)
        }
      } finally {
        isOver = true
      }
    }
    const reader = streamJson(numbers(), 'numbers').body?.getReader()

    expect(made).toEqual([])
    await reader?.read()
    await reader?.read()
    expect(made).toEqual([0, 1])
    await reader?.cancel()
    expect([made, isOver]).toEqual([[0, 1], true])
  })

  test('breaks off when going on fails, and says so in the log', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    async function* failing(): AsyncGenerator<string> {
      yield '['
      throw new Error('gone')
    }

    await expect(streamJson(failing(), 'numbers').text()).rejects.toThrow('gone')
    expect(logged).toHaveBeenCalledOnce()
    expect(logged.mock.calls[0]?.[0]).toContain('numbers broken off')
    logged.mockRestore()
  })
})
