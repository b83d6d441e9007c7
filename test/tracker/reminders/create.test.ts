import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { toDay } from '../../../src/platform/lib/time.ts'
import { insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { get, post } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const PATH = '/rest/reminder'

async function setReminder(more: Record<string, unknown> = {}) {
  const owner = await insertPerson()
  const bug = await insertBug()
  const body = { bug_id: bug.id, reminder_ts: '2099-12-24', ...more }
  return { owner, bug, answer: await post(owner, PATH, body) }
}

describe('POST /reminder', () => {
  test('creates a reminder, whose dates are days', async () => {
    const { owner, bug, answer } = await setReminder({ note: 'Look again.' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: expect.any(Number),
      bug_id: bug.id,
      note: 'Look again.',
      reminder_ts: '2099-12-24',
      creation_ts: expect.stringMatching(new RegExp(`^(${toDay(NOW)}|${toDay(NOW + 3600)})$`)),
      sent: false,
    })
    expect((await get(owner, `${PATH}/${answer.body.id}`)).body).toEqual(answer.body)
  })

  test('makes the reminder due at the beginning of its day in UTC', async () => {
    const { answer } = await setReminder({ reminder_ts: '2028-02-29' })
    expect(await loadRow('reminders', sql`id = ${answer.body.id}`)).toMatchObject({
      next_attempt_at: Date.UTC(2028, 1, 29) / 1000,
      remind_on: '2028-02-29',
      attempts: 0,
      done_at: null,
    })
  })

  test.each(['2001-01-01', '0001-01-01', toDay(NOW)])('accepts the past day %s', async (day) => {
    const { answer } = await setReminder({ reminder_ts: day })
    expect(answer.body).toMatchObject({ reminder_ts: day, sent: false })
  })

  test.each([
    ['without a note', {}, ''],
    ['with an empty note', { note: '' }, ''],
    ['with 255 characters', { note: '💡'.repeat(255) }, '💡'.repeat(255)],
    ['with HTML, which stays text', { note: '<b>Hi</b> & bye' }, '<b>Hi</b> & bye'],
    ['with line breaks', { note: 'one\r\ntwo\n' }, 'one\ntwo'],
  ])('keeps a note %s', async (_, more, note) => {
    expect((await setReminder(more)).answer.body.note).toBe(note)
  })

  test('takes a bug by its alias, and its number as text', async () => {
    const owner = await insertPerson()
    const bug = await insertBug()
    const alias = uniqueName('alias')
    await updateBugRow(bug.id, { alias, alias_fold: alias })
    for (const bug_id of [alias, String(bug.id), `#${bug.id}`]) {
      const { body } = await post(owner, PATH, { bug_id, reminder_ts: '2099-12-24' })
      expect(body.bug_id).toBe(bug.id)
    }
    // several for one bug are allowed
    expect((await get(owner, PATH)).body.reminders).toHaveLength(3)
  })

  test('shows the selected fields alone', async () => {
    const { answer } = await setReminder({ include_fields: 'id,sent,bogus' })
    expect(Object.keys(answer.body)).toEqual(['id', 'sent'])
  })

  test('refuses a bug that the caller does not see without a trace of it', async () => {
    const secret = await insertBug({ summary: 'Secret summary' })
    const outsider = await insertPerson()
    await updateBugRow(secret.id, { is_creator_accessible: 0 })
    await restrictBug(secret.id, await insertGroup())
    const body = { bug_id: secret.id, reminder_ts: '2099-12-24' }
    expect((await post(outsider, PATH, body)).text).not.toContain('Secret')
    expect((await post(secret.assignee, PATH, body)).status).toBe(200)
  })
})

describe('POST /reminder, when its owner waits for many', () => {
  /** Sets reminders where each person may wait for three; returns the numbers of faults, 0 for none. */
  async function setSome(owner: TestPerson, bug: TestBug, count: number): Promise<number[]> {
    const send = async () => {
      const answer = await fetchWith({ REMINDER_LIMIT: '3' }, PATH, {
        method: 'POST',
        headers: { 'x-tracker-api-key': owner.key },
        body: JSON.stringify({ bug_id: bug.id, reminder_ts: '2099-12-24' }),
      })
      const { code, message } = (await answer.json()) as { code?: number; message?: string }
      expect(message ?? 'REMINDER_LIMIT').toContain('REMINDER_LIMIT')
      return code ?? 0
    }
    return Promise.all(Array.from({ length: count }, send))
  }
  const countOf = async ({ id }: TestPerson) =>
    (await execute(sql`SELECT id FROM reminders WHERE user_id = ${id}`)).length

  test('refuses what is over the limit with 32000, however many are set at the same time', async () => {
    const [owner, bug] = [await insertPerson(), await insertBug()]
    const codes = await setSome(owner, bug, 6)
    expect(codes.sort((a, b) => a - b)).toEqual([0, 0, 0, 32_000, 32_000, 32_000])
    expect(await countOf(owner)).toBe(3)
  })

  test('counts neither those that were sent nor those of others', async () => {
    const [owner, other, bug] = [await insertPerson(), await insertPerson(), await insertBug()]
    await setSome(other, bug, 3)
    await setSome(owner, bug, 3)
    await execute(sql`UPDATE reminders SET done_at = ${NOW} WHERE user_id = ${owner.id}`)
    expect(await setSome(owner, bug, 1)).toEqual([0])
  })
})
