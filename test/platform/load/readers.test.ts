import { describe, expect, test } from 'vitest'
import {
  type AnswerCaller,
  countReader,
  countSender,
  hasRoomFor,
  limitBugs,
  limitChunk,
} from '../../../src/platform/load/readers.ts'

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

const person = (n: number) => ({ key: `person ${n}`, isPerson: true })

async function sendFor(
  count: number,
  callerOf: (n: number) => AnswerCaller,
): Promise<AsyncGenerator<string>[]> {
  const senders = Array.from({ length: count }, (_, n) => countSender(pieces(), callerOf(n)))
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

  test('leaves room for others beside a hundred answers of one caller, up to three hundred', async () => {
    const [one, another] = [person(1), person(2)]
    const senders = await sendFor(99, () => one)
    expect(hasRoomFor(one)).toBe(true)
    senders.push(...(await sendFor(1, () => one)))
    expect([hasRoomFor(one), hasRoomFor(another)]).toEqual([false, true])
    senders.push(...(await sendFor(199, (n) => person(100 + n))))
    // reads of few bugs keep nobody out
    senders.push(...(await sendUnread(1)))
    expect(hasRoomFor(another)).toBe(true)
    senders.push(...(await sendFor(1, () => person(3))))
    expect(hasRoomFor(another)).toBe(false)
    await Promise.all(senders.map((sender) => sender.return(undefined)))
    expect(hasRoomFor(one)).toBe(true)
  })

  test('leaves room for people beside two hundred answers without a login', async () => {
    const stranger = (n: number) => ({ key: `address ${n}`, isPerson: false })
    const senders = await sendFor(199, stranger)
    expect(hasRoomFor(stranger(500))).toBe(true)
    senders.push(...(await sendFor(1, () => stranger(200))))
    expect([hasRoomFor(stranger(500)), hasRoomFor(person(1))]).toEqual([false, true])
    await Promise.all(senders.map((sender) => sender.return(undefined)))
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
