import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { readBatch } from '../../src/db/read-batch.ts'
import { parseRecipient, selectRecipients } from '../../src/notices/recipients.ts'
import { deliverNotice } from '../support/delivery.ts'
import { bug, changed, commented, notice, type TestBug, write } from '../support/happening.ts'
import { outbox } from '../support/outbox.ts'
import { group, NOW, person, type TestPerson } from '../support/world.ts'

const logins = (people: TestPerson[]) => people.map(({ login }) => login).sort()

async function recipients(about: TestBug, noticeId: number, vars: Record<string, string> = {}) {
  const ctx = outbox(vars).ctx()
  const read = await readBatch(ctx, {
    rows: selectRecipients(ctx.settings, { id: noticeId, bugId: about.id, happenedAt: NOW }),
  })
  return read.rows.map(parseRecipient)
}

describe('hears', () => {
  test('each person stands once, with every role, those just lost included', async () => {
    const [both, gone] = [await person(), await person()]
    const about = await bug({ reporter: both, assignee: both, qaContact: both, cc: [both] })
    const id = await notice(about, both)
    await changed(about, both, id, 'assigned_to', gone.login, both.login)
    await changed(about, both, id, 'cc', gone.login.toUpperCase(), '')

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
    const [author, bystander] = [await person(), await person()]
    const about = await bug({ reporter: author, assignee: author })
    const id = await notice(about, author)
    await changed(about, author, id, 'whiteboard', bystander.login, '')

    expect((await recipients(about, id)).map(({ person: who }) => who.id)).toEqual([author.id])
  })

  test('the groups of each person decide what they are told, as they decide what they may read', async () => {
    const insider = await person({ roles: ['insider'] })
    const about = await bug({ reporter: insider, assignee: await person() })
    const id = await notice(about, insider)

    const found = await recipients(about, id)

    expect(found.map(({ person: who }) => who.roles.has('insider'))).toEqual([true, false])
  })

  test('an empty MAIL_NEVER_TO keeps mail from nobody', async () => {
    const author = await person()
    const about = await bug({ reporter: author, assignee: author })
    const id = await notice(about, author)

    expect(await recipients(about, id, { MAIL_NEVER_TO: '' })).toHaveLength(1)
    expect(await recipients(about, id, { MAIL_NEVER_TO: '@EXAMPLE.test' })).toHaveLength(0)
    expect(await recipients(about, id, { MAIL_NEVER_TO: `x${author.login}` })).toHaveLength(1)
  })
})

describe('hides', () => {
  test('a restricted bug is told to nobody who cannot open it at this moment', async () => {
    const [author, member, half, outsider, onCc] = [
      await person(),
      await person(),
      await person(),
      await person(),
      await person(),
    ]
    const groups = [await group([author, member, half]), await group([author, member])]
    const about = await bug({
      reporter: outsider,
      assignee: author,
      cc: [member, half, onCc],
      groups,
    })
    await write(
      sql`UPDATE bugs SET is_creator_accessible = 0, is_cc_accessible = 0 WHERE id = ${about.id}`,
    )
    const id = await notice(about, author)
    await changed(about, author, id, 'cc', outsider.login, '')
    await commented(about, author, id, 'between us')
    const box = outbox()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to)).toEqual([member.login])
  })

  test('no mail goes to accounts that are disabled, have mail off, or have no address for it', async () => {
    const author = await person()
    const disabled = await person({ loginDeniedText: 'left' })
    const [off, invalid, nameOnly, fine] = [
      await person(),
      await person(),
      await person(),
      await person(),
    ]
    await write(
      sql`UPDATE users SET email_enabled = 0 WHERE id = ${off.id}`,
      sql`UPDATE users SET login = 'Nobody' || id || '@Gone.INVALID',
        login_fold = 'nobody' || id || '@gone.invalid' WHERE id = ${invalid.id}`,
      sql`UPDATE users SET login = 'admin' || id, login_fold = 'admin' || id WHERE id = ${nameOnly.id}`,
    )
    const about = await bug({ reporter: author, cc: [disabled, off, invalid, nameOnly, fine] })
    const id = await notice(about, author)
    await commented(about, author, id, 'Hello.')
    const box = outbox()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to).sort()).toEqual(logins([about.assignee, fine]))
  })
})
