import type { DbSession } from './session.ts'

type Waiting = {
  readonly statements: D1PreparedStatement[]
  resolve(results: D1Result<unknown>[]): void
  reject(error: unknown): void
}

/**
 * More steps than a verb awaits before it reads, when nothing of it waits for anything outside. A timer would wait for
 * more, but takes two milliseconds of each page.
 */
const STEPS = 100

async function afterMicrotasks(act: () => Promise<void>): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    await null
  }
  await act()
}

/**
 * A session for reads alone: what verbs that run side by side read travels in one round trip, and comes from one state
 * of the database.
 */
export function joinReads(session: DbSession): DbSession {
  let waiting: Waiting[] = []
  const flush = async () => {
    const joined = waiting
    waiting = []
    try {
      const results = await session.send(joined.flatMap(({ statements }) => statements))
      let start = 0
      for (const { statements, resolve } of joined) {
        resolve(results.slice(start, start + statements.length))
        start += statements.length
      }
    } catch (error) {
      for (const { reject } of joined) {
        reject(error)
      }
    }
  }
  return {
    ...session,
    send: (statements) =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, resolve, reject })
        if (waiting.length === 1) {
          void afterMicrotasks(flush)
        }
      }),
    onPrimary: () => joinReads(session.onPrimary()),
  }
}
