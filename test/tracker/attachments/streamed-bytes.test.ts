import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { attachmentLost } from '../../../src/tracker/attachments/faults.ts'
import { StreamedBytes } from '../../../src/tracker/attachments/streamed-bytes.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { onPrimary } from '../../support/database/statements.ts'

/** Keeps so many bytes; answers where, and them as base64. */
async function kept(size: number) {
  const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 255)
  const objectKey = uniqueName('object')
  await env.FILES.put(objectKey, bytes)
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return { place: { id: 1, objectKey, size }, base64: btoa(text) }
}

/** Somebody without credentials who reads from a bucket. */
function readerOf(files: R2Bucket) {
  return {
    ...onPrimary(),
    env: { ...env, FILES: files },
    caller: ANONYMOUS,
    ip: '192.0.2.1',
  }
}

const LOST = { id: 7, objectKey: 'no-such-object', size: 1 }

describe('an answer with gaps', () => {
  test('is given back as it is when there are none', async () => {
    const answer = { a: 1 }
    expect(await new StreamedBytes().respond(readerOf(env.FILES), answer)).toBe(answer)
  })

  test('is filled with bytes of any length, small and large, in their order', async () => {
    const sizes = [0, 1, 300_000, 2, 256 * 1024, 256 * 1024 + 1, 49_152 * 6, 3, 400_001]
    const all = await Promise.all(sizes.map(kept))
    const gaps = new StreamedBytes()
    const files = all.map(({ place }, i) => ({
      i,
      data: gaps.addPlaceholder(place),
      name: '"data":"x"',
    }))
    const filled = await gaps.respond(readerOf(env.FILES), { files })
    expect(filled).toBeInstanceOf(Response)
    const streamed = JSON.parse(await (filled as Response).text())
    const wanted = all.map(({ base64 }, i) => ({ i, data: base64, name: '"data":"x"' }))
    expect(JSON.stringify(streamed) === JSON.stringify({ files: wanted })).toBe(true)
  })

  test('reads a few objects at once, together with others', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => kept(10)))
    let open = 0
    let most = 0
    const files = {
      async get(key: string) {
        open += 1
        most = Math.max(most, open)
        const object = await env.FILES.get(key)
        open -= 1
        return object
      },
    } as unknown as R2Bucket
    const answers = Array.from({ length: 3 }, async () => {
      const gaps = new StreamedBytes()
      const data = all.map(({ place }) => gaps.addPlaceholder(place))
      const filled = await gaps.respond(readerOf(files), { data })
      expect(JSON.parse(await (filled as Response).text())).toEqual({
        data: all.map(({ base64 }) => base64),
      })
    })
    await Promise.all(answers)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
  })

  test('is an error when its only bytes are lost', async () => {
    const gaps = new StreamedBytes()
    const answer = { data: gaps.addPlaceholder(LOST) }
    await expect(gaps.respond(readerOf(env.FILES), answer)).rejects.toMatchObject({
      kind: attachmentLost,
    })
  })

  test.each(['first', 'last'])(
    'has null for bytes that are lost, when they are the %s',
    async (place) => {
      const { place: there, base64 } = await kept(5)
      const refs = place === 'first' ? [LOST, there] : [there, LOST]
      const gaps = new StreamedBytes()
      const filled = await gaps.respond(readerOf(env.FILES), {
        data: refs.map((ref) => gaps.addPlaceholder(ref)),
      })
      const streamed = JSON.parse(await (filled as Response).text())
      expect(streamed).toEqual({ data: refs.map((ref) => (ref === LOST ? null : base64)) })
    },
  )

  test('aborts when the bucket fails later, so that no client takes a part for the whole', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => kept(5)))
    let calls = 0
    const files = {
      async get(key: string) {
        calls += 1
        if (calls > 5) {
          throw new Error('unavailable')
        }
        return env.FILES.get(key)
      },
    } as unknown as R2Bucket
    const gaps = new StreamedBytes()
    const filled = await gaps.respond(readerOf(files), {
      data: all.map(({ place }) => gaps.addPlaceholder(place)),
    })
    await expect((filled as Response).text()).rejects.toThrow()
  })
})
