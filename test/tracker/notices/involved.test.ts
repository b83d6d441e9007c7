import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { deliverNotices } from '../../../src/tracker/notices/deliver.ts'
import { insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertChange, insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import {
  ignoreBug,
  setMailPreference,
  watchPerson,
  watchPlaceOf,
} from '../../support/builders/watches.ts'
import { put } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'

let author: TestPerson
let assignee: TestPerson
let watcher: TestPerson
let about: TestBug

beforeEach(async () => {
  ;[author, assignee, watcher] = [
    await insertPerson({ roles: ['editbugs'] }),
    await insertPerson(),
    await insertPerson(),
  ]
  about = await insertBug({ reporter: author, assignee })
})

/** Delivers a comment of the author, or a change of one field. */
async function deliver(
  vars: Record<string, unknown> = {},
  change?: { field: string; removed: string; added: string },
) {
  const noticeId = await insertNotice(about, author)
  if (change === undefined) {
    await insertComment(about, author, { noticeId, body: 'Listen.' })
  } else {
    await insertChange(about, author, { noticeId, ...change })
  }
  const box = buildMailService(vars)
  expect(await deliverNotice(box.ctx(), noticeId)).toBe('done')
  return box
}

const readers = ({ sent }: { sent: { to: string }[] }) => sent.map(({ to }) => to).sort()
const logins = (...people: TestPerson[]) => people.map(({ login }) => login).sort()

describe('who watches a person gets the mail that the person may get', () => {
  test('and is told whom and as what, apart from roles of their own', async () => {
    await watchPerson(watcher, assignee)
    await watchPerson(watcher, author)
    await execute(sql`INSERT INTO bug_cc (bug_id, user_id)
      VALUES (${about.id}, ${watcher.id}), (${about.id}, ${assignee.id})`)
    const box = await deliver()
    expect(readers(box)).toEqual(logins(assignee, watcher))
    expect(box.mailTo(watcher.login)?.headers).toMatchObject({
      'X-Tracker-Reason': 'CC',
      'X-Tracker-Watch-Reason': `AssignedTo Reporter CC ${assignee.login} ${author.login}`,
    })
    expect(box.mailTo(watcher.login)?.text).toContain(`${author.login} (reporter)`)
    expect(box.mailTo(assignee.login)?.headers['X-Tracker-Watch-Reason']).toBe('None')
  })

  test('also when the person was just removed, or wants no mail', async () => {
    const gone = await insertPerson()
    await watchPerson(watcher, gone)
    await setMailPreference(gone, 'assignee', 'other', false)
    await setMailPreference(gone, 'assignee', 'role_changed', false)
    const box = await deliver({}, { field: 'assigned_to', removed: gone.login, added: 'x@y.test' })
    expect(readers(box)).toEqual(logins(assignee, watcher))
  })

  test('over one step alone', async () => {
    const second = await insertPerson()
    await watchPerson(watcher, assignee)
    await watchPerson(second, watcher)
    expect(readers(await deliver())).toEqual(logins(assignee, watcher))
  })

  test('by the preferences of the watcher for that role', async () => {
    await watchPerson(watcher, assignee)
    await setMailPreference(watcher, 'assignee', 'comment', false)
    expect(readers(await deliver())).toEqual(logins(assignee))
    await watchPerson(watcher, author)
    expect(readers(await deliver())).toEqual(logins(assignee, watcher))
  })

  test('but not about changes that the watcher made', async () => {
    await watchPerson(author, assignee)
    expect(readers(await deliver())).toEqual(logins(assignee))
    await setMailPreference(author, 'assignee', 'by_me', true)
    expect(readers(await deliver())).toEqual(logins(assignee, author))
  })

  test('about a bug that blocks one of the person', async () => {
    const blocked = await insertBug({ reporter: author })
    await watchPerson(watcher, blocked.assignee)
    await execute(sql`INSERT INTO dependencies (bug_id, depends_on_id)
      VALUES (${blocked.id}, ${about.id})`)
    const change = { field: 'status', removed: 'CONFIRMED', added: 'RESOLVED' }
    const box = await deliver({}, change)
    expect(readers(box)).toEqual(logins(assignee, blocked.assignee, watcher))
    expect(box.mailTo(watcher.login)?.headers).toMatchObject({
      'X-Tracker-Type': 'dep_changed',
      'X-Tracker-Reason': 'None',
      'X-Tracker-Watch-Reason': `AssignedTo ${blocked.assignee.login}`,
    })
    await ignoreBug(watcher, blocked)
    expect(readers(await deliver({}, change))).toEqual(logins(assignee, blocked.assignee))
  })
})

describe('who watches a component or a product gets mail about its bugs', () => {
  test('once, with the reason for it', async () => {
    await watchPlaceOf(about, watcher)
    await watchPlaceOf(about, watcher, 'product')
    const box = await deliver()
    expect(readers(box)).toEqual(logins(assignee, watcher))
    expect(box.mailTo(watcher.login)?.headers).toMatchObject({
      'X-Tracker-Reason': 'Component-Watcher',
      'X-Tracker-Watch-Reason': 'None',
    })
  })

  test('and not about other components of the product', async () => {
    const other = await insertPerson()
    await watchPlaceOf(about, watcher, 'product')
    await watchPlaceOf(about, other)
    await execute(sql`UPDATE bugs SET component_id = (
      SELECT max(id) FROM components WHERE product_id = (SELECT product_id FROM bugs WHERE id = ${about.id}))
      WHERE id = ${about.id}`)
    expect(readers(await deliver())).toEqual(logins(assignee, other, watcher))
    const [row] =
      await execute(sql`INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
      SELECT product_id, 'Spare', 'spare', '', ${author.id} FROM bugs WHERE id = ${about.id} RETURNING id`)
    await updateBugRow(about.id, { component_id: Number(row?.id) })
    expect(readers(await deliver())).toEqual(logins(assignee, watcher))
  })

  test('also when the bug has just left it', async () => {
    const [ofProduct, elsewhere] = [await insertPerson(), await insertPerson()]
    const goal = await insertProduct()
    await watchPlaceOf(about, watcher)
    await watchPlaceOf(about, ofProduct, 'product')
    const there = await insertBug({ place: goal })
    await watchPlaceOf(there, elsewhere)
    const admin = await insertPerson({ roles: ['admin', 'editbugs'] })
    const moved = await put(admin, `/rest/bug/${about.id}`, {
      product: goal.name,
      component: goal.component,
      version: goal.version,
    })
    expect(moved.status, moved.text).toBe(200)
    const [row] = await execute(sql`SELECT max(id) AS id FROM notices WHERE bug_id = ${about.id}`)
    const box = buildMailService()
    await deliverNotice(box.ctx(), Number(row?.id))
    expect(readers(box)).toEqual(
      expect.arrayContaining(logins(watcher, ofProduct, elsewhere, assignee)),
    )
  })

  test('by the preferences for that role', async () => {
    await watchPlaceOf(about, watcher)
    await setMailPreference(watcher, 'component_watcher', 'comment', false)
    expect(readers(await deliver())).toEqual(logins(assignee))
    expect(readers(await deliver({}, { field: 'priority', removed: 'P1', added: 'P2' }))).toEqual(
      logins(assignee, watcher),
    )
    expect(readers(await deliver({}, { field: 'cc', removed: '', added: 'x@y.test' }))).toEqual([])
  })
})

describe('accounts of GLOBAL_WATCHERS', () => {
  test('get mail about every change, even their own, with any preferences', async () => {
    const vars = {
      GLOBAL_WATCHERS: ` ${watcher.login.toUpperCase()} , ${author.login},nobody@x.test`,
    }
    await setMailPreference(watcher, 'component_watcher', 'comment', false)
    const box = await deliver(vars)
    expect(readers(box)).toEqual(logins(assignee, author, watcher))
    expect(box.mailTo(watcher.login)?.headers['X-Tracker-Reason']).toBe('GlobalWatcher')
    expect(box.mailTo(author.login)?.headers['X-Tracker-Reason']).toBe('Reporter GlobalWatcher')
  })

  test('get none about bugs that they do not see or that they ignore', async () => {
    const vars = { GLOBAL_WATCHERS: watcher.login }
    await ignoreBug(watcher, about)
    expect(readers(await deliver(vars))).toEqual(logins(assignee))
    await execute(sql`DELETE FROM ignored_bugs WHERE user_id = ${watcher.id}`)
    await restrictBug(about.id, await insertGroup([author]))
    expect(readers(await deliver(vars))).toEqual(logins(assignee))
  })
})

describe('mail is kept from', () => {
  test('everybody when an account of SILENT_USERS made the change', async () => {
    const vars = { SILENT_USERS: `x@y.test, ${author.login.toUpperCase()}` }
    expect(readers(await deliver({ ...vars, GLOBAL_WATCHERS: watcher.login }))).toEqual([])
    expect(readers(await deliver({ SILENT_USERS: assignee.login }))).toEqual(logins(assignee))
  })

  test('people who ignore the bug, in any role', async () => {
    await watchPerson(watcher, assignee)
    await ignoreBug(watcher, about)
    await ignoreBug(assignee, await insertBug())
    expect(readers(await deliver())).toEqual(logins(assignee))
  })

  test('watchers who do not see the bug at the time of sending', async () => {
    const member = await insertPerson()
    for (const one of [watcher, member]) {
      await watchPerson(one, assignee)
      await watchPlaceOf(about, one)
    }
    const noticeId = await insertNotice(about, author)
    await insertComment(about, author, { noticeId, body: 'Between us.' })
    await restrictBug(about.id, await insertGroup([member]))
    const box = buildMailService()
    await deliverNotices(box.ctx(), { ids: [noticeId] })
    expect(readers(box)).toEqual(logins(assignee, member))
  })

  test('watchers of people whom they do not see where groups decide that', async () => {
    const member = await insertPerson()
    const [seeing, seen] = [await insertGroup([member]), await insertGroup([assignee])]
    await execute(grantStatement(seeing, 'visible', seen))
    await watchPerson(watcher, assignee)
    await watchPerson(member, assignee)
    expect(readers(await deliver({ USE_VISIBILITY_GROUPS: 'on' }))).toEqual(
      logins(assignee, member),
    )
    expect(readers(await deliver())).toEqual(logins(assignee, member, watcher))
  })

  test('watchers with mail off and at addresses of MAIL_NEVER_TO', async () => {
    const off = await insertPerson()
    await execute(sql`UPDATE users SET email_enabled = 0 WHERE id = ${off.id}`)
    await watchPerson(off, assignee)
    await watchPlaceOf(about, off)
    await watchPerson(watcher, assignee)
    const vars = { GLOBAL_WATCHERS: off.login, MAIL_NEVER_TO: watcher.login }
    expect(readers(await deliver(vars))).toEqual(logins(assignee))
  })
})

describe('a watcher sees no more than others with the same rights', () => {
  test('and nothing private that the watched person sees', async () => {
    const insider = await insertPerson({ roles: ['insider', 'timetracking'] })
    await updateBugRow(about.id, { assigned_to_id: insider.id })
    await watchPerson(watcher, insider)
    const other = await insertBug({ groups: [await insertGroup([insider])] })
    const noticeId = await insertNotice(about, author)
    await insertComment(about, author, { noticeId, body: 'the word is tulip', isPrivate: true })
    const changes = [
      { field: 'work_time', removed: '', added: '17.5' },
      { field: 'depends_on', removed: '', added: String(other.id) },
      { field: 'priority', removed: 'P1', added: 'P2' },
    ]
    for (const change of changes) {
      await insertChange(about, author, { noticeId, ...change })
    }
    const box = buildMailService()
    await deliverNotice(box.ctx(), noticeId)
    expect(box.mailTo(insider.login)?.text).toMatch(/17\.5[\s\S]*tulip/)
    expect(box.mailTo(insider.login)?.text).toContain(other.summary)
    const seen = JSON.stringify(box.mailTo(watcher.login))
    expect(seen).toContain('P2')
    expect(seen).not.toMatch(/tulip|17\.5|omment|Depends/)
    expect(seen).not.toContain(other.summary)
  })

  test('and gets no mail when all of the change is hidden', async () => {
    await watchPerson(watcher, assignee)
    await watchPlaceOf(about, watcher)
    const noticeId = await insertNotice(about, author)
    await insertComment(about, author, { noticeId, body: 'tulip', isPrivate: true })
    const box = buildMailService({ GLOBAL_WATCHERS: watcher.login })
    await deliverNotice(box.ctx(), noticeId)
    expect(box.sent).toEqual([])
  })
})
