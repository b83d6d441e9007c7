import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertReminder } from '../../support/builders/later-work.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const PATH = '/rest/reminder'

const owner = await insertPerson()
const bug = await insertBug()
const ids: { waiting: number; sent: number; failing: number; givenUp: number } = {
  waiting: await insertReminder(bug, owner, { note: 'first' }),
  sent: await insertReminder(bug, owner, { doneAt: NOW - 60, attempts: 1 }),
  failing: await insertReminder(bug, owner, { attempts: 1, lastError: 'not accepted' }),
  givenUp: await insertReminder(bug, owner, { doneAt: NOW, attempts: 14, lastError: 'no' }),
}
// those of others
await insertReminder(bug, await insertPerson())

describe('GET /reminder', () => {
  test('lists the reminders of the caller by number, those that were sent too', async () => {
    const { body } = await get(owner, PATH)
    expect(body.reminders.map(({ id, sent }: { id: number; sent: boolean }) => [id, sent])).toEqual(
      [
        [ids.waiting, false],
        [ids.sent, true],
        [ids.failing, false],
        [ids.givenUp, false],
      ],
    )
    expect(body.reminders[0]).toEqual({
      id: ids.waiting,
      bug_id: bug.id,
      note: 'first',
      reminder_ts: '2026-01-02',
      creation_ts: '2026-01-01',
      sent: false,
    })
  })

  test('ignores the parameter all, which other trackers know, and selects fields', async () => {
    const { body } = await get(owner, `${PATH}?all=1&include_fields=id`)
    expect(body.reminders).toEqual(Object.values(ids).map((id) => ({ id })))
    expect((await get(await insertPerson(), PATH)).body).toEqual({ reminders: [] })
  })

  test('pages by number', async () => {
    const page = async (query: string) =>
      (await get(owner, `${PATH}?include_fields=id&${query}`)).body.reminders
    const all = Object.values(ids).map((id) => ({ id }))
    expect(await page('limit=2')).toEqual(all.slice(0, 2))
    expect(await page('limit=2&offset=1')).toEqual(all.slice(1, 3))
    expect(await page('limit=9&offset=9')).toEqual([])
  })

  test('leaves out the oldest that were sent where it would answer more than 5,000', async () => {
    const [busy, about] = [await insertPerson(), await insertBug()]
    const [sent, waiting] = [
      await insertReminder(about, busy, { doneAt: NOW }),
      await insertReminder(about, busy),
    ]
    await execute(sql`INSERT INTO reminders (user_id, bug_id, note, remind_on, created_on, next_attempt_at, done_at)
      SELECT ${busy.id}, ${about.id}, '', '2026-01-02', '2026-01-01', ${NOW}, ${NOW}
      FROM json_each(${JSON.stringify(Array.from({ length: 4999 }, () => 0))})`)
    const { body } = await get(busy, `${PATH}?include_fields=id`)
    const numbers: number[] = body.reminders.map(({ id }: { id: number }) => id)
    expect(numbers).toHaveLength(5000)
    expect(numbers[0]).toBe(waiting)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect((await get(busy, `${PATH}?include_fields=id&limit=1`)).body.reminders).toEqual([
      { id: sent },
    ])
    await execute(sql`DELETE FROM reminders WHERE user_id = ${busy.id}`)
  })

  test('reads no rows of others', async () => {
    const before = (await get(owner, PATH)).cost.read
    const other = await insertPerson()
    for (let n = 0; n < 20; n += 1) {
      await insertReminder(bug, other)
    }
    expect((await get(owner, PATH)).cost.read).toBe(before)
  })
})

describe('GET /reminder/{id}', () => {
  test('shows a reminder of the caller, sent or not, even of a bug that is hidden by now', async () => {
    const secret = await insertBug({ summary: 'Tulips' })
    const id = await insertReminder(secret, owner)
    await restrictBug(secret.id, await insertGroup())
    const { body, text } = await get(owner, `${PATH}/${id}`)
    expect(body).toMatchObject({ id, bug_id: secret.id, sent: false })
    expect(text).not.toContain('Tulips')
    expect((await get(owner, `${PATH}/${ids.sent}`)).body).toMatchObject({ sent: true })
  })

  test('refuses the reminder of another person in the words of one that does not exist', async () => {
    const stranger = await insertPerson({ roles: ['admin'] })
    const foreign = await get(stranger, `${PATH}/${ids.sent}`)
    const missing = await get(stranger, `${PATH}/999999999`)
    expect(foreign.text.replace(String(ids.sent), 'N')).toBe(missing.text.replace('999999999', 'N'))
  })
})
