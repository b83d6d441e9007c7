import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug, postBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertBugWithComments } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { readComment, readComments, textsOf } from '../../support/clients/comments.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'

const reporter = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const member = await insertPerson()
const stranger = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct()

describe('GET /bug/:id/comment', () => {
  test.each([
    ['no-such-bug/comment', 400, 100],
    ['0/comment', 400, 100],
    ['2147483647/comment', 404, 101],
    ['comment/2147483647', 400, 111],
    ['comment/99999999999999999999', 400, 111],
    ['comment/0', 400, 111],
    ['comment/-1', 400, 111],
    ['comment/1.5', 400, 111],
    ['comment/abc', 400, 111],
    ['comment/%23', 400, 111],
    ['1/comment?new_since=yesterday', 400, 56],
    ['1/comment?new_since=2024-02-30', 400, 56],
  ])('rejects %s', async (path, status, code) => {
    for (const who of [ANYONE, insider]) {
      expectFault(await get(who, `/rest/bug/${path}`), status, code)
    }
  })

  test('rejects all bugs when one of them is hidden or unknown', async () => {
    const id = await postBug(reporter, place)
    const { about } = await insertBugWithComments(reporter, { groups: [secret] })

    expectFault(
      await get(ANYONE, `/rest/bug/${id}/comment?ids=${about.id}`),
      401,
      102,
      'Signing in',
    )
    expectFault(await get(stranger, `/rest/bug/${about.id}/comment?ids=no-such`), 401, 102)
    expectFault(await get(stranger, `/rest/bug/${id}/comment?ids=no-such`), 400, 100)
  })

  test('rejects a comment on a hidden bug, without telling which bug that is', async () => {
    const { about, addComment } = await insertBugWithComments(reporter, {
      reporter: stranger,
      groups: [secret],
    })
    await updateBugRow(about.id, { is_creator_accessible: 0 })
    const open = await addComment('open')
    const hidden = await addComment('private', { isPrivate: true })

    for (const id of [open, hidden]) {
      for (const who of [ANYONE, stranger, insider]) {
        const answer = await get(who, `/rest/bug/comment/${id}`)
        expectFault(answer, 401, 102, `comment ${id}`)
        expect(answer.text).not.toContain(`bug ${about.id}`)
      }
    }
    expect((await readComment(open, member)).text).toBe('open')
  })

  test('rejects a private comment to all but insiders, its author included', async () => {
    const { addComment } = await insertBugWithComments(reporter)
    const id = await addComment('private', { isPrivate: true })

    for (const who of [ANYONE, stranger, reporter]) {
      expectFault(await get(who, `/rest/bug/comment/${id}`), 401, 110, String(id))
    }
    expect(await readComment(id, insider)).toMatchObject({ text: 'private', is_private: true })
  })
})

describe('GET /bug/:id/comment', () => {
  test('hides private comments, leaving gaps where they are', async () => {
    const { about, addComment } = await insertBugWithComments(reporter)
    for (const [i, body] of ['a', 'b', 'c', 'd'].entries()) {
      await addComment(body, { isPrivate: i % 2 === 1, createdAt: NOW + i })
    }
    const seen = async (who: Sender, query = '') =>
      (await readComments(about.id, who, query)).map(({ count, text }) => `${count}${text}`)

    for (const who of [ANYONE, stranger, reporter]) {
      expect(await seen(who)).toEqual(['0a', '2c'])
      expect(await seen(who, '?new_since=2020-01-01')).toEqual(['0a', '2c'])
    }
    expect(await seen(insider)).toEqual(['0a', '1b', '2c', '3d'])
  })

  test('hides the comments of a hidden bug from all but those who see it', async () => {
    const [owner, assignee, copied] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const { about, addComment } = await insertBugWithComments(reporter, {
      reporter: owner,
      assignee,
      cc: [copied],
      groups: [secret],
    })
    await addComment('hush')

    for (const who of [ANYONE, stranger, insider]) {
      expectFault(await get(who, `/rest/bug/${about.id}/comment`), 401, 102)
    }
    for (const who of [member, owner, assignee, copied]) {
      expect(textsOf(await readComments(about.id, who))).toEqual(['hush'])
    }
  })

  test('hides comments on a private attachment from all but insiders and its submitter', async () => {
    const { about, addComment } = await insertBugWithComments(reporter)
    const attachmentId = await insertAttachment(about, reporter, {
      summary: 'A secret',
      isPrivate: true,
    })
    const id = await addComment('words', { kind: 'attachment_updated', attachmentId })
    const lead = `Comment on attachment ${attachmentId}`

    for (const who of [ANYONE, stranger]) {
      expectFault(await get(who, `/rest/bug/comment/${id}`), 401, 110)
      expect(await readComments(about.id, who)).toEqual([])
    }
    for (const who of [insider, reporter]) {
      expect((await readComment(id, who)).text).toBe(`${lead}\nA secret\n\nwords`)
    }
  })

  test('hides the number of a hidden duplicate or original', async () => {
    const { about, addComment } = await insertBugWithComments(reporter)
    const hidden = await insertBug({ groups: [secret] })
    await addComment('Same.', { kind: 'duplicate_of', relatedBugId: hidden.id })
    await addComment('', { kind: 'has_duplicate', relatedBugId: hidden.id })

    for (const who of [ANYONE, stranger, insider]) {
      expect(textsOf(await readComments(about.id, who))).toEqual([
        'Same.\n\n*** This bug has been marked as a duplicate of another bug ***',
        '*** Another bug has been marked as a duplicate of this bug. ***',
      ])
    }
    expect(textsOf(await readComments(about.id, member)).join('\n')).toContain(`ug ${hidden.id} `)
  })

  test('hides the domains of logins from anonymous callers with 410, where that is set', async () => {
    const id = await postBug(reporter, place)
    const text = async (headers: Record<string, string>) => {
      const answer = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, `/rest/bug/${id}/comment`, {
        headers,
      })
      return answer.text()
    }

    expect(await text({})).not.toContain('@')
    expect(await text({ 'x-tracker-api-key': stranger.key })).toContain(reporter.login)
  })
})

describe('GET /bug/comment/:comment_id?comment_ids=', () => {
  const idsOf = async (bug: number) =>
    (await loadRowsOfBug('comments', bug)).map(({ id }) => Number(id))

  test('unites the comment of the path with the others', async () => {
    const [one, two] = [await postBug(reporter, place), await postBug(reporter, place)]
    await changeBug(reporter, one, { comment: 'More.' })
    const [[first, second], [third]] = [await idsOf(one), await idsOf(two)]
    const all = [Number(first), Number(second), Number(third)].toSorted((a, b) => a - b)
    for (const query of [`${second},${third},${first}`, `${third}&comment_ids=${second}`]) {
      const answer = await get(ANYONE, `/rest/bug/comment/${first}?comment_ids=${query}`)
      expect(Object.keys(answer.body.comments).map(Number)).toEqual(all)
      expect(answer.cost.trips).toBe(1)
    }
  })

  test('refuses all when one is unknown, private or on a hidden bug, or none of the form', async () => {
    const [bug, hidden] = [await postBug(reporter, place), await postBug(reporter, place)]
    await restrictBug(hidden, secret)
    await changeBug(insider, bug, { comment: { body: 'Hush.', is_private: true } })
    const [[first, whisper], [unseen]] = [await idsOf(bug), await idsOf(hidden)]
    const path = `/rest/bug/comment/${first}?comment_ids=`
    expectFault(await get(stranger, `${path}2147483647`), 400, 111)
    expectFault(await get(stranger, `${path}${whisper}`), 401, 110)
    expectFault(await get(stranger, `${path}${unseen}`), 401, 102)
    expectFault(await get(stranger, `${path}x`), 400, 52, 'comment_ids')
    const many = Array.from({ length: 100 }, (_, i) => i + 1_000_000)
    expectFault(await get(stranger, `${path}${many}`), 400, 53, 'comment_ids')
    expect((await get(insider, `${path}${whisper}`)).status).toBe(200)
  })
})
