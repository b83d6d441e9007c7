import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get, post, send } from '../support/client.ts'
import { attach, attachedFile, attachWith, file, newFile } from '../support/files.ts'
import { rowsOf, storedBug } from '../support/filing.ts'
import { write } from '../support/happening.ts'
import { filed, restrict } from '../support/reading.ts'
import { askWith } from '../support/service.ts'
import { group, NOW, person, product, type TestPerson, type TestProduct } from '../support/world.ts'

const LONG_AGO = NOW - 1_000_000

let place: TestProduct
let author: TestPerson
let insider: TestPerson
let bug: number

beforeAll(async () => {
  author = await person()
  insider = await person({ roles: ['insider'] })
  place = await product()
})

beforeEach(async () => {
  bug = await filed(author, place)
  await write(
    sql`UPDATE bugs SET changed_at = ${LONG_AGO} WHERE id = ${bug}`,
    sql`DELETE FROM notices WHERE bug_id = ${bug}`,
  )
})

const attachmentsOf = (id: number) =>
  write(sql`SELECT * FROM attachments WHERE bug_id = ${id} ORDER BY id`)

describe('attaching answers', () => {
  test('201, the ID and the attachment without its bytes, in two trips', async () => {
    const answer = await attach(author, bug, { comment: ' Look.\r\n' })
    expect(answer).toMatchObject({ status: 201, cost: { trips: 2 } })
    const [id] = answer.body.ids
    expect(answer.body).toEqual({ ids: [id], attachments: { [id]: await file(author, id) } })
    const stored = await storedBug(bug)
    expect(stored.changed_at).toBeGreaterThan(LONG_AGO)
    const [notice, ...others] = await rowsOf('notices', bug)
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
    expect((await rowsOf('comments', bug))[1]).toMatchObject({
      number: 1,
      body: ' Look.',
      kind: 'attachment_created',
      attachment_id: id,
      created_at: stored.changed_at,
      is_private: 0,
      is_markdown: 1,
      notice_id: notice?.id,
    })
    expect(await rowsOf('history', bug)).toEqual([])
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
  ])('%s', async (_, more, shown) => {
    const id = await attachedFile(insider, bug, more)
    expect(await file(insider, id, '')).toMatchObject(shown)
  })

  test('with a comment even when there is nothing to say', async () => {
    const id = await attachedFile(insider, bug, { is_private: true, is_markdown: false })
    expect((await rowsOf('comments', bug))[1]).toMatchObject({
      body: '',
      attachment_id: id,
      is_private: 1,
      is_markdown: 0,
    })
    const { body } = await get(insider, `/rest/bug/${bug}/comment`)
    expect(body.bugs[bug].comments[1].text).toBe(`Created attachment ${id}\nA file`)
  })

  test('several bugs with one attachment each, in their order, which share the bytes', async () => {
    const other = await filed(author, place)
    const answer = await attach(author, other, { ids: [bug, `#${other}`, bug], comment: 'Both.' })
    const [onOther] = await attachmentsOf(other)
    const [onBug] = await attachmentsOf(bug)
    expect(answer.body.ids).toEqual([onOther?.id, onBug?.id])
    expect(onOther?.object_key).toBe(onBug?.object_key)
    expect((await rowsOf('comments', bug))[1]).toMatchObject({ attachment_id: onBug?.id })
    expect((await rowsOf('comments', other))[1]).toMatchObject({ attachment_id: onOther?.id })
    expect(await file(author, Number(onBug?.id), '')).toMatchObject({ bug_id: bug, data: 'aGk=' })
  })

  test('data of the query over that of the body', async () => {
    const answer = await post(author, `/rest/bug/${bug}/attachment?data=eW8%3D`, newFile())
    expect(await file(author, answer.body.ids[0], '')).toMatchObject({ data: 'eW8=' })
  })

  test('credentials in a body that is read piece by piece', async () => {
    const body = newFile({ Bugzilla_api_key: author.key })
    expect((await post(ANYONE, `/rest/bug/${bug}/attachment`, body)).status).toBe(201)
  })

  test('exactly the limit, and a large body that would be too large for any other operation', async () => {
    const data = btoa('x'.repeat(3 * 1024 * 1024))
    const { status } = await attachWith({ MAX_ATTACHMENT_KB: '3072' }, author, bug, { data })
    expect(status).toBe(201)
    const [row] = await attachmentsOf(bug)
    expect(row?.size).toBe(3 * 1024 * 1024)
    const shown = await file(author, Number(row?.id), '?include_fields=data')
    expect(shown.data === data).toBe(true)
  })

  test('ten at once with comments numbered without a gap', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => attach(author, bug)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const numbers = (await rowsOf('comments', bug)).map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 11 }, (_, i) => i))
  })
})

describe('attaching refuses', () => {
  test.each<[string, Record<string, unknown>, number, number, string]>([
    ['missing data', { data: undefined }, 400, 50, 'data'],
    ['data that is null', { data: null }, 400, 50, 'data'],
    ['data that is a list', { data: ['aGk='] }, 400, 53, 'data'],
    ['empty data', { data: '' }, 400, 606, ''],
    ['data that is no base64', { data: '!?' }, 400, 606, ''],
    ['a missing summary', { summary: undefined }, 400, 604, ''],
    ['a blank summary', { summary: ' ' }, 400, 604, ''],
    ['a summary that is too long', { summary: 'x'.repeat(256) }, 400, 104, 'summary'],
    ['a missing file name', { file_name: undefined }, 400, 603, ''],
    ['a folder', { file_name: 'a/' }, 400, 603, ''],
    ['a missing type', { content_type: undefined }, 400, 601, ''],
    ['an unknown type', { content_type: 'foo/bar' }, 400, 601, 'foo/bar'],
    ['privacy for an outsider', { is_private: true }, 401, 113, ''],
    ['a comment that is too long', { comment: 'x'.repeat(65_536) }, 400, 114, '65535'],
    ['an unknown flag', { flags: [{ name: 'no-such', status: '?' }] }, 404, 51, 'no-such'],
    ['an unknown flag of the bug', { bug_flags: [{ name: 'gone', status: '?' }] }, 404, 51, 'gone'],
    ['an unknown bug beside it', { ids: ['999999999'] }, 404, 101, '999999999'],
    ['an unknown alias beside it', { ids: ['no-such-alias'] }, 400, 100, 'no-such-alias'],
  ])('%s and writes nothing', async (_, more, status, code, naming) => {
    expectFault(await attach(author, bug, more), status, code, naming)
    expect(await attachmentsOf(bug)).toEqual([])
    expect(await rowsOf('comments', bug)).toHaveLength(1)
    expect((await storedBug(bug)).changed_at).toBe(LONG_AGO)
  })

  test('nobody, before anything else is looked at', async () => {
    expectFault(await post(ANYONE, `/rest/bug/${bug}/attachment`, {}), 401, 410)
  })

  test('one byte too many, naming both sizes', async () => {
    const data = btoa('x'.repeat(2049))
    const { status, body } = await attachWith({ MAX_ATTACHMENT_KB: '2' }, author, bug, { data })
    expect({ status, ...body }).toMatchObject({ status: 400, code: 600 })
    expect(body.message).toMatch(/3 KB.*2 KB/)
    expect(await attachmentsOf(bug)).toEqual([])
  })

  test('Markdown while it is switched off, for changes too', async () => {
    const off = { USE_MARKDOWN: 'off' }
    const { status, body } = await attachWith(off, author, bug, { is_markdown: true })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 140 })
    const plain = await attachWith(off, author, bug, { comment: 'Plain.' })
    expect((await rowsOf('comments', bug))[1]).toMatchObject({ body: 'Plain.', is_markdown: 0 })
    const changed = await askWith(off, `/rest/bug/attachment/${plain.body.ids?.[0]}`, {
      method: 'PUT',
      headers: { 'x-tracker-api-key': author.key },
      body: JSON.stringify({ comment: 'x', is_markdown: true }),
    })
    expect(await changed.json()).toMatchObject({ code: 140 })
  })

  test('a body beyond all limits', async () => {
    const settings = { MAX_ATTACHMENT_KB: '2', MAX_BODY_KB: '1' }
    const large = await attachWith(settings, author, bug, { data: btoa('x'.repeat(20_000)) })
    expect({ status: large.status, ...large.body }).toMatchObject({ status: 413, code: 58 })
    const wordy = await attachWith(settings, author, bug, { comment: 'x'.repeat(1024) })
    expect({ status: wordy.status, ...wordy.body }).toMatchObject({ status: 413, code: 58 })
  })

  test('JSON that ends in the data', async () => {
    const answer = await send(author, 'POST', `/rest/bug/${bug}/attachment`, '{"data":"aGk')
    expectFault(answer, 400, 32000, 'JSON')
  })

  test('the bug before the size, the size before the summary', async () => {
    expectFault(await attach(author, 999_999_999, { data: '' }), 404, 101)
    expectFault(await attach(author, bug, { data: '', summary: '' }), 400, 606)
  })

  test('a product that the caller may not edit', async () => {
    const team = await group()
    const closed = await product({ controls: [{ group: team, canEdit: true }] })
    const there = await filed(author, closed)
    expectFault(await attach(author, there), 401, 109, closed.name)
  })
})

describe('attaching hides', () => {
  test('bugs that the caller may not see', async () => {
    const hidden = await filed(author, place)
    await restrict(hidden, await group())
    const stranger = await person()
    expectFault(await attach(stranger, hidden), 401, 102)
    expectFault(await attach(stranger, bug, { ids: [hidden] }), 401, 102)
    expect(await attachmentsOf(bug)).toEqual([])
  })
})
