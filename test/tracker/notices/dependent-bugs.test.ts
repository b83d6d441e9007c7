import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { selectPeopleOfBlockedBugs } from '../../../src/tracker/notices/dependent-bugs.ts'
import { insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertComment, insertNotice, insertNoticed } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { put } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import {
  buildMailService,
  deliverNotice,
  type FakeMailService,
} from '../../support/fakes/mail-service.ts'

let author: TestPerson
let blocking: TestBug
let assignee: TestPerson
let member: TestPerson
let blocked: TestBug

beforeEach(async () => {
  author = await insertPerson({ roles: ['editbugs'] })
  blocking = await insertBug({ reporter: author, assignee: author })
  ;[assignee, member] = [await insertPerson(), await insertPerson()]
  blocked = await insertBug({ reporter: author, assignee, cc: [member] })
  await execute(sql`INSERT INTO dependencies (bug_id, depends_on_id)
    VALUES (${blocked.id}, ${blocking.id})`)
})

/** Records a change of the blocking bug, with a comment. */
async function deliverChange(
  field: string,
  removed: string,
  added: string,
): Promise<FakeMailService> {
  const id = await insertNotice(blocking, author)
  await insertNoticed(
    id,
    blocking,
    author,
    [field, removed, added],
    ['whiteboard', '', '[secret plan]'],
  )
  await insertComment(blocking, author, { noticeId: id, body: 'At length.' })
  const box = buildMailService()
  expect(await deliverNotice(box.ctx(), id)).toBe('done')
  return box
}

const readers = ({ sent }: FakeMailService) => sent.map(({ to }) => to).sort()

describe('mail about a bug that opens or closes reaches', () => {
  test.each([
    ['CONFIRMED', 'RESOLVED', 'closed'],
    ['VERIFIED', 'UNCONFIRMED', 'opened again'],
  ])('the people of the bugs that it blocks, about those: %s to %s', async (from, to, news) => {
    const box = await deliverChange('status', from, to)
    expect(readers(box)).toEqual([assignee.login, member.login].sort())
    const { subject, text = '', headers } = box.mailTo(assignee.login) ?? {}
    expect(subject).toBe(`[Bug ${blocked.id}] ${blocked.summary}`)
    expect(text).toMatch(new RegExp(`^https://tracker.test/bug/${blocked.id}\n`))
    expect(text).toContain(`Bug ${blocked.id} depends on bug ${blocking.id}, which was ${news}.\n`)
    expect(text).toContain(`${author.login}> changed bug ${blocking.id}:`)
    expect(text).toContain(`Status|${from}`)
    expect(text).toContain(`[Bug ${blocking.id}] ${blocking.summary}`)
    expect(text).toContain('your part in the bug: assignee.')
    expect(text).not.toContain('secret plan')
    expect(text).not.toContain('At length.')
    expect(headers).toMatchObject({
      'X-Tracker-Type': 'dep_changed',
      'X-Tracker-ID': String(blocked.id),
      References: `<bug-${blocked.id}-${assignee.id}@tracker.test>`,
      'X-Tracker-Reason': 'AssignedTo',
      'X-Tracker-Watch-Reason': 'None',
      'X-Tracker-Changed-Field-Names': 'status',
    })
  })

  test('somebody with parts in several of these bugs, once about each', async () => {
    const other = await insertBug({ reporter: author, assignee })
    await execute(sql`INSERT INTO dependencies (bug_id, depends_on_id)
      VALUES (${other.id}, ${blocking.id})`)
    const box = await deliverChange('status', 'CONFIRMED', 'RESOLVED')
    const own = box.sent.filter(({ to }) => to === assignee.login)
    expect(own.map(({ subject }) => subject).sort()).toEqual(
      [blocked, other].map(({ id, summary }) => `[Bug ${id}] ${summary}`).sort(),
    )
    const [row] = await execute(sql`SELECT done_at FROM notices WHERE bug_id = ${blocking.id}`)
    expect(row?.done_at).not.toBeNull()
  })

  test('each person once, by their role in the bug itself', async () => {
    await execute(sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${blocking.id}, ${assignee.id})`)
    const box = await deliverChange('status', 'CONFIRMED', 'RESOLVED')
    expect(readers(box)).toEqual([assignee.login, member.login].sort())
    expect(box.mailTo(assignee.login)?.text).toContain('At length.')
    expect(box.mailTo(assignee.login)?.headers['X-Tracker-Reason']).toBe('CC')
  })

  test('when it is closed through the API, without a change of the blocked bug', async () => {
    const before = await execute(sql`SELECT changed_at FROM bugs WHERE id = ${blocked.id}`)
    const body = { status: 'RESOLVED', resolution: 'FIXED' }
    expect((await put(author, `/rest/bug/${blocking.id}`, body)).status).toBe(200)
    const [row] = await execute(
      sql`SELECT max(id) AS id FROM notices WHERE bug_id = ${blocking.id}`,
    )
    const box = buildMailService()
    await deliverNotice(box.ctx(), Number(row?.id))
    expect(readers(box)).toEqual([assignee.login, member.login].sort())
    expect(box.mailTo(member.login)?.text).toMatch(/Resolution\|\s+\|FIXED/)
    expect(await execute(sql`SELECT changed_at FROM bugs WHERE id = ${blocked.id}`)).toEqual(before)
    expect(await execute(sql`SELECT 1 FROM notices WHERE bug_id = ${blocked.id}`)).toEqual([])
  })
})

test('of very many people of blocked bugs, those of the newest bugs hear of it', async () => {
  const newest = await insertBug({ reporter: author, assignee: author, cc: [assignee, member] })
  await execute(sql`INSERT INTO dependencies (bug_id, depends_on_id)
    VALUES (${newest.id}, ${blocking.id})`)
  const id = await insertNotice(blocking, author)
  await insertNoticed(id, blocking, author, ['status', 'CONFIRMED', 'RESOLVED'])
  const listBugs = async (most: number) => {
    const rows = await execute(selectPeopleOfBlockedBugs(jsonList([id]), most))
    return rows.map(({ role, blocked_id }) => [role, blocked_id]).sort()
  }

  expect(await listBugs(2)).toEqual(
    ['assignee', 'cc', 'cc', 'reporter'].map((role) => [role, newest.id]),
  )
  expect(await listBugs(4)).toHaveLength(7)
})

describe('mail about a bug that opens or closes hides', () => {
  test('any other change from the people of the bugs that it blocks', async () => {
    expect((await deliverChange('status', 'CONFIRMED', 'IN_PROGRESS')).sent).toEqual([])
    expect((await deliverChange('summary', 'CONFIRMED', 'RESOLVED')).sent).toEqual([])
  })

  test('itself from those who do not see it', async () => {
    await restrictBug(blocking.id, await insertGroup([member]))
    expect(readers(await deliverChange('status', 'CONFIRMED', 'RESOLVED'))).toEqual([member.login])
  })

  test('the blocked bug from those who no longer see that', async () => {
    await restrictBug(blocked.id, await insertGroup())
    await updateBugRow(blocked.id, { is_cc_accessible: 0 })
    expect(readers(await deliverChange('status', 'CONFIRMED', 'RESOLVED'))).toEqual([
      assignee.login,
    ])
  })

  test('itself from those who want no mail about dependencies', async () => {
    await execute(sql`INSERT INTO mail_preferences (user_id, role, event, wanted)
      VALUES (${member.id}, 'cc', 'dependencies', 0)`)
    expect(readers(await deliverChange('status', 'CONFIRMED', 'RESOLVED'))).toEqual([
      assignee.login,
    ])
  })
})
