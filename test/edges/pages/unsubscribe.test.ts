import { exports } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { watchPerson, watchPlaceOf } from '../../support/builders/watches.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'
import { buildMailService, deliverNotice, type SentMail } from '../../support/fakes/mail-service.ts'

let author: TestPerson
let reader: TestPerson
let about: TestBug

beforeEach(async () => {
  ;[author, reader] = [await insertPerson(), await insertPerson()]
  about = await insertBug({ reporter: author, assignee: author, cc: [reader] })
})

/** The mails about a comment by somebody else. */
async function mailsOf(bug: TestBug): Promise<SentMail[]> {
  const somebody = await insertPerson()
  const id = await insertNotice(bug, somebody)
  await insertComment(bug, somebody, { noticeId: id, body: 'Hello.' })
  const box = buildMailService()
  await deliverNotice(box.ctx(), id)
  return box.sent
}

const fetchFrom = (path: string, options: RequestInit = {}) =>
  exports.default.fetch(`https://tracker.test${path}`, options)

const readersOf = async (bug: TestBug) => (await mailsOf(bug)).map(({ to }) => to)

/** Where the mail about a comment leads whoever wants no more of them. */
async function pathOf(person: TestPerson, bug = about): Promise<string> {
  const mail = (await mailsOf(bug)).find(({ to }) => to === person.login)
  expect(mail?.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  const [, path = ''] =
    /^<https:\/\/tracker\.test(.*)>$/.exec(mail?.headers['List-Unsubscribe'] ?? '') ?? []
  expect(mail?.text).toContain(`: https://tracker.test${path}\n`)
  return path
}

/** What a mail provider sends for its user. */
const clickOnce = (path: string) =>
  fetchFrom(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  })

const auditOf = (person: TestPerson) =>
  execute(sql`SELECT user_id, changes FROM audit_log
    WHERE object_class = 'User' AND object_id = ${person.id} AND action = 'update'`)

describe('one click of the reader of a mail', () => {
  test('stops mail about the bug alone, without a login, and is recorded once', async () => {
    const other = await insertBug({ reporter: author, cc: [reader] })
    const path = await pathOf(reader)
    expect((await clickOnce(path)).status).toBe(200)
    expect((await clickOnce(path)).status).toBe(200)
    expect(await readersOf(about)).toEqual([author.login])
    expect(await readersOf(other)).toContain(reader.login)
    expect(await auditOf(reader)).toEqual([
      {
        user_id: reader.id,
        changes: JSON.stringify({ ignored_bugs: { removed: '', added: String(about.id) } }),
      },
    ])
  })

  test('ends the watching of a person through whom alone the mail came', async () => {
    const watcher = await insertPerson()
    const other = await insertPerson()
    await watchPerson(watcher, reader)
    await watchPerson(watcher, other)
    expect((await clickOnce(await pathOf(watcher))).status).toBe(200)
    expect(await readersOf(about)).not.toContain(watcher.login)
    expect(
      await execute(sql`SELECT watched_id FROM person_watches WHERE watcher_id = ${watcher.id}`),
    ).toEqual([{ watched_id: other.id }])
    expect(await execute(sql`SELECT 1 FROM ignored_bugs WHERE user_id = ${watcher.id}`)).toEqual([])
  })

  test.each(['component', 'product'] as const)('ends the watching of a %s', async (place) => {
    const watcher = await insertPerson()
    await watchPlaceOf(about, watcher, place)
    expect((await clickOnce(await pathOf(watcher))).status).toBe(200)
    expect(await readersOf(about)).not.toContain(watcher.login)
    const rows = await execute(
      sql`SELECT 1 FROM component_watches WHERE watcher_id = ${watcher.id}`,
    )
    expect(rows).toEqual([])
  })

  test('ignores the bug for a watcher who has a part in it besides', async () => {
    await watchPerson(reader, author)
    expect((await clickOnce(await pathOf(reader))).status).toBe(200)
    expect(await readersOf(about)).not.toContain(reader.login)
    const watches = sql`SELECT watched_id FROM person_watches WHERE watcher_id = ${reader.id}`
    expect(await execute(watches)).toEqual([{ watched_id: author.id }])
  })
})

describe('the page behind the link of a mail', () => {
  test('asks first, for everybody who has the link, and names nobody', async () => {
    const path = await pathOf(reader)
    const answer = await fetchFrom(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('private')
    const html = await answer.text()
    expect(html).toContain(`Stop mail about bug ${about.id}?`)
    expect(html).toContain('<form method="post">')
    expect(html).toContain('href="/account?tab=mail"')
    expect(html).not.toContain(reader.login)
    expect(html).not.toContain(about.summary)
    expect(await readersOf(about)).toContain(reader.login)
  })

  test.each(['GET', 'POST'])('is missing for a token that was altered: %s', async (method) => {
    const path = await pathOf(reader)
    const last = path.at(-2) === 'A' ? 'B' : 'A'
    const altered = path.slice(0, -2) + last + path.slice(-1)
    for (const wrong of [altered, '/unsubscribe', '/unsubscribe?token=']) {
      expect((await fetchFrom(wrong, { method })).status).toBe(404)
    }
    expect(await readersOf(about)).toContain(reader.login)
  })

  test('is there on a site that demands a login', async () => {
    const path = await pathOf(reader)
    const answer = await fetchWith({ REQUIRE_LOGIN: 'on' }, path, { method: 'POST' })
    expect(answer.status).toBe(200)
    expect(await readersOf(about)).not.toContain(reader.login)
  })
})

test('a mail without links has no header for programs', async () => {
  const id = await insertNotice(about, author)
  await insertComment(about, author, { noticeId: id, body: 'Hello.' })
  const box = buildMailService({ BASE_URL: '' })
  await deliverNotice(box.ctx(), id)
  expect(box.mailTo(reader.login)?.headers).not.toHaveProperty('List-Unsubscribe')
  expect(box.mailTo(reader.login)?.text).toContain('Replies to this mail are not read.')
})
