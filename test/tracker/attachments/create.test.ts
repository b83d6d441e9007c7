import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  buildAttachmentBody,
  postAttachment,
  sendAttachment,
  sendAttachmentWith,
} from '../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, send } from '../../support/client.ts'
import { readAttachment } from '../../support/clients/attachments.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const LONG_AGO = NOW - 1_000_000

let bug: number

const author = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(author, place)
  await execute(
    sql`UPDATE bugs SET changed_at = ${LONG_AGO} WHERE id = ${bug}`,
    sql`DELETE FROM notices WHERE bug_id = ${bug}`,
  )
})

const attachmentsOf = (id: number) =>
  execute(sql`SELECT * FROM attachments WHERE bug_id = ${id} ORDER BY id`)

describe('POST /bug/:id/attachment', () => {
  test('answers 201, the ID and the attachment without its bytes, in two round trips', async () => {
    const answer = await sendAttachment(author, bug, { comment: ' Look.\r\n' })
    expect(answer).toMatchObject({ status: 201, cost: { trips: 2 } })
    const [id] = answer.body.ids
    expect(answer.body).toEqual({
      ids: [id],
      attachments: { [id]: await readAttachment(author, id) },
    })
    const stored = await loadBugRow(bug)
    expect(stored.changed_at).toBeGreaterThan(LONG_AGO)
    const [notice, ...others] = await loadRowsOfBug('notices', bug)
    expect([notice?.kind, notice?.author_id, others]).toEqual(['changed', author.id, []])
    expect(await attachmentsOf(bug)).toMatchObject([
      {
        id,
        submitter_id: author.id,
        created_at: stored.changed_at,
        changed_at: stored.changed_at,
        file_name: 'file.txt',
        summary: 'A file',
        summary_fold: 'a file',
        content_type: 'text/plain',
        size: 2,
        sha256: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
        is_private: 0,
        is_obsolete: 0,
        is_patch: 0,
        link_url: null,
      },
    ])
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({
      number: 1,
      body: ' Look.',
      kind: 'attachment_created',
      attachment_id: id,
      created_at: stored.changed_at,
      is_private: 0,
      is_markdown: 1,
      notice_id: notice?.id,
    })
    expect(await loadRowsOfBug('history', bug)).toEqual([])
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'a patch as plain text',
      { is_patch: 1, content_type: 'no type' },
      { content_type: 'text/plain', is_patch: true },
    ],
    ['a patch without a type', { is_patch: true, content_type: null }, { is_patch: true }],
    [
      'another type',
      { content_type: 'image/svg+xml' },
      { content_type: 'image/svg+xml', is_patch: false },
    ],
    ['a private one', { is_private: 'true' }, { is_private: true }],
    ['a hostile name', { file_name: '../"><script>.html' }, { file_name: '"><script>.html' }],
    [
      'a hostile summary',
      { summary: '<img src=x onerror=alert(1)>' },
      { summary: '<img src=x onerror=alert(1)>' },
    ],
    ['a summary in full', { summary: '😀'.repeat(255) }, { summary: '😀'.repeat(255) }],
    ['lines in the data', { data: 'aG\r\nk=\n' }, { size: 2, data: 'aGk=' }],
    ['data without padding', { data: 'aGk' }, { size: 2, data: 'aGk=' }],
    [
      'what else a client sends along',
      { obsoletes: [1], colour: 'red', flags: [], bug_flags: [] },
      { size: 2 },
    ],
    [
      'the address of a pull request as a link',
      { data: btoa('https://github.com/a/b/pull/1\n'), is_patch: true },
      { content_type: 'text/x-github-pull-request', is_patch: false },
    ],
  ])('answers %s', async (_, more, shown) => {
    const id = await postAttachment(insider, bug, more)
    expect(await readAttachment(insider, id, '')).toMatchObject(shown)
  })

  test('adds a comment even without a text', async () => {
    const id = await postAttachment(insider, bug, { is_private: true, is_markdown: false })
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({
      body: '',
      attachment_id: id,
      is_private: 1,
      is_markdown: 0,
    })
    const { body } = await get(insider, `/rest/bug/${bug}/comment`)
    expect(body.bugs[bug].comments[1].text).toBe(`Created attachment ${id}\nA file`)
  })

  test('attaches a file to several bugs, which share the bytes', async () => {
    const other = await postBug(author, place)
    const answer = await sendAttachment(author, other, {
      ids: [bug, `#${other}`, bug],
      comment: 'Both.',
    })
    const [onOther] = await attachmentsOf(other)
    const [onBug] = await attachmentsOf(bug)
    expect(answer.body.ids).toEqual([onOther?.id, onBug?.id])
    expect(onOther?.object_key).toBe(onBug?.object_key)
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({ attachment_id: onBug?.id })
    expect((await loadRowsOfBug('comments', other))[1]).toMatchObject({
      attachment_id: onOther?.id,
    })
    expect(await readAttachment(author, Number(onBug?.id), '')).toMatchObject({
      bug_id: bug,
      data: 'aGk=',
    })
  })

  test('prefers parameters of the query to those of the body', async () => {
    const answer = await post(
      author,
      `/rest/bug/${bug}/attachment?data=eW8%3D`,
      buildAttachmentBody(),
    )
    expect(await readAttachment(author, answer.body.ids[0], '')).toMatchObject({ data: 'eW8=' })
  })

  test('accepts credentials in a streamed body', async () => {
    const body = buildAttachmentBody({ Bugzilla_api_key: author.key })
    expect((await post(ANYONE, `/rest/bug/${bug}/attachment`, body)).status).toBe(201)
  })

  test('accepts exactly the limit, in a body that is too large for any other operation', async () => {
    const data = btoa('x'.repeat(3 * 1024 * 1024))
    const { status } = await sendAttachmentWith({ MAX_ATTACHMENT_KB: '3072' }, author, bug, {
      data,
    })
    expect(status).toBe(201)
    const [row] = await attachmentsOf(bug)
    expect(row?.size).toBe(3 * 1024 * 1024)
    const shown = await readAttachment(author, Number(row?.id), '?include_fields=data')
    expect(shown.data === data).toBe(true)
  })

  test('numbers the comments of ten simultaneous attachments without a gap', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendAttachment(author, bug)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const numbers = (await loadRowsOfBug('comments', bug)).map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 11 }, (_, i) => i))
  })
})

describe('POST /bug/:id/attachment of a bug with 999 attachments', () => {
  beforeEach(async () => {
    await postAttachment(author, bug)
    await execute(
      sql`INSERT INTO attachments (bug_id, submitter_id, created_at, changed_at, file_name, summary,
          summary_fold, content_type, size, object_key, sha256)
        SELECT bug_id, submitter_id, created_at, changed_at, file_name, summary, summary_fold,
          content_type, size, object_key, sha256
        FROM attachments, json_each(${JSON.stringify([...Array(998).keys()])}) WHERE bug_id = ${bug}`,
    )
  })

  test('attaches one more, and no other, which names the bug', async () => {
    const other = await postBug(author, place)
    expect((await sendAttachment(author, bug)).status).toBe(201)
    for (const [id, ids] of [
      [bug, []],
      [other, [bug]],
    ] as const) {
      expectFault(await sendAttachment(author, id, { ids }), 400, 53, `bug ${bug} has`)
    }
    expect(await attachmentsOf(bug)).toHaveLength(1000)
  })

  test('attaches one more when several attach at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => sendAttachment(author, bug)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    expect(await attachmentsOf(bug)).toHaveLength(1000)
  })
})

describe('POST /bug/:id/attachment', () => {
  test('rejects anonymous callers with 410, before anything else is looked at', async () => {
    expectFault(await post(ANYONE, `/rest/bug/${bug}/attachment`, {}), 401, 410)
  })

  test('rejects one byte too many, naming both sizes', async () => {
    const data = btoa('x'.repeat(2049))
    const { status, body } = await sendAttachmentWith({ MAX_ATTACHMENT_KB: '2' }, author, bug, {
      data,
    })
    expect({ status, ...body }).toMatchObject({ status: 400, code: 600 })
    expect(body.message).toMatch(/3 KB.*2 KB/)
    expect(await attachmentsOf(bug)).toEqual([])
  })

  test('rejects Markdown while it is switched off, for changes too', async () => {
    const off = { USE_MARKDOWN: 'off' }
    const { status, body } = await sendAttachmentWith(off, author, bug, { is_markdown: true })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 140 })
    const plain = await sendAttachmentWith(off, author, bug, { comment: 'Plain.' })
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({
      body: 'Plain.',
      is_markdown: 0,
    })
    const changed = await fetchWith(off, `/rest/bug/attachment/${plain.body.ids?.[0]}`, {
      method: 'PUT',
      headers: { 'x-tracker-api-key': author.key },
      body: JSON.stringify({ comment: 'x', is_markdown: true }),
    })
    expect(await changed.json()).toMatchObject({ code: 140 })
  })

  test('rejects a body beyond all limits', async () => {
    const settings = { MAX_ATTACHMENT_KB: '2', MAX_BODY_KB: '1' }
    const large = await sendAttachmentWith(settings, author, bug, {
      data: btoa('x'.repeat(20_000)),
    })
    expect({ status: large.status, ...large.body }).toMatchObject({ status: 413, code: 58 })
    const wordy = await sendAttachmentWith(settings, author, bug, { comment: 'x'.repeat(1024) })
    expect({ status: wordy.status, ...wordy.body }).toMatchObject({ status: 413, code: 58 })
  })

  test('rejects JSON that ends in the data', async () => {
    const answer = await send(author, 'POST', `/rest/bug/${bug}/attachment`, '{"data":"aGk')
    expectFault(answer, 400, 32000, 'JSON')
  })

  test('rejects the bug before the size, the size before the summary', async () => {
    expectFault(await sendAttachment(author, 999_999_999, { data: '' }), 404, 101)
    expectFault(await sendAttachment(author, bug, { data: '', summary: '' }), 400, 606)
  })

  test('rejects a product that the caller may not edit', async () => {
    const team = await insertGroup()
    const closed = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const there = await postBug(author, closed)
    expectFault(await sendAttachment(author, there), 401, 109, closed.name)
  })
})

describe('POST /bug/:id/attachment', () => {
  test('hides bugs that the caller may not see', async () => {
    const hidden = await postBug(author, place)
    await restrictBug(hidden, await insertGroup())
    const stranger = await insertPerson()
    expectFault(await sendAttachment(stranger, hidden), 401, 102)
    expectFault(await sendAttachment(stranger, bug, { ids: [hidden] }), 401, 102)
    expect(await attachmentsOf(bug)).toEqual([])
  })
})
