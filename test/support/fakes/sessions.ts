import { env } from 'cloudflare:workers'
import { type DbSession, openSession } from '../../../src/platform/db/session.ts'

/** A session that runs `happens` once, right before the round trip with that number. */
export function openInterruptedSession(
  roundTrip: number,
  happens: () => Promise<unknown>,
): DbSession {
  let roundTrips = 0
  const wrap = (session: DbSession): DbSession => ({
    ...session,
    async send(statements) {
      roundTrips += 1
      if (roundTrips === roundTrip) {
        await happens()
      }
      return session.send(statements)
    },
    onPrimary: () => wrap(session.onPrimary()),
  })
  return wrap(openSession(env.DB, 'first-primary'))
}

/** A session in which the statement at that place of the round trip with that number fails. */
export function openFailingSession(
  roundTrip: number,
  place: number,
): DbSession & { readonly sent: number[] } {
  const session = openSession(env.DB, 'first-primary')
  const sent: number[] = []
  return {
    ...session,
    sent,
    async send(statements) {
      sent.push(statements.length)
      const wrong = session.prepare(`SELECT json_extract('{}', 'interrupted')`)
      return session.send(
        sent.length === roundTrip
          ? statements.with(Math.min(place, statements.length - 1), wrong)
          : statements,
      )
    },
  }
}

type Batch = (statements: D1PreparedStatement[]) => Promise<D1Result<unknown>[]>

/** The database with another way to make a round trip, which may `send` what it is given. */
export function interceptBatches(
  batch: (statements: D1PreparedStatement[], send: Batch) => Promise<unknown[]>,
) {
  return {
    withSession(constraint: string) {
      const session = env.DB.withSession(constraint)
      return {
        prepare: (text: string) => session.prepare(text),
        getBookmark: () => session.getBookmark(),
        batch: (statements: D1PreparedStatement[]) =>
          batch(statements, (all) => session.batch(all)),
      }
    },
  }
}

/** A database that fails as D1 does when it is out of reach. */
export const UNREACHABLE = interceptBatches(() =>
  Promise.reject(new Error('D1_ERROR: Network connection lost.')),
)
