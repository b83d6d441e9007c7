import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postAttachment } from '../../support/builders/attachments.ts'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { buildPullRequest } from '../../support/builders/codehost-events.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { insertBot, newDelivery, sendEvent } from '../../support/codehost.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { countRows, execute, loadRow } from '../../support/database/execute.ts'
import { loadFootprint } from '../../support/database/footprint.ts'

let numbers = 1000

const bot = await insertBot()
const reader = await insertPerson()

const open = (title: string, number: number, more: Parameters<typeof sendEvent>[3] = {}) =>
  sendEvent(bot, 'pull_request', buildPullRequest(title, { number }), more)

const newNumber = () => {
  numbers += 1
  return numbers
}

const addressOf = (number: number) => `https://github.com/example/browser/pull/${number}`
const loadAttachment = (id: number) => loadRow('attachments', sql`id = ${id}`)
const loadComments = (bugId: number) => loadRowsOfBug('comments', bugId)

const listUnsettled = async () =>
  (await env.FILES.list({ prefix: 'unsettled/' })).objects.map(({ key }) => key)

/** Attaches the link of a pull request as a person does. */
const attachLink = (who: TestPerson, bugId: number, number: number, more: object = {}) =>
  postAttachment(who, bugId, { data: btoa(addressOf(number)), ...more })

describe('a pull request', () => {
  test('is linked to the bug in its title, with comment, notice and bytes, in three trips', async () => {
    const bug = await insertBug()
    const number = newNumber()
    // other tests leave bytes of attachments that were never made
    const unsettled = await listUnsettled()
    const answer = await open(`Bug ${bug.id} - Fix it`, number, { headers: newDelivery() })
    expect(answer).toMatchObject({ status: 200, trips: 3 })
    expect(answer.body).toEqual({ error: 0, id: expect.any(Number) })
    const { attachments } = (await get(reader, `/rest/bug/attachment/${answer.body.id}`)).body
    expect(attachments[answer.body.id]).toMatchObject({
      bug_id: bug.id,
      data: btoa(addressOf(number)),
      content_type: 'text/x-github-pull-request',
      summary: `[example/browser] Bug ${bug.id} - Fix it (#${number})`,
      file_name: `codehost-example_browser-${number}-url.txt`,
      creator: bot.login,
      is_patch: false,
      is_private: false,
      is_obsolete: false,
    })
    expect(await loadComments(bug.id)).toMatchObject([
      { kind: 'attachment_created', body: '', is_private: 0, author_id: bot.id },
    ])
    expect(await loadRowsOfBug('notices', bug.id)).toMatchObject([{ author_id: bot.id }])
    expect(await listUnsettled()).toEqual(unsettled)
  })

  test('leads to the code host', async () => {
    const number = newNumber()
    const { body } = await open(`bug ${(await insertBug()).id}`, number)
    const response = await fetchWith({}, `/attachment/${body.id}`)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(addressOf(number))
  })

  test('keeps the attachment that links it already', async () => {
    const bug = await insertBug()
    const number = newNumber()
    const own = await attachLink(reader, bug.id, number)
    const before = await loadFootprint()
    const answer = await open(`bug ${bug.id}`, number)
    expect(answer.body).toEqual({ error: 0, id: own })
    expect(await loadFootprint()).toEqual(before)
  })

  test('makes an obsolete link of the bug current again', async () => {
    const bug = await insertBug()
    const number = newNumber()
    const { id } = (await open(`bug ${bug.id}`, number)).body
    await execute(sql`UPDATE attachments SET is_obsolete = 1 WHERE id = ${id}`)
    const again = await open(`bug ${bug.id}`, number)
    expect(again).toMatchObject({ body: { error: 0, id }, trips: 3 })
    expect(await loadAttachment(id)).toMatchObject({ is_obsolete: 0 })
    expect(await loadRowsOfBug('history', bug.id)).toMatchObject([
      { field: 'attachments.isobsolete', removed: '1', added: '0', author_id: bot.id },
    ])
    expect(await loadComments(bug.id)).toHaveLength(1)
  })

  test('moves: its links on other bugs become obsolete, with a comment there', async () => {
    const [first, second, third] = [await insertBug(), await insertBug(), await insertBug()]
    const number = newNumber()
    const byHand = await attachLink(reader, first.id, number)
    const { id } = (await open(`bug ${second.id}`, number)).body
    const other = await attachLink(reader, third.id, newNumber())
    expect(await loadAttachment(byHand)).toMatchObject({ is_obsolete: 1 })
    const moved = await open(`bug ${third.id}`, number, { headers: newDelivery() })
    expect(moved.trips).toBe(3)
    expect(await loadAttachment(id)).toMatchObject({ is_obsolete: 1 })
    expect(await loadAttachment(other)).toMatchObject({ is_obsolete: 0 })
    expect(await loadComments(second.id)).toMatchObject([
      { kind: 'attachment_created' },
      {
        kind: 'attachment_updated',
        attachment_id: id,
        author_id: bot.id,
        body: `This pull request is linked to bug ${third.id} now.`,
      },
    ])
    expect(await countRows('comments', sql`attachment_id = ${byHand}`)).toBe(2)
    expect(await loadRowsOfBug('history', second.id)).toMatchObject([
      { field: 'attachments.isobsolete', added: '1' },
    ])
    expect(await loadRowsOfBug('notices', second.id)).toHaveLength(2)
  })

  test('is not linked to a bug with 1,000 attachments, and one that is linked there stays so', async () => {
    const bug = await insertBug()
    const number = newNumber()
    const own = await attachLink(reader, bug.id, number)
    await execute(sql`INSERT INTO attachments (bug_id, submitter_id, created_at, changed_at, file_name, summary,
        summary_fold, content_type, object_key, sha256, size)
      SELECT ${bug.id}, ${reader.id}, 1, 1, 'x', 'x', 'x', 'text/plain', ${`full-${bug.id}-`} || value, '', 1
      FROM json_each(${JSON.stringify([...Array(999).keys()])})`)
    const answer = await open(`bug ${bug.id}`, newNumber())
    expect(answer).toMatchObject({ status: 200, body: { error: 1 } })
    expect(answer.body.message).toContain('1,000 attachments')
    expect((await open(`bug ${bug.id}`, number)).body).toEqual({ error: 0, id: own })
  })

  test.each([[undefined], [null], ['opened']])('with the action %j is linked', async (action) => {
    const payload = buildPullRequest(`bug ${(await insertBug()).id}`, { action })
    expect((await sendEvent(bot, 'pull_request', payload)).body).toMatchObject({ error: 0 })
  })

  test.each(['edited', 'closed', 'synchronize', ''])(
    'with the action %j is not',
    async (action) => {
      const payload = buildPullRequest(`bug ${(await insertBug()).id}`, { action })
      const before = await loadFootprint()
      const answer = await sendEvent(bot, 'pull_request', payload)
      expect(answer).toMatchObject({ status: 200, body: { error: 1 } })
      expect(answer.body.message).toContain('not opened')
      expect(await loadFootprint()).toEqual(before)
    },
  )

  test('needs no more than the three items that it is used for', async () => {
    const { id } = await insertBug()
    const { html_url, title, number } = buildPullRequest(`bug ${id}`, {
      number: newNumber(),
    }).pull_request
    const payload = { pull_request: { html_url, title, number } }
    expect((await sendEvent(bot, 'pull_request', payload)).body).toMatchObject({ error: 0 })
  })
})

describe('a pull request without effect', () => {
  test.each(['No reference', 'bugs 7', 'bug 999999999', 'bug 4294967296', 'bug 0'])(
    'with the title %j answers a message with status 200',
    async (title) => {
      const before = await loadFootprint()
      const answer = await open(title, newNumber(), { headers: newDelivery() })
      expect(answer).toMatchObject({ status: 200, body: { error: 1 } })
      expect(answer.body.message).toContain('valid bug ID')
      expect(await loadFootprint()).toEqual(before)
    },
  )

  test('about a hidden bug says the same as about a missing one', async () => {
    const bug = await insertBug()
    await restrictBug(bug.id, await insertGroup())
    const before = await loadFootprint()
    const answer = await open(`bug ${bug.id}`, newNumber())
    const missing = await open('bug 999999999', newNumber())
    const neutral = (text: string) => text.replace(/\d+/, 'N')
    expect(neutral(answer.body.message)).toBe(neutral(missing.body.message))
    expect(await loadFootprint()).toEqual(before)
  })
})

test('a bot links pull requests to hidden bugs that it sees', async () => {
  const bug = await insertBug()
  await restrictBug(bug.id, await insertGroup([bot]))
  expect((await open(`bug ${bug.id}`, newNumber())).body).toMatchObject({ error: 0 })
})

describe('hidden links', () => {
  test('of bugs that the bot does not see stay as they are', async () => {
    const [hidden, bug] = [await insertBug(), await insertBug()]
    const number = newNumber()
    const id = await attachLink(reader, hidden.id, number)
    await restrictBug(hidden.id, await insertGroup())
    const row = await loadBugRow(hidden.id)
    expect((await open(`bug ${bug.id}`, number)).body).toMatchObject({ error: 0 })
    expect(await loadAttachment(id)).toMatchObject({ is_obsolete: 0 })
    expect(await loadBugRow(hidden.id)).toEqual(row)
  })

  test('that are private are neither answered nor changed', async () => {
    const [bug, other] = [await insertBug(), await insertBug()]
    const insider = await insertPerson({ roles: ['insider'] })
    const number = newNumber()
    const here = await attachLink(insider, bug.id, number, { is_private: true })
    const there = await attachLink(insider, other.id, number, { is_private: true })
    const { id } = (await open(`bug ${bug.id}`, number)).body
    expect([here, there]).not.toContain(id)
    expect(await loadAttachment(there)).toMatchObject({ is_obsolete: 0 })
  })
})

describe('a repeated or simultaneous delivery', () => {
  test('gets the same answer, though the link has become obsolete meanwhile', async () => {
    const bug = await insertBug()
    const number = newNumber()
    const headers = newDelivery()
    const first = await open(`bug ${bug.id}`, number, { headers })
    await execute(sql`UPDATE attachments SET is_obsolete = 1 WHERE id = ${first.body.id}`)
    const before = await loadFootprint()
    const second = await open(`bug ${bug.id}`, number, { headers })
    expect(second).toMatchObject({ body: first.body, trips: 2 })
    expect(await loadFootprint()).toEqual(before)
  })

  test.each([
    ['of one ID', () => newDelivery],
    ['without an ID', () => () => ({})],
  ])('%s makes one attachment', async (_, makeHeaders) => {
    const bug = await insertBug()
    const number = newNumber()
    const headers = makeHeaders()()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => open(`bug ${bug.id}`, number, { headers })),
    )
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await countRows('attachments', sql`bug_id = ${bug.id}`)).toBe(1)
    expect(await loadComments(bug.id)).toHaveLength(1)
  })
})
