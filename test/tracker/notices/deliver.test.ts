import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { deliverNotices } from '../../../src/tracker/notices/deliver.ts'
import { buildBugBody, insertBug } from '../../support/builders/bugs.ts'
import { insertComment, insertNotice, insertNoticed } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { post, put } from '../../support/client.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'

const noticeRow = (id: number) => loadRow('notices', sql`id = ${id}`)
const logins = (people: TestPerson[]) => people.map(({ login }) => login).sort()

describe('the delivery of a notice mails', () => {
  test('everybody involved except its author gets one mail about a change, with all reasons', async () => {
    const [author, assignee, member, qaContact] = await Promise.all([
      insertPerson(),
      insertPerson(),
      insertPerson(),
      insertPerson(),
    ])
    const about = await insertBug({
      reporter: author,
      assignee,
      qaContact,
      cc: [assignee, member, author],
    })
    const id = await insertNotice(about, author)
    await insertNoticed(id, about, author, ['status', 'CONFIRMED', 'RESOLVED'])
    await insertComment(about, author, { noticeId: id, body: 'Fixed by turning it off and on.' })
    const box = buildMailService()

    expect(await deliverNotice(box.ctx(), id)).toBe('done')

    expect(box.sent.map(({ to }) => to).sort()).toEqual(logins([assignee, member, qaContact]))
    const mail = box.mailTo(assignee.login)
    expect(mail?.subject).toBe(`[Bug ${about.id}] ${about.summary}`)
    expect(mail?.text).toContain(`https://tracker.test/bug/${about.id}\n`)
    expect(mail?.text).toMatch(/^ {13}Status\|CONFIRMED {19}\|RESOLVED$/m)
    expect(mail?.text).toContain('Fixed by turning it off and on.')
    expect(mail?.headers).toMatchObject({
      'X-Tracker-Reason': 'AssignedTo CC',
      'X-Tracker-Type': 'changed',
      'X-Tracker-Changed-Field-Names': 'status comment',
      'X-Tracker-Who': author.login,
    })
    expect(await noticeRow(id)).toMatchObject({ attempts: 1, lease_until: null })
    expect((await noticeRow(id))?.done_at).not.toBeNull()
  })

  test('somebody who was just removed from the people of a bug gets mail about it as well', async () => {
    const [author, before, gone, off] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const about = await insertBug({ reporter: author, assignee: author })
    const id = await insertNotice(about, author)
    await insertNoticed(
      id,
      about,
      author,
      ['assigned_to', before.login, author.login],
      ['qa_contact', off.login, ''],
      ['cc', `${gone.login}, nobody@example.test`, ''],
    )
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to).sort()).toEqual(logins([before, gone, off]))
    expect(box.mailTo(before.login)?.headers['X-Tracker-Reason']).toBe('AssignedTo')
    expect(box.mailTo(off.login)?.headers['X-Tracker-Reason']).toBe('QAcontact')
    expect(box.mailTo(gone.login)?.headers['X-Tracker-Reason']).toBe('CC')
  })

  test('a new bug is shown with its values and its description', async () => {
    const [author, assignee] = [await insertPerson(), await insertPerson()]
    const about = await insertBug({ reporter: author, assignee })
    const id = await insertNotice(about, author, { kind: 'created' })
    await insertComment(about, author, { noticeId: id, body: 'It does not start.' })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent).toHaveLength(1)
    expect(box.sent[0]?.subject).toBe(`[Bug ${about.id}] New: ${about.summary}`)
    expect(box.sent[0]?.text).toMatch(/^ {11}Priority: P1$/m)
    expect(box.sent[0]?.text).toContain('\n\nIt does not start.\n\n')
    expect(box.sent[0]?.headers).toMatchObject({
      'X-Tracker-Type': 'new',
      References: `<bug-${about.id}-${assignee.id}@tracker.test>`,
    })
  })

  test('preferences that somebody set stand above the defaults', async () => {
    const [author, quiet, curious] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const about = await insertBug({ reporter: author, assignee: quiet, cc: [curious] })
    const id = await insertNotice(about, author)
    await insertNoticed(
      id,
      about,
      author,
      ['cc', '', 'somebody@example.test'],
      ['keywords', '', 'crash'],
    )
    await execute(
      sql`INSERT INTO mail_preferences (user_id, role, event, wanted) VALUES
        (${quiet.id}, 'assignee', 'keywords', 0), (${author.id}, 'reporter', 'by_me', 1)`,
    )
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to).sort()).toEqual(logins([author, curious]))
  })

  test('a minor change is done without a mail', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author })
    const id = await insertNotice(about, author, { isMinor: true })
    await insertComment(about, author, { noticeId: id, body: 'typo' })
    const box = buildMailService()

    expect(await deliverNotice(box.ctx(), id)).toBe('done')

    expect(box.sent).toEqual([])
    expect((await noticeRow(id))?.done_at).not.toBeNull()
  })

  test('without a sender nothing is sent, and the notice is done', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author })
    const id = await insertNotice(about, author)
    await insertComment(about, author, { noticeId: id, body: 'anything' })
    const box = buildMailService({ MAIL_FROM: '' })

    expect(await deliverNotice(box.ctx(), id)).toBe('done')

    expect(box.sent).toEqual([])
    expect((await noticeRow(id))?.done_at).not.toBeNull()
  })
})

describe('a write through the API', () => {
  test('a filed, changed and discussed bug is shown step by step', async () => {
    const [author, assignee, added] = [
      await insertPerson({ roles: ['editbugs'] }),
      await insertPerson(),
      await insertPerson(),
    ]
    const place = await insertProduct({ assignee })
    const filed = await post(
      author,
      '/rest/bug',
      buildBugBody(place, { description: 'It is dark.' }),
    )
    const { id } = filed.body
    await put(author, `/rest/bug/${id}`, {
      status: 'RESOLVED',
      resolution: 'FIXED',
      cc: { add: [added.login] },
      comment: { body: 'New bulb.' },
    })
    await post(author, `/rest/bug/${id}/comment`, { comment: 'Works.' })
    await put(author, `/rest/bug/${id}`, { cc: { remove: [added.login] } })
    const waiting = await execute(sql`SELECT id FROM notices WHERE bug_id = ${id} ORDER BY id`)

    const steps: { to: string; text: string }[][] = []
    for (const { id: noticeId } of waiting) {
      const box = buildMailService()
      await deliverNotice(box.ctx(), Number(noticeId))
      steps.push(box.sent)
    }

    const [onFiling = [], onChange = [], onComment = [], onRemoval = []] = steps
    expect(steps).toHaveLength(4)
    expect(onFiling.map(({ to }) => to)).toEqual([assignee.login])
    expect(onFiling[0]?.text).toContain('It is dark.')
    // the last step removed this person from the list before any mail was sent
    expect(onChange.map(({ to }) => to)).toEqual([assignee.login])
    expect(onChange[0]?.text).toMatch(/Resolution\|\s*\|FIXED\n[\s\S]*New bulb\./)
    expect(onComment[0]?.text).toContain('--- Comment #2 from')
    expect(onRemoval.map(({ to }) => to)).toEqual([added.login])
  })

  test.each([
    ['depends_on', (other: number) => ({ depends_on: { add: [other] } })],
    ['depends_on, which ends', (other: number) => ({ depends_on: { remove: [other] } }), true],
    ['regressed_by', (other: number) => ({ regressed_by: { add: [other] } })],
    ['dupe_of', (other: number) => ({ dupe_of: other })],
  ])('mails the people of both bugs of %s', async (_, change, isThere = false) => {
    const editor = await insertPerson({ roles: ['editbugs'] })
    const [one, other] = [await insertBug({ reporter: editor }), await insertBug()]
    if (isThere) {
      await execute(
        sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES (${one.id}, ${other.id})`,
      )
    }
    const answer = await put(editor, `/rest/bug/${one.id}`, change(other.id))
    expect(answer.status, answer.text).toBe(200)
    const waiting = await execute(
      sql`SELECT id FROM notices WHERE bug_id IN (${one.id}, ${other.id}) ORDER BY id`,
    )
    const box = buildMailService()

    await deliverNotices(box.ctx(), { ids: waiting.map(({ id }) => Number(id)) })

    expect(box.sent.map(({ to }) => to).sort()).toEqual(
      logins([one.assignee, other.assignee, other.reporter]),
    )
    expect(box.mailTo(one.assignee.login)?.text).toContain(`${other.id}`)
    expect(box.mailTo(other.assignee.login)?.text).toContain(`${one.id}`)
  })
})
