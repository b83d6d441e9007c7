import { describe, expect, test } from 'vitest'
import {
  countReader,
  countSender,
  hasRoomFor,
  limitBugs,
  limitChunk,
} from '../../../src/platform/lib/chunk-limit.ts'

async function* pieces() {
  yield 'a'
  yield 'b'
}

/** Begins to send so many answers, of which each has sent one piece. */
async function sendUnread(count: number): Promise<AsyncGenerator<string>[]> {
  const senders = Array.from({ length: count }, () => countSender(pieces()))
  await Promise.all(senders.map((sender) => sender.next()))
  return senders
}

describe('the limit of one read of comments', () => {
  test('is six megabytes for who reads alone', async () => {
    const limit = await countReader(async () => limitChunk())
    expect(limit).toEqual({ bytes: 6_000_000, comments: 20_000 })
  })

  test('is shared by those who read at once', async () => {
    const limits = await Promise.all(
      Array.from({ length: 3 }, () => countReader(async () => limitChunk().bytes)),
    )
    expect(limits).toEqual([6_000_000, 3_000_000, 2_000_000])
    expect(limitChunk().bytes).toBe(6_000_000)
  })

  test('keeps a hundred unread responses within fifty megabytes', async () => {
    let held = 0
    const senders: AsyncGenerator<string>[] = []
    for (let n = 0; n < 100; n += 1) {
      held += await countReader(async () => limitChunk().bytes)
      senders.push(...(await sendUnread(1)))
    }
    expect(held).toBeLessThan(50_000_000)
    await Promise.all(senders.map((sender) => sender.return(undefined)))
  })

  test('leaves room for the answers of others beside a hundred of one caller, up to three hundred', async () => {
    const senders = Array.from({ length: 299 }, (_, n) =>
      countSender(pieces(), n < 100 ? 'one' : `other ${n}`),
    )
    const begun = async (from: number, to: number) => {
      await Promise.all(senders.slice(from, to).map((sender) => sender.next()))
    }
    await begun(0, 99)
    expect(hasRoomFor('one')).toBe(true)
    await begun(99, 299)
    expect([hasRoomFor('one'), hasRoomFor('another')]).toEqual([false, true])
    // reads of few bugs keep nobody out
    const readers = await sendUnread(1)
    expect(hasRoomFor('another')).toBe(true)
    const last = countSender(pieces(), 'last')
    await last.next()
    expect(hasRoomFor('another')).toBe(false)
    await Promise.all([...senders, ...readers, last].map((sender) => sender.return(undefined)))
    expect(hasRoomFor('one')).toBe(true)
  })

  test('leaves chunks of bugs whole for a few readers, and a tenth of one for many', async () => {
    const limits: number[] = []
    const senders: AsyncGenerator<string>[] = []
    for (let n = 0; n < 60; n += 1) {
      limits.push(limitBugs(50))
      senders.push(...(await sendUnread(1)))
    }
    expect(limits.slice(0, 5)).toEqual([50, 50, 50, 50, 40])
    expect(limits.at(-1)).toBe(5)
    await Promise.all(senders.map((sender) => sender.return(undefined)))
    expect(limitBugs(50)).toBe(50)
  })

  test('is whole again when answers have ended, were cancelled, have failed or never began', async () => {
    const [cancelled, ended] = await sendUnread(2)
    expect(limitChunk().bytes).toBe(3_000_000)
    await cancelled?.return(undefined)
    await ended?.next()
    await ended?.next()
    await countSender(pieces()).return(undefined)
    await countReader(() => Promise.reject(new Error('D1 is away'))).catch(() => {})

    expect(limitChunk().bytes).toBe(6_000_000)
  })
})
