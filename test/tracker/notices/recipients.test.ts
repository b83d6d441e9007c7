import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { loadChanges } from '../../../src/tracker/notices/load-changes.ts'
import type { Notice } from '../../../src/tracker/notices/types.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertComment, insertNotice, insertNoticed } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute } from '../../support/database/execute.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'

const logins = (people: TestPerson[]) => people.map(({ login }) => login).sort()

async function recipients(about: TestBug, noticeId: number, vars: Record<string, string> = {}) {
  const notice: Notice = {
    id: noticeId,
    bugId: about.id,
    authorId: about.reporter.id,
    kind: 'changed',
    happenedAt: NOW,
    isMinor: false,
  }
  const [change] = await loadChanges(buildMailService(vars).ctx(), [notice])
  return change?.recipients ?? []
}

describe('the recipients of a mail include', () => {
  test('each person stands once, with every role, those just lost included', async () => {
    const [both, gone] = [await insertPerson(), await insertPerson()]
    const about = await insertBug({ reporter: both, assignee: both, qaContact: both, cc: [both] })
    const id = await insertNotice(about, both)
    await insertNoticed(
      id,
      about,
      both,
      ['assigned_to', gone.login, both.login],
      ['cc', gone.login.toUpperCase(), ''],
    )

    const found = await recipients(about, id)

    const rolesOf = new Map(found.map(({ person: who, roles }) => [who.id, [...roles].sort()]))
    expect(rolesOf).toEqual(
      new Map([
        [both.id, ['assignee', 'cc', 'qa_contact', 'reporter']],
        [gone.id, ['assignee', 'cc']],
      ]),
    )
  })

  test('a change of other fields that names a login makes nobody a recipient', async () => {
    const [author, bystander] = [await insertPerson(), await insertPerson()]
    const about = await insertBug({ reporter: author, assignee: author })
    const id = await insertNotice(about, author)
    await insertNoticed(id, about, author, ['whiteboard', bystander.login, ''])

    expect((await recipients(about, id)).map(({ person: who }) => who.id)).toEqual([author.id])
  })

  test('the groups of each person decide what they are shown, as they decide what they may read', async () => {
    const insider = await insertPerson({ roles: ['insider'] })
    const about = await insertBug({ reporter: insider, assignee: await insertPerson() })
    const id = await insertNotice(about, insider)

    const found = await recipients(about, id)

    expect(found.map(({ person: who }) => who.roles.has('insider'))).toEqual([true, false])
  })

  test('an empty MAIL_NEVER_TO excludes nobody', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author, assignee: author })
    const id = await insertNotice(about, author)

    expect(await recipients(about, id, { MAIL_NEVER_TO: '' })).toHaveLength(1)
    expect(await recipients(about, id, { MAIL_NEVER_TO: '@EXAMPLE.test' })).toHaveLength(0)
    expect(await recipients(about, id, { MAIL_NEVER_TO: `x${author.login}` })).toHaveLength(1)
  })
})

describe('a mail is kept from', () => {
  test('a restricted bug is mailed only to people who see it at this moment', async () => {
    const [author, member, half, outsider, onCc] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const groups = [await insertGroup([author, member, half]), await insertGroup([author, member])]
    const about = await insertBug({
      reporter: outsider,
      assignee: author,
      cc: [member, half, onCc],
      groups,
    })
    await execute(
      sql`UPDATE bugs SET is_creator_accessible = 0, is_cc_accessible = 0 WHERE id = ${about.id}`,
    )
    const id = await insertNotice(about, author)
    await insertNoticed(id, about, author, ['cc', outsider.login, ''])
    await insertComment(about, author, { noticeId: id, body: 'between us' })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to)).toEqual([member.login])
  })

  test('no mail goes to users that are disabled, have mail off, or have no address for it', async () => {
    const author = await insertPerson()
    const disabled = await insertPerson({ loginDeniedText: 'left' })
    const [off, invalid, nameOnly, fine] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    await execute(
      sql`UPDATE users SET email_enabled = 0 WHERE id = ${off.id}`,
      sql`UPDATE users SET login = 'Nobody' || id || '@Gone.INVALID',
        login_fold = 'nobody' || id || '@gone.invalid' WHERE id = ${invalid.id}`,
      sql`UPDATE users SET login = 'admin' || id, login_fold = 'admin' || id WHERE id = ${nameOnly.id}`,
    )
    const about = await insertBug({
      reporter: author,
      cc: [disabled, off, invalid, nameOnly, fine],
    })
    const id = await insertNotice(about, author)
    await insertComment(about, author, { noticeId: id, body: 'Hello.' })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to).sort()).toEqual(logins([about.assignee, fine]))
  })
})
