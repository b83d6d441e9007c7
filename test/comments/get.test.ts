import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertAttachment } from '../support/builders/attachments.ts'
import { insertBug, postBug, updateBugRow } from '../support/builders/bugs.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertComment, insertNotice, type NewComment } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestBug, TestGroup, TestPerson, TestProduct } from '../support/builders/types.ts'
import { NOW, uniqueName } from '../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, type Sender } from '../support/client.ts'
import { fetchWith } from '../support/clients/service.ts'
import { execute } from '../support/database/execute.ts'

type Comment = Record<string, unknown>

let reporter: TestPerson
let insider: TestPerson
let member: TestPerson
let stranger: TestPerson
let secret: TestGroup
let place: TestProduct

beforeAll(async () => {
  reporter = await insertPerson()
  insider = await insertPerson({ roles: ['insider'] })
  member = await insertPerson()
  stranger = await insertPerson()
  secret = await insertGroup([member])
  place = await insertProduct()
})

async function comments(
  name: number | string,
  who: Sender = ANYONE,
  query = '',
): Promise<Comment[]> {
  const answer = await get(who, `/rest/bug/${name}/comment${query}`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.comments).toEqual({})
  const [only] = Object.values(answer.body.bugs) as { comments: Comment[] }[]
  return only?.comments ?? []
}

async function comment(id: number | string, who: Sender = ANYONE, query = ''): Promise<Comment> {
  const answer = await get(who, `/rest/bug/comment/${id}${query}`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.bugs).toEqual({})
  const own = String(Number(decodeURIComponent(String(id))))
  expect(Object.keys(answer.body.comments)).toEqual([own])
  return answer.body.comments[own]
}

async function say(id: number, text: string, more: object = {}, who = reporter): Promise<number> {
  const answer = await post(who, `/rest/bug/${id}/comment`, { comment: text, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

const textsOf = (list: Comment[]) => list.map(({ text }) => text)

/** A bug with comments of its own making; `said` adds one and answers its ID. */
async function quiet(options: Parameters<typeof insertBug>[0] = {}): Promise<{
  about: TestBug
  said: (body: string, more?: Partial<NewComment>) => Promise<number>
}> {
  const about = await insertBug({ reporter, ...options })
  const told = await insertNotice(about, reporter)
  return {
    about,
    said: (body, more) => insertComment(about, reporter, { noticeId: told, body, ...more }),
  }
}

describe('answers', () => {
  test('the comments of a bug, oldest first, with every field of the contract', async () => {
    const id = await postBug(reporter, place, { description: ' indented\nfirst' })
    const second = await say(id, 'second', { is_markdown: true }, insider)
    const [description, answer] = await comments(id)

    expect(description).toEqual({
      id: expect.any(Number),
      bug_id: id,
      attachment_id: null,
      count: 0,
      text: ' indented\nfirst',
      raw_text: ' indented\nfirst',
      creator: reporter.login,
      author: reporter.login,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      creation_time: description?.time,
      is_private: false,
      is_markdown: expect.any(Boolean),
      tags: [],
    })
    expect(answer).toMatchObject({
      id: second,
      count: 1,
      text: 'second',
      creator: insider.login,
      is_markdown: true,
    })
  })

  test('under the number of the bug, by whatever name it was asked for, each once', async () => {
    const alias = uniqueName('alias')
    const [one, two] = [await postBug(reporter, place), await postBug(reporter, place, { alias })]
    const keys = async (path: string) => {
      const { status, body } = await get(ANYONE, `/rest/bug/${path}`)
      expect(status).toBe(200)
      return Object.keys(body.bugs)
    }

    expect(await keys(`${alias}/comment`)).toEqual([String(two)])
    expect(await keys(`%23${one}/comment`)).toEqual([String(one)])
    expect(new Set(await keys(`${one}/comment?ids=${alias}&ids=${two},${one}`))).toEqual(
      new Set([String(one), String(two)]),
    )
  })

  test('an empty list for a bug without comments', async () => {
    const { about } = await quiet()

    expect((await get(ANYONE, `/rest/bug/${about.id}/comment`)).body).toEqual({
      bugs: { [about.id]: { comments: [] } },
      comments: {},
    })
  })

  test('those newer than a moment, and none of that moment', async () => {
    const { about, said } = await quiet()
    for (const [i, body] of ['a', 'b', 'c'].entries()) {
      await said(body, { createdAt: 1_700_000_000 + i })
    }
    const since = async (moment: string) =>
      textsOf(await comments(about.id, ANYONE, `?new_since=${encodeURIComponent(moment)}`)).join('')

    expect(await since('2023-11-14T22:13:19Z')).toBe('abc')
    expect(await since('2023-11-14T22:13:20Z')).toBe('bc')
    expect(await since('2023-11-14T22:13:20')).toBe('bc')
    expect(await since('2023-11-14 22:13:21')).toBe('c')
    expect(await since('2023-11-14T23:13:21+01:00')).toBe('c')
    expect(await since('20231114T22:13:22')).toBe('')
    expect(await since('2023-11-14')).toBe('abc')
    expect(await since('2023-11-15')).toBe('')
    expect(await since('')).toBe('abc')
  })

  test('only the selected fields of each comment, in an envelope that stays', async () => {
    const id = await postBug(reporter, place, { description: 'first' })
    const [own] = await comments(id)

    expect(await comments(id, ANYONE, '?include_fields=text,creator')).toEqual([
      { text: 'first', creator: reporter.login },
    ])
    expect(await comments(id, ANYONE, '?include_fields=id&include_fields=text')).toEqual([
      { id: own?.id, text: 'first' },
    ])
    expect(await comments(id, ANYONE, '?include_fields=nonsense')).toEqual([{}])
    expect(await comments(id, ANYONE, '?exclude_fields=text,raw_text')).toEqual([
      expect.not.objectContaining({ text: 'first' }),
    ])
    expect(await comment(Number(own?.id), ANYONE, '?include_fields=count')).toEqual({ count: 0 })
  })

  test('their tags in order', async () => {
    const { about, said } = await quiet()
    const id = await said('tagged')
    await execute(sql`INSERT INTO comment_tags (comment_id, name, name_fold)
      VALUES (${id}, 'spam', 'spam'), (${id}, 'Later', 'later')`)

    expect((await comments(about.id))[0]?.tags).toEqual(['Later', 'spam'])
  })

  test('one comment by its number', async () => {
    const id = await postBug(reporter, place, { description: 'first' })
    const [own] = await comments(id)

    expect(await comment(Number(own?.id))).toEqual(own)
    expect(await comment(`00${own?.id}`)).toEqual(own)
    expect(await comment(`%20${own?.id}`)).toEqual(own)
  })

  test.each([
    ['attachment_created', 'words', 'Created attachment {a}\nA patch\n\nwords'],
    ['attachment_created', '', 'Created attachment {a}\nA patch'],
    ['attachment_updated', 'words', 'Comment on attachment {a}\nA patch\n\nwords'],
  ] as const)('the lead-in of a comment of the kind %s on %j', async (kind, body, expected) => {
    const { about, said } = await quiet()
    const attachmentId = await insertAttachment(about, reporter, { summary: 'A patch' })
    const id = await said(body, { kind, attachmentId })

    expect(await comment(id)).toMatchObject({
      attachment_id: attachmentId,
      raw_text: body,
      text: expected.replace('{a}', String(attachmentId)),
    })
  })

  test.each([
    ['duplicate_of', '', '*** This bug has been marked as a duplicate of bug {b} ***'],
    [
      'duplicate_of',
      'Same.',
      'Same.\n\n*** This bug has been marked as a duplicate of bug {b} ***',
    ],
    ['has_duplicate', '', '*** Bug {b} has been marked as a duplicate of this bug. ***'],
  ] as const)('the notice of a comment of the kind %s on %j', async (kind, body, expected) => {
    const { said } = await quiet()
    const other = await insertBug()
    const id = await said(body, { kind, relatedBugId: other.id })

    expect(await comment(id)).toMatchObject({
      attachment_id: null,
      raw_text: body,
      text: expected.replace('{b}', String(other.id)),
    })
  })

  test('in one trip, and one more for a caller seen for the first time', async () => {
    const id = await postBug(reporter, place)
    const [own] = await comments(id)

    for (const path of [`/rest/bug/${id}/comment`, `/rest/bug/comment/${own?.id}`]) {
      expect((await get(ANYONE, path)).cost.trips).toBe(1)
      expect((await get(reporter, path)).cost.trips).toBe(1)
      expect((await get(await insertPerson(), path)).cost.trips).toBe(2)
    }
  })

  test('reading the comments of the bugs that were asked for, and of no other', async () => {
    const { about, said } = await quiet()
    for (let i = 0; i < 3; i += 1) {
      await said('x')
    }
    const other = await quiet()
    await other.said('x')
    const cost = async () => (await get(ANYONE, `/rest/bug/${about.id}/comment`)).cost.read
    const before = await cost()
    for (let i = 0; i < 20; i += 1) {
      await other.said('x')
    }

    expect(await cost()).toBe(before)
  })
})

describe('refuses', () => {
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
  ])('%s', async (path, status, code) => {
    for (const who of [ANYONE, insider]) {
      expectFault(await get(who, `/rest/bug/${path}`), status, code)
    }
  })

  test('all bugs when one of them is hidden or unknown', async () => {
    const id = await postBug(reporter, place)
    const { about } = await quiet({ groups: [secret] })

    expectFault(
      await get(ANYONE, `/rest/bug/${id}/comment?ids=${about.id}`),
      401,
      102,
      'Signing in',
    )
    expectFault(await get(stranger, `/rest/bug/${about.id}/comment?ids=no-such`), 401, 102)
    expectFault(await get(stranger, `/rest/bug/${id}/comment?ids=no-such`), 400, 100)
  })

  test('a comment on a hidden bug, without telling which bug that is', async () => {
    const { about, said } = await quiet({ reporter: stranger, groups: [secret] })
    await updateBugRow(about.id, { is_creator_accessible: 0 })
    const open = await said('open')
    const hidden = await said('private', { isPrivate: true })

    for (const id of [open, hidden]) {
      for (const who of [ANYONE, stranger, insider]) {
        const answer = await get(who, `/rest/bug/comment/${id}`)
        expectFault(answer, 401, 102, `comment ${id}`)
        expect(answer.text).not.toContain(`bug ${about.id}`)
      }
    }
    expect((await comment(open, member)).text).toBe('open')
  })

  test('a private comment to all but insiders, its author included', async () => {
    const { said } = await quiet()
    const id = await said('private', { isPrivate: true })

    for (const who of [ANYONE, stranger, reporter]) {
      expectFault(await get(who, `/rest/bug/comment/${id}`), 401, 110, String(id))
    }
    expect(await comment(id, insider)).toMatchObject({ text: 'private', is_private: true })
  })
})

describe('hides', () => {
  test('private comments, leaving gaps where they are', async () => {
    const { about, said } = await quiet()
    for (const [i, body] of ['a', 'b', 'c', 'd'].entries()) {
      await said(body, { isPrivate: i % 2 === 1, createdAt: NOW + i })
    }
    const seen = async (who: Sender, query = '') =>
      (await comments(about.id, who, query)).map(({ count, text }) => `${count}${text}`)

    for (const who of [ANYONE, stranger, reporter]) {
      expect(await seen(who)).toEqual(['0a', '2c'])
      expect(await seen(who, '?new_since=2020-01-01')).toEqual(['0a', '2c'])
    }
    expect(await seen(insider)).toEqual(['0a', '1b', '2c', '3d'])
  })

  test('the comments of a hidden bug from all but those who see it', async () => {
    const [owner, assignee, copied] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const { about, said } = await quiet({
      reporter: owner,
      assignee,
      cc: [copied],
      groups: [secret],
    })
    await said('hush')

    for (const who of [ANYONE, stranger, insider]) {
      expectFault(await get(who, `/rest/bug/${about.id}/comment`), 401, 102)
    }
    for (const who of [member, owner, assignee, copied]) {
      expect(textsOf(await comments(about.id, who))).toEqual(['hush'])
    }
  })

  test('what is said about a private attachment from all but insiders and its submitter', async () => {
    const { about, said } = await quiet()
    const attachmentId = await insertAttachment(about, reporter, {
      summary: 'A secret',
      isPrivate: true,
    })
    const id = await said('words', { kind: 'attachment_updated', attachmentId })
    const lead = `Comment on attachment ${attachmentId}`

    for (const who of [ANYONE, stranger]) {
      expectFault(await get(who, `/rest/bug/comment/${id}`), 401, 110)
      expect(await comments(about.id, who)).toEqual([])
    }
    for (const who of [insider, reporter]) {
      expect((await comment(id, who)).text).toBe(`${lead}\nA secret\n\nwords`)
    }
  })

  test('the number of a hidden duplicate or original', async () => {
    const { about, said } = await quiet()
    const hidden = await insertBug({ groups: [secret] })
    await said('Same.', { kind: 'duplicate_of', relatedBugId: hidden.id })
    await said('', { kind: 'has_duplicate', relatedBugId: hidden.id })

    for (const who of [ANYONE, stranger, insider]) {
      expect(textsOf(await comments(about.id, who))).toEqual([
        'Same.\n\n*** This bug has been marked as a duplicate of another bug ***',
        '*** Another bug has been marked as a duplicate of this bug. ***',
      ])
    }
    expect(textsOf(await comments(about.id, member)).join('\n')).toContain(`ug ${hidden.id} `)
  })

  test('the domains of logins from anonymous callers, where that is set', async () => {
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
