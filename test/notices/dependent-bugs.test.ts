import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { put } from '../support/client.ts'
import { deliverNotice } from '../support/delivery.ts'
import { bug, changed, commented, notice, type TestBug, write } from '../support/happening.ts'
import { type Outbox, outbox } from '../support/outbox.ts'
import { alter, restrict } from '../support/reading.ts'
import { group, person, type TestPerson } from '../support/world.ts'

let author: TestPerson
let blocking: TestBug
let assignee: TestPerson
let member: TestPerson
let blocked: TestBug

beforeEach(async () => {
  author = await person({ roles: ['editbugs'] })
  blocking = await bug({ reporter: author, assignee: author })
  ;[assignee, member] = [await person(), await person()]
  blocked = await bug({ reporter: author, assignee, cc: [member] })
  await write(sql`INSERT INTO dependencies (bug_id, depends_on_id)
    VALUES (${blocked.id}, ${blocking.id})`)
})

/** Tells of a change of the blocking bug, with a comment. */
async function told(field: string, removed: string, added: string): Promise<Outbox> {
  const id = await notice(blocking, author)
  await changed(blocking, author, id, field, removed, added)
  await changed(blocking, author, id, 'whiteboard', '', '[secret plan]')
  await commented(blocking, author, id, 'At length.')
  const box = outbox()
  expect(await deliverNotice(box.ctx(), id)).toBe('settled')
  return box
}

const readers = ({ sent }: Outbox) => sent.map(({ to }) => to).sort()

describe('that a bug opens or closes tells', () => {
  test.each([
    ['CONFIRMED', 'RESOLVED'],
    ['VERIFIED', 'UNCONFIRMED'],
  ])('the people of the bugs that it blocks, of that alone: %s to %s', async (from, to) => {
    const box = await told('status', from, to)
    expect(readers(box)).toEqual([assignee.login, member.login].sort())
    const { subject, text = '', headers } = box.mailTo(assignee.login) ?? {}
    expect(subject).toBe(`[Bug ${blocking.id}] ${blocking.summary}`)
    expect(text).toContain(`Status|${from}`)
    expect(text).toContain(`[Bug ${blocked.id}] ${blocked.summary}`)
    expect(text).toContain('concerned with a bug that it blocks')
    expect(text).not.toContain('secret plan')
    expect(text).not.toContain('At length.')
    expect(headers).toMatchObject({
      'X-Tracker-Reason': 'Blocked',
      'X-Tracker-Changed-Field-Names': 'status',
    })
  })

  test('each person once, as what they are to the bug itself', async () => {
    await write(sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${blocking.id}, ${assignee.id})`)
    const box = await told('status', 'CONFIRMED', 'RESOLVED')
    expect(readers(box)).toEqual([assignee.login, member.login].sort())
    expect(box.mailTo(assignee.login)?.text).toContain('At length.')
    expect(box.mailTo(assignee.login)?.headers['X-Tracker-Reason']).toBe('CC')
  })

  test('when it is closed through the API, without a change of the blocked bug', async () => {
    const before = await write(sql`SELECT changed_at FROM bugs WHERE id = ${blocked.id}`)
    const body = { status: 'RESOLVED', resolution: 'FIXED' }
    expect((await put(author, `/rest/bug/${blocking.id}`, body)).status).toBe(200)
    const [row] = await write(sql`SELECT max(id) AS id FROM notices WHERE bug_id = ${blocking.id}`)
    const box = outbox()
    await deliverNotice(box.ctx(), Number(row?.id))
    expect(readers(box)).toEqual([assignee.login, member.login].sort())
    expect(box.mailTo(member.login)?.text).toMatch(/Resolution\|\s+\|FIXED/)
    expect(await write(sql`SELECT changed_at FROM bugs WHERE id = ${blocked.id}`)).toEqual(before)
    expect(await write(sql`SELECT 1 FROM notices WHERE bug_id = ${blocked.id}`)).toEqual([])
  })
})

describe('that a bug opens or closes hides', () => {
  test('any other change from the people of the bugs that it blocks', async () => {
    expect((await told('status', 'CONFIRMED', 'IN_PROGRESS')).sent).toEqual([])
    expect((await told('summary', 'CONFIRMED', 'RESOLVED')).sent).toEqual([])
  })

  test('itself from those who do not see it', async () => {
    await restrict(blocking.id, await group([member]))
    expect(readers(await told('status', 'CONFIRMED', 'RESOLVED'))).toEqual([member.login])
  })

  test('the blocked bug from those who no longer see that', async () => {
    await restrict(blocked.id, await group())
    await alter(blocked.id, { is_cc_accessible: 0 })
    expect(readers(await told('status', 'CONFIRMED', 'RESOLVED'))).toEqual([assignee.login])
  })

  test('itself from those who do not want to hear of dependencies', async () => {
    await write(sql`INSERT INTO mail_preferences (user_id, role, event, wanted)
      VALUES (${member.id}, 'cc', 'dependencies', 0)`)
    expect(readers(await told('status', 'CONFIRMED', 'RESOLVED'))).toEqual([assignee.login])
  })
})
