import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { joinReads } from '../../../src/platform/db/join-reads.ts'
import { readBatch, selectOf } from '../../../src/platform/db/read-batch.ts'
import { openSession } from '../../../src/platform/db/session.ts'
import { sql } from '../../../src/platform/db/sql.ts'

function readNumber(session: ReturnType<typeof openSession>, n: number) {
  return readBatch({ session }, { rows: selectOf({ n: sql<number>`${n}` }, sql``) })
}

test('reads that run side by side take one round trip, later ones another', async () => {
  const session = joinReads(openSession(env.DB, 'first-unconstrained'))
  const both = await Promise.all([1, 2].map(async (n) => (await readNumber(session, n)).rows))
  expect(both).toEqual([[{ n: 1 }], [{ n: 2 }]])
  expect(session.cost.trips).toBe(1)
  await readNumber(session, 3)
  expect(session.cost).toMatchObject({ trips: 2, statements: 3 })
})

test('a read that fails fails all that travel with it', async () => {
  const session = joinReads(openSession(env.DB, 'first-unconstrained'))
  const wrong = readBatch({ session }, { rows: selectOf({ n: sql<number>`nothing` }, sql``) })
  const results = await Promise.allSettled([readNumber(session, 1), wrong])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
