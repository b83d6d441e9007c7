import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertBugForFlags, insertFlagType, insertManyFlags } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { setFlags } from '../../support/builders/set-flags.ts'
import type { TestFlagType, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import {
  buildMailService,
  deliverNotice,
  type FakeMailService,
  type SentMail,
} from '../../support/fakes/mail-service.ts'

const place = await insertProduct()
const editor = await insertPerson({ roles: ['editbugs'] })
const review = await insertFlagType({}, [{ productId: place.id }])

const flag = (status: string, requestee?: string) => ({
  flags: [{ name: review.name, status, requestee }],
})

/** The mails about the newest change of a bug. */
async function mailsOf(bug: number, now?: number): Promise<FakeMailService> {
  const box = buildMailService()
  const notices = await loadRowsOfBug('notices', bug)
  await deliverNotice(box.ctx(now), Number(notices.at(-1)?.id))
  return box
}

const typeOf = (mail: SentMail | undefined) => mail?.headers['X-Tracker-Type']

describe('a mail about flags goes', () => {
  test('to the requestee, once, with the flag in subject, table and headers', async () => {
    const bob = await insertPerson()
    const bug = await postBug(editor, place, { whiteboard: '[a]' })
    await changeBug(editor, bug, { ...flag('?', bob.login), whiteboard: '[b]' })
    const { sent } = await mailsOf(bug)
    const own = sent.filter(({ to }) => to === bob.login)
    expect(own).toHaveLength(1)
    expect(own[0]?.subject).toMatch(new RegExp(`^\\[Bug ${bug}\\] ${review.name} requested: `))
    expect(own[0]?.text).toContain('Flags|')
    expect(own[0]?.text.replaceAll(/\s*\n[ |]*/g, '')).toContain('Status Whiteboard')
    expect(own[0]?.headers).toMatchObject({
      'X-Tracker-Type': 'request',
      'X-Tracker-Reason': 'CC',
      'X-Tracker-Flags': `${review.name}?`,
      'X-Tracker-Who': editor.login,
    })
    expect(own[0]?.headers['X-Tracker-Changed-Field-Names']).toContain('flagtypes.name')
    const others = sent.filter(({ to }) => to !== bob.login)
    expect(others.map(typeOf)).toEqual(others.map(() => 'changed'))
    expect(others).not.toHaveLength(0)
  })

  test('to the requestee of a new bug', async () => {
    const bob = await insertPerson()
    const bug = await postBug(editor, place, flag('?', bob.login))
    const mail = (await mailsOf(bug)).mailTo(bob.login)
    expect(mail?.subject).toMatch(new RegExp(`^\\[Bug ${bug}\\] New, ${review.name} requested: `))
    expect(mail?.text.match(/Flags: .*/g)).toEqual([`Flags: ${review.name}?(${bob.login})`])
  })

  test.each([
    ['+', 'granted'],
    ['-', 'denied'],
    ['X', 'cleared'],
  ])(
    'to who requested it when it becomes %s, though they have no part in the bug',
    async (status, action) => {
      const [ann, bob] = [await insertPerson(), await insertPerson()]
      const bug = await postBug(editor, place)
      await changeBug(ann, bug, flag('?', editor.login))
      await changeBug(editor, bug, flag('?', bob.login))
      await changeBug(bob, bug, flag(status))
      const { sent } = await mailsOf(bug)
      const [mail] = sent.filter(({ to }) => to === ann.login)
      expect(mail?.subject).toContain(` ${review.name} ${action}: `)
      expect(mail?.headers['X-Tracker-Reason']).toBe('None')
      expect(sent.map(({ to }) => to)).not.toContain(bob.login)
    },
  )

  test('to who requested it alone when another flag of the bug is answered in the same second', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const approval = await insertFlagType({}, [{ productId: place.id }])
    const bug = await postBug(editor, place)
    const change = (who: TestPerson, type: TestFlagType, status: string) =>
      changeBug(who, bug, { flags: [{ name: type.name, status }] })
    await change(ann, review, '?')
    await change(bob, approval, '?')
    await change(editor, review, '+')
    await change(editor, approval, '-')
    const at = sql`(SELECT max(happened_at) FROM notices WHERE bug_id = ${bug})`
    await execute(
      sql`UPDATE notices SET happened_at = ${at} WHERE bug_id = ${bug}`,
      sql`UPDATE flag_activity SET happened_at = ${at} WHERE bug_id = ${bug}`,
    )
    const { sent } = await mailsOf(bug)
    expect(sent.filter(({ headers }) => headers['X-Tracker-Type'] === 'request')).toMatchObject([
      { to: bob.login, subject: expect.stringContaining(` ${approval.name} denied: `) },
    ])
    expect(sent.map(({ to }) => to)).not.toContain(ann.login)
  })

  test('not to the setter when a flag changes that was no open request', async () => {
    const ann = await insertPerson()
    const bug = await postBug(editor, place)
    await changeBug(ann, bug, flag('+'))
    await changeBug(editor, bug, flag('-'))
    expect((await mailsOf(bug)).mailTo(ann.login)).toBeUndefined()
  })

  test('to the addresses of its type, where they are users', async () => {
    const watcher = await insertPerson()
    const ccList = `nobody@example.test, ${watcher.login.toUpperCase()}`
    const type = await insertFlagType({ ccList }, [{ productId: place.id }])
    const bug = await postBug(editor, place)
    await changeBug(editor, bug, { flags: [{ name: type.name, status: '+' }] })
    const { sent } = await mailsOf(bug)
    expect(sent.map(({ to }) => to)).not.toContain('nobody@example.test')
    const [mail] = sent.filter(({ to }) => to === watcher.login)
    expect(mail?.subject).toContain(` ${type.name} granted: `)
  })

  test('not to people who switched such mails off, nor to the author of the change', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    await execute(
      sql`INSERT INTO mail_preferences (user_id, role, event, wanted) VALUES
        (${bob.id}, 'flags', 'asked', 0), (${ann.id}, 'flags', 'answered', 0)`,
    )
    const bug = await postBug(editor, place)
    await changeBug(ann, bug, flag('?', bob.login))
    const afterRequest = await mailsOf(bug)
    // bob is on the CC list by now and gets the mail about the change that its members get
    expect(typeOf(afterRequest.mailTo(bob.login))).toBe('changed')
    expect(afterRequest.mailTo(ann.login)).toBeUndefined()
    await changeBug(editor, bug, flag('+'))
    expect((await mailsOf(bug)).mailTo(ann.login)).toBeUndefined()
  })
})

test('mails about flags cost no row because of others that change at the same moment', async () => {
  async function cost() {
    const bug = await postBug(editor, place)
    await changeBug(editor, bug, flag('?'))
    await execute(sql`UPDATE notices SET happened_at = ${NOW} WHERE bug_id = ${bug}`)
    await execute(sql`UPDATE flag_activity SET happened_at = ${NOW} WHERE bug_id = ${bug}`)
    const ctx = buildMailService().ctx()
    await deliverNotice(ctx, Number((await loadRowsOfBug('notices', bug)).at(-1)?.id))
    return ctx.session.cost.rowsRead
  }
  const few = await cost()
  await insertManyFlags(await postBug(editor, place), 1000, review, editor)
  expect(await cost()).toBeLessThan(few + 20)
})

describe('flags hide', () => {
  test('what becomes of them from who no longer sees the bug', async () => {
    const ann = await insertPerson()
    const bug = await postBug(editor, place)
    await changeBug(ann, bug, flag('?'))
    await restrictBug(bug, await insertGroup())
    await changeBug(editor, bug, flag('+'))
    expect((await mailsOf(bug)).mailTo(ann.login)).toBeUndefined()
  })

  test('those of private attachments from everybody but insiders and who submitted them', async () => {
    const [ann, insider] = [await insertPerson(), await insertPerson({ roles: ['insider'] })]
    const [submitter, watcher] = [await insertPerson(), await insertPerson()]
    const ccList = [submitter, watcher, insider].map(({ login }) => login).join(', ')
    const type = await insertFlagType({ target: 'attachment', ccList })
    const about = await insertBugForFlags({ reporter: ann, cc: [ann] })
    const id = await insertAttachment(about, submitter, { summary: 'a secret', isPrivate: true })
    const attachment = { id, isPrivate: true }
    const set = (status: string) => ({ inputs: [{ name: type.name, status }], attachment })
    await setFlags(ann, about.id, { ...set('?'), now: NOW + 10 })
    await setFlags(editor, about.id, { ...set('+'), now: NOW + 20 })
    const { sent } = await mailsOf(about.id, NOW + 30)
    const subject = `[Bug ${about.id}] ${type.name} granted for attachment ${id}: ${about.summary}`
    expect(sent.map((mail) => [mail.to, mail.subject]).sort()).toEqual(
      [
        [submitter.login, subject],
        [insider.login, subject],
      ].sort(),
    )
    expect(sent[0]?.headers).toMatchObject({ 'X-Tracker-Attach-ID': String(id) })
    expect(sent[0]?.headers).not.toHaveProperty('X-Tracker-Flags')
    await execute(
      sql`UPDATE attachments SET is_private = 0 WHERE id = ${id}`,
      sql`UPDATE notices SET done_at = NULL, lease_until = NULL WHERE bug_id = ${about.id}`,
    )
    const open = (await mailsOf(about.id, NOW + 30)).sent.map(({ to }) => to)
    expect(open).toEqual(expect.arrayContaining([ann.login, watcher.login, insider.login]))
  })
})
