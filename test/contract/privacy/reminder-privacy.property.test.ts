import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { deliverReminders } from '../../../src/tracker/reminders/deliver.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'
import { drawBatch } from '../../support/worlds/drawn-batch.ts'

/**
 * The reminders of everybody about every bug of worlds drawn by chance, as if each bug had been visible when they
 * were set. `VISIBILITY_SEED` repeats a run.
 */

const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = 20
const MAX_BATCH = 25

describe('no reminder reveals a bug that its owner does not see', () => {
  test(`in ${WORLDS} worlds around a few people, of seed ${SEED}`, async () => {
    const { worlds, people, oracle } = await drawBatch({ seed: SEED, number: 2000, worlds: WORLDS })
    const bugs = worlds.flatMap((world) => world.bugs)
    await execute(
      ...bugs.map(
        ({ id }) => sql`UPDATE bugs SET summary = ${`summary of ${id}`} WHERE id = ${id}`,
      ),
      ...people.map(
        (
          owner,
        ) => sql`INSERT INTO reminders (user_id, bug_id, note, remind_on, created_on, next_attempt_at)
          SELECT ${owner.id}, value, '', '2026-01-02', '2026-01-01', ${NOW}
          FROM json_each(${JSON.stringify(bugs.map(({ id }) => id))})`,
      ),
    )
    const rows = await execute(
      sql`SELECT id FROM reminders WHERE user_id IN (SELECT value
        FROM json_each(${JSON.stringify(people.map(({ id }) => id))}))`,
    )
    const box = buildMailService()
    for (let start = 0; start < rows.length; start += MAX_BATCH) {
      const ids = rows.slice(start, start + MAX_BATCH).map(({ id }) => Number(id))
      const outcomes = await deliverReminders(box.ctx(), { ids })
      expect(new Set(outcomes.values())).toEqual(new Set(['done']))
    }
    const sent = box.sent.map(({ to, subject, text }) => {
      const named = [...`${subject}\n${text}`.matchAll(/summary of (\d+)/g)].map(([, id]) => id)
      return `${to} ${/\d+/.exec(subject)?.[0]} ${[...new Set(named)]}`
    })
    const expected = people.flatMap((who) =>
      bugs
        .filter(({ id }) => oracle.sees(who, id))
        .map(({ id, groups }) => `${who.login} ${id} ${groups.length > 0 ? '' : id}`),
    )
    expect(sent.sort()).toEqual(expected.sort())
    expect(expected.length).toBeLessThan(rows.length)
  })
})
