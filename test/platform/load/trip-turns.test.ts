import { expect, test } from 'vitest'
import { takeTripTurn } from '../../../src/platform/load/trip-turns.ts'
import { uniqueName } from '../../support/builders/unique.ts'

const FIRST = { n: 1, statements: 1 }

function result(duration: number, rows: object[] = []): D1Result<unknown>[] {
  return [{ success: true, results: rows, meta: { duration } } as D1Result<unknown>]
}

/** Sends trips for one address, each of which ends when it is told to. */
function createTrips(address = uniqueName('address')) {
  const begun: (() => void)[] = []
  const send = (answer: D1Result<unknown>[], owner = 'a') =>
    takeTripTurn({ address, owner }, FIRST, () => {
      const { promise, resolve } = Promise.withResolvers<D1Result<unknown>[]>()
      begun.push(() => resolve(answer))
      return promise
    })
  return {
    begun,
    send,
    async complete(answer: D1Result<unknown>[]) {
      const sent = send(answer)
      await expect.poll(() => begun.length).toBe(1)
      begun.pop()?.()
      await sent
    },
  }
}

async function endAll(begun: (() => void)[], sent: Promise<unknown>[]): Promise<void> {
  let isDone = false
  const all = Promise.all(sent).then(() => {
    isDone = true
  })
  while (!isDone) {
    begun.pop()?.()
    await scheduler.wait(1)
  }
  await all
}

test('a trip that was short the last time waits for nothing, however many there are', async () => {
  const { begun, send, complete } = createTrips()
  await complete(result(1))
  const sent = Array.from({ length: 50 }, () => send(result(1)))
  expect(begun).toHaveLength(50)
  await endAll(begun, sent)
})

test.each([
  ['in the database', result(60)],
  [
    'in its rows',
    result(
      1,
      Array.from({ length: 20_000 }, () => ({ id: 1 })),
    ),
  ],
  ['in one long row', result(1, [{ json: 'x'.repeat(2_000_000) }])],
])('trips that took long %s go one after the other', async (_, answer) => {
  const { begun, send, complete } = createTrips()
  await complete(answer)
  const sent = Array.from({ length: 3 }, () => send(answer))
  await expect.poll(() => begun.length).toBe(1)
  await scheduler.wait(20)
  expect(begun).toHaveLength(1)
  await endAll(begun, sent)
})

test('several that took a little longer go at once', async () => {
  const { begun, send, complete } = createTrips()
  await complete(result(11))
  const sent = Array.from({ length: 9 }, () => send(result(11)))
  await expect.poll(() => begun.length).toBe(4)
  await endAll(begun, sent)
})

test('one long answer of many short ones is taken for the noise of a busy computer', async () => {
  const { begun, send, complete } = createTrips()
  await complete(result(1))
  await complete(result(90))
  const sent = Array.from({ length: 10 }, () => send(result(1)))
  expect(begun).toHaveLength(10)
  await endAll(begun, sent)
})

test('of an address that nobody has asked for, a few go at once; the others learn from them', async () => {
  const { begun, send } = createTrips()
  const sent = Array.from({ length: 10 }, () => send(result(1)))
  await scheduler.wait(20)
  expect(begun).toHaveLength(4)
  begun.pop()?.()
  // they are short, and none waits any longer
  await expect.poll(() => begun.length).toBe(9)
  await endAll(begun, sent)
})

test('of an address that turns out to take long, those who wait go one after the other', async () => {
  const { begun, send } = createTrips()
  const sent = Array.from({ length: 10 }, () => send(result(60)))
  await scheduler.wait(20)
  expect(begun).toHaveLength(4)
  for (const end of begun.splice(0)) {
    end()
  }
  await expect.poll(() => begun.length).toBe(1)
  await scheduler.wait(20)
  expect(begun).toHaveLength(1)
  await endAll(begun, sent)
})

test('a trip that fails leaves its place to the next one', async () => {
  const source = { address: uniqueName('address'), owner: 'a' }
  for (let n = 0; n < 6; n += 1) {
    await expect(
      takeTripTurn(source, FIRST, () => Promise.reject(new Error('no database'))),
    ).rejects.toThrow('no database')
  }
  expect(await takeTripTurn(source, FIRST, async () => result(2))).toEqual(result(2))
})

test('of addresses that one owner has not asked for, a few go at once, and others do not wait for them', async () => {
  const begun: (() => void)[] = []
  const send = (owner: string) =>
    takeTripTurn({ address: uniqueName('address'), owner }, FIRST, () => {
      const { promise, resolve } = Promise.withResolvers<D1Result<unknown>[]>()
      begun.push(() => resolve(result(1)))
      return promise
    })
  const sent = Array.from({ length: 20 }, () => send('many'))
  await scheduler.wait(20)
  expect(begun).toHaveLength(8)
  const other = send('other')
  await expect.poll(() => begun.length).toBe(9)
  await endAll(begun, [...sent, other])
})

test('of those of one owner, nobody is overtaken by more than a few', async () => {
  const begun: number[] = []
  const send = (n: number) =>
    takeTripTurn({ address: uniqueName('address'), owner: 'one' }, FIRST, async () => {
      begun.push(n)
      await scheduler.wait(1)
      return result(1)
    })
  await Promise.all(Array.from({ length: 60 }, (_, n) => send(n)))
  expect(Math.max(...begun.map((n, at) => at - n))).toBeLessThan(20)
})

test('what the first trip of an unknown caller took tells nothing about that of a known one', async () => {
  const source = { address: uniqueName('address'), owner: 'a' }
  await takeTripTurn(source, { n: 1, statements: 1 }, async () => result(1))
  await takeTripTurn(source, { n: 1, statements: 4 }, async () => result(60))
  let begun = 0
  const sent = Array.from({ length: 3 }, () =>
    takeTripTurn(source, { n: 1, statements: 4 }, async () => {
      begun += 1
      await scheduler.wait(30)
      return result(60)
    }),
  )
  await expect.poll(() => begun).toBe(1)
  await scheduler.wait(10)
  expect(begun).toBe(1)
  await Promise.all(sent)
})
