import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, send } from '../../support/client.ts'
import { readAttachment, updateAttachment } from '../../support/clients/attachments.ts'
import { readBug } from '../../support/clients/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const author = await insertPerson()
const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
const stranger = await insertPerson()
const place = await insertProduct()
const bug = await postBug(author, place)
const open = await postAttachment(author, bug)
const secret = await postAttachment(insider, bug, { is_private: true, comment: 'Psst.' })
const hiddenBug = await postBug(author, place)
const onHidden = await postAttachment(author, hiddenBug)
await restrictBug(hiddenBug, await insertGroup())

/** Adds so many attachments with the bytes of the first one of a bug. */
function addCopies(bug: number, count: number) {
  return execute(
    sql`INSERT INTO attachments (bug_id, submitter_id, created_at, changed_at, file_name, summary,
        summary_fold, content_type, size, object_key, sha256)
      SELECT bug_id, submitter_id, created_at, changed_at, file_name, summary, summary_fold,
        content_type, size, object_key, sha256
      FROM (SELECT * FROM attachments WHERE bug_id = ${bug} LIMIT 1),
        json_each(${JSON.stringify([...Array(count).keys()])})`,
  )
}

const idsIn = (list: { id: number }[]) => list.map(({ id }) => id)

describe('GET /bug/:id/attachment', () => {
  test('answers HEAD without a body', async () => {
    const answer = await send(ANYONE, 'HEAD', `/rest/bug/attachment/${open}`)
    expect(answer).toMatchObject({ status: 200, text: '' })
  })

  test('refuses more than 200 MB, which are as many rows without their bytes', async () => {
    const large = await postBug(author, place)
    const ids = [await postAttachment(author, large), await postAttachment(author, large)]
    await execute(sql`UPDATE attachments SET size = 101000000 WHERE bug_id = ${large}`)
    const paths = [
      `/rest/bug/${large}/attachment`,
      `/rest/bug/attachment/${ids[0]}?attachment_ids=${ids[1]}`,
      `/rest/bug/${large}?include_fields=attachments.data`,
    ]
    for (const path of paths) {
      expectFault(await get(ANYONE, path), 400, 1001, "'data'")
    }
    const { body } = await get(ANYONE, `/rest/bug/${large}/attachment?exclude_fields=data`)
    expect(idsIn(body.bugs[large])).toEqual(ids)
  })

  test('refuses the bytes of more than 500, however few they are, of all calls of a request together', async () => {
    const many = await postBug(author, place)
    await postAttachment(author, many)
    await addCopies(many, 260)
    const call = { method: 'Bug.attachments', params: [{ ids: [many] }] }
    const one = await post(ANYONE, '/jsonrpc.cgi', [{ ...call, id: 1 }])
    expect(one.body[0].error).toBeNull()
    const [first, second] = (
      await post(ANYONE, '/jsonrpc.cgi', [
        { ...call, id: 1 },
        { ...call, id: 2 },
      ])
    ).body
    expect([first.error, second.error.code]).toEqual([null, 1001])
    await addCopies(many, 240)
    expectFault(await get(ANYONE, `/rest/bug/${many}/attachment`), 400, 1001, '400 KB')
    const { body } = await get(ANYONE, `/rest/bug/${many}/attachment?exclude_fields=data`)
    expect(body.bugs[many]).toHaveLength(501)
  })

  test('refuses more than 10,000, also in bugs', async () => {
    const many = await postBug(author, place)
    await postAttachment(author, many)
    await addCopies(many, 10_000)
    const paths = [
      `/rest/bug/${many}/attachment?exclude_fields=data`,
      `/rest/bug/${many}?include_fields=attachments`,
      `/rest/bug?id=${many}&include_fields=attachments.id`,
    ]
    for (const path of paths) {
      expectFault(await get(ANYONE, path), 400, 1001, '10,000 attachments')
    }
    await execute(
      sql`DELETE FROM attachments WHERE id = (SELECT max(id) FROM attachments WHERE bug_id = ${many})`,
    )
    for (const path of paths) {
      expect((await get(ANYONE, path)).status).toBe(200)
    }
  })

  test('shows every field of an attachment in one round trip', async () => {
    const answer = await get(author, `/rest/bug/attachment/${open}`)
    expect(answer).toMatchObject({ status: 200, cost: { trips: 1 } })
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(answer.body).toEqual({
      bugs: {},
      attachments: {
        [open]: {
          id: open,
          bug_id: bug,
          data: 'aGk=',
          size: 2,
          creation_time: time,
          last_change_time: time,
          file_name: 'file.txt',
          summary: 'A file',
          description: 'A file',
          content_type: 'text/plain',
          is_private: false,
          is_obsolete: false,
          is_patch: false,
          creator: author.login,
          attacher: author.login,
          creator_detail: expect.objectContaining({ id: author.id, name: author.login }),
          flags: [],
        },
      },
    })
  })

  test('lists the attachments of a bug by its alias, in the order of their IDs', async () => {
    const alias = uniqueName('alias')
    const other = await postBug(author, place, { alias })
    const { body } = await get(
      insider,
      `/rest/bug/${alias}/attachment?ids=${bug}&exclude_fields=data`,
    )
    expect(Object.keys(body.bugs)).toEqual([String(bug), String(other)])
    expect(body.bugs[other]).toEqual([])
    expect(idsIn(body.bugs[bug])).toEqual([open, secret])
    expect(body.attachments).toEqual({})
    expect(body.bugs[bug][0]).not.toHaveProperty('data')
  })

  test('lists several attachments, without those that do not exist', async () => {
    const path = `/rest/bug/attachment/${open}?attachment_ids=${secret}&attachment_ids=999999999`
    const { body } = await get(insider, path)
    expect(Object.keys(body.attachments)).toEqual([String(open), String(secret)])
    expect((await get(insider, '/rest/bug/attachment/999999999')).body).toEqual({
      bugs: {},
      attachments: {},
    })
  })

  test.each([
    ['include_fields=id,creator', ['id', 'creator', 'creator_detail']],
    ['include_fields=data', ['data']],
    ['exclude_fields=_default', []],
    ['include_fields=id,creator.name', ['id', 'creator', 'creator_detail']],
  ])('answers the fields of %s', async (query, names) => {
    expect(Object.keys(await readAttachment(author, open, `?${query}`)).sort()).toEqual(
      [...names].sort(),
    )
  })

  test('puts attachments into bugs on request, their bytes only by name', async () => {
    expect(await readBug(bug, insider)).not.toHaveProperty('attachments')
    const { attachments } = await readBug(bug, insider, '?include_fields=id,attachments')
    expect(idsIn(attachments)).toEqual([open, secret])
    expect(attachments[0]).toMatchObject({ summary: 'A file', size: 2 })
    expect(attachments[0]).not.toHaveProperty('data')
    expect((await readBug(bug, insider, '?include_fields=_all')).attachments).toHaveLength(2)
    const bytes = await readBug(bug, insider, '?include_fields=attachments.data,attachments.id')
    expect(bytes.attachments).toEqual([
      { id: open, data: 'aGk=' },
      { id: secret, data: 'aGk=' },
    ])
    const excluded =
      '?include_fields=attachments.data,attachments.id&exclude_fields=attachments.data'
    expect((await readBug(bug, author, excluded)).attachments).toEqual([{ id: open }])
    const found = await get(insider, `/rest/bug?id=${bug}&include_fields=attachments.id`)
    expect(found.body.bugs).toEqual([{ attachments: [{ id: open }, { id: secret }] }])
  })
})

describe('a bug with 500 attachments and 5,000 comments', () => {
  test('is read in one round trip, with rows in proportion to what it shows', async () => {
    const about = await postBug(author, place)
    const first = await postAttachment(author, about)
    await execute(
      sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
        INSERT INTO attachments (bug_id, submitter_id, created_at, changed_at, file_name, summary,
          summary_fold, content_type, size, object_key, sha256, is_private)
        SELECT bug_id, submitter_id, created_at, changed_at, file_name, summary, summary_fold,
          content_type, size, object_key, sha256, i % 2 FROM n JOIN attachments a ON a.id = ${first}`,
      sql`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
        INSERT INTO comments (bug_id, number, author_id, created_at, body, attachment_id)
        SELECT ${about}, i, ${author.id}, 1, 'Said.', CASE WHEN i < 1000 THEN ${first} + i % 500 END
        FROM n`,
    )
    const files = await get(ANYONE, `/rest/bug/${about}/attachment?exclude_fields=data`)
    expect(files.body.bugs[about]).toHaveLength(250)
    expect(files.cost.trips).toBe(1)
    expect(files.cost.read).toBeLessThan(500 + 4 * 250)
    const comments = await get(ANYONE, `/rest/bug/${about}/comment`)
    const count = comments.body.bugs[about].comments.length
    expect(count).toBeLessThan(5000)
    expect(comments.cost.trips).toBe(1)
    expect(comments.cost.read).toBeLessThan(5 * 5000)
    const counted = await get(ANYONE, `/rest/bug/${about}?include_fields=comment_count`)
    expect(counted.body.bugs).toEqual([{ comment_count: count }])
    const bytes = await get(ANYONE, `/rest/bug/${about}/attachment?include_fields=data`)
    expect(bytes.body.bugs[about]).toHaveLength(250)
    expect(bytes.body.bugs[about].every(({ data }: { data: string }) => data === 'aGk=')).toBe(true)
  })
})

describe('GET /bug/:id/attachment', () => {
  test.each(['x', '0', '-1', '1.5'])('rejects the ID %s', async (id) => {
    expectFault(await get(author, `/rest/bug/attachment/${id}`), 400, 52, id)
  })

  test('rejects bugs that do not exist', async () => {
    expectFault(await get(author, '/rest/bug/999999999/attachment'), 404, 101)
    expectFault(await get(author, '/rest/bug/no-such-alias/attachment'), 400, 100)
  })
})

describe('GET /bug/:id/attachment', () => {
  test.each([
    ['anonymous callers', () => ANYONE],
    ['a stranger', () => stranger],
    ['who filed the bug', () => author],
  ])('hides private attachments from %s', async (_, who) => {
    expectFault(await get(who(), `/rest/bug/attachment/${secret}`), 401, 304, String(secret))
    expectFault(await get(who(), `/rest/bug/attachment/${open}?attachment_ids=${secret}`), 401, 304)
    const { body } = await get(who(), `/rest/bug/${bug}/attachment`)
    expect(idsIn(body.bugs[bug])).toEqual([open])
    const { attachments } = await readBug(bug, who(), '?include_fields=attachments')
    expect(idsIn(attachments)).toEqual([open])
  })

  test('hides nothing of a private attachment from its submitter', async () => {
    const mine = await postAttachment(author, bug)
    expect((await updateAttachment(insider, mine, { is_private: true })).status).toBe(200)
    expect(await readAttachment(author, mine, '')).toMatchObject({ is_private: true, data: 'aGk=' })
    expectFault(await get(stranger, `/rest/bug/attachment/${mine}`), 401, 304)
  })

  test('hides attachments of a hidden bug, and which bug that is, before privacy', async () => {
    const answer = await get(stranger, `/rest/bug/attachment/${onHidden}`)
    expectFault(answer, 401, 102, `attachment ${onHidden}`)
    expect(answer.text).not.toContain(`bug ${hiddenBug}`)
    expectFault(await get(ANYONE, `/rest/bug/${hiddenBug}/attachment`), 401, 102)
  })

  test('hides the comments on an attachment that became private, and their number', async () => {
    const about = await postBug(author, place)
    const id = await postAttachment(insider, about, { comment: 'Public at first.' })
    const before = await get(ANYONE, `/rest/bug/${about}/comment`)
    const comment = before.body.bugs[about].comments[1]
    expect(comment).toMatchObject({ raw_text: 'Public at first.', attachment_id: id })
    expect((await readBug(about, ANYONE)).comment_count).toBe(2)
    await updateAttachment(insider, id, { is_private: true, comment: 'Now private.' })
    for (const who of [ANYONE, stranger, author]) {
      const { body } = await get(who, `/rest/bug/${about}/comment`)
      expect(body.bugs[about].comments).toHaveLength(1)
      expectFault(await get(who, `/rest/bug/comment/${comment.id}`), 401, 110)
      expect((await readBug(about, who)).comment_count).toBe(1)
      const found = await get(who, `/rest/bug?id=${about}&longdescs.count=1&include_fields=id`)
      expect(found.body.bugs).toEqual([{ id: about }])
    }
    expect((await readBug(about, insider)).comment_count).toBe(3)
    const { body } = await get(insider, `/rest/bug/${about}/comment`)
    expect(body.bugs[about].comments.map((one: { is_private: boolean }) => one.is_private)).toEqual(
      [false, false, true],
    )
  })
})
