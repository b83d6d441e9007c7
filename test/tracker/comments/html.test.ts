import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertBug, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get, post, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const author = await insertPerson()
const member = await insertPerson()
const place = await insertProduct()
const secret = await insertGroup([member])
const hidden = await insertBug({ summary: 'Nobody knows' })
await restrictBug(hidden.id, secret)

async function fileWith(...texts: string[]): Promise<number> {
  const id = await postBug(author, place, { description: 'first' })
  for (const comment of texts) {
    const answer = await post(author, `/rest/bug/${id}/comment`, { comment, is_markdown: true })
    expect(answer.status, answer.text).toBe(201)
  }
  return id
}

async function htmlOf(who: Sender, id: number): Promise<string[]> {
  const { body } = await get(who, `/rest/bug/${id}/comment?include_fields=count,html`)
  return body.bugs[id].comments.map(({ html }: { html: string }) => html)
}

describe('the HTML of comments', () => {
  test('is what a rendered text is, for each comment', async () => {
    const text = '**See** comment 0, <b> and [this](javascript:x).'
    const id = await fileWith(text)
    const rendered = await post(author, '/rest/bug/comment/render', { text, id })
    expect(await htmlOf(author, id)).toEqual(['<p>first</p>\n', rendered.body.html])
    expect(rendered.body.html).toContain(`/bug/${id}#c0`)
  })

  test('links hidden bugs for those alone who see them', async () => {
    const id = await fileWith(`bug ${hidden.id}`)
    expect((await htmlOf(member, id)).join('')).toContain('Nobody knows')
    for (const who of [author, ANYONE]) {
      expect(await htmlOf(who, id)).toEqual(['<p>first</p>\n', `<p>bug ${hidden.id}</p>\n`])
    }
  })

  test('shows a text that is no Markdown as it was written', async () => {
    const id = await postBug(author, place)
    await post(author, `/rest/bug/${id}/comment`, { comment: '**plain**' })
    expect((await htmlOf(ANYONE, id)).at(-1)).toBe('<pre class="plain">**plain**</pre>\n')
  })

  test('comes with single comments too, and only to those who name it', async () => {
    const id = await fileWith('*one*')
    const all = await get(ANYONE, `/rest/bug/${id}/comment?include_fields=_all`)
    const [, { id: commentId, ...comment }] = all.body.bugs[id].comments
    expect(comment).not.toHaveProperty('html')
    expect(comment).not.toHaveProperty('creator_detail')
    const one = await get(ANYONE, `/rest/bug/comment/${commentId}?include_fields=html`)
    expect(one.body.comments[commentId]).toEqual({ html: '<p><em>one</em></p>\n' })
  })

  test('of a discussion that is streamed is complete', async () => {
    const id = await postBug(author, place, { description: 'first' })
    await addComments(id, 450, `${'word '.repeat(200)}**end**`)
    const html = await htmlOf(ANYONE, id)
    expect(html).toHaveLength(451)
    expect(html.filter((one) => one.includes('<strong>end</strong>'))).toHaveLength(450)
  })

  test('of more than one request may have is refused, and comes in pages', async () => {
    const id = await postBug(author, place, { description: 'first' })
    await addComments(id, 12, 'word '.repeat(10_000))
    const path = `/rest/bug/${id}/comment?include_fields=html`
    const refused = await get(ANYONE, path)
    expectFault(refused, 400, 53)
    expect(refused.body.message).toContain("'include_fields' asks for the HTML of more than 500000")
    const page = await get(ANYONE, `${path}&limit=6&offset=7`)
    expect(page.body.bugs[id].comments).toHaveLength(6)
    const all = await get(ANYONE, `/rest/bug/${id}/comment?include_fields=id`)
    const ids = all.body.bugs[id].comments.map((one: { id: number }) => one.id)
    const [first, ...others] = ids
    const single = `/rest/bug/comment/${first}?include_fields=html&comment_ids=${others.join(',')}`
    expectFault(await get(ANYONE, single), 400, 53)
  })

  test('counts for all calls of one request together', async () => {
    const id = await postBug(author, place, { description: 'first' })
    await addComments(id, 6, 'word '.repeat(10_000))
    const params = [{ ids: [id], include_fields: ['html'] }]
    const call = { jsonrpc: '2.0', method: 'Bug.comments', params }
    const { body } = await post(author, '/jsonrpc.cgi', [
      { ...call, id: 1 },
      { ...call, id: 2 },
    ])
    expect([body[0].error, body[1].error?.code]).toEqual([undefined, 53])
  })
})

async function addComments(id: number, count: number, text: string): Promise<void> {
  await execute(
    sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO comments (bug_id, number, author_id, created_at, body, is_markdown)
      SELECT ${id}, i, ${author.id}, unixepoch() + i, ${text}, 1 FROM n`,
    sql`UPDATE bugs SET comment_count = ${count + 1}, public_comment_count = ${count + 1} WHERE id = ${id}`,
  )
}

describe('the author of a comment', () => {
  test('comes as an object to those who name it, and not with the login alone', async () => {
    const id = await fileWith()
    const fields = async (names: string) =>
      (await get(ANYONE, `/rest/bug/${id}/comment?include_fields=${names}`)).body.bugs[id]
        .comments[0]
    expect(await fields('creator')).toEqual({ creator: author.login })
    expect((await fields('creator_detail')).creator_detail).toMatchObject({
      id: author.id,
      name: author.login,
      real_name: `Person ${author.login}`,
    })
  })
})

describe('the newest comments of a bug', () => {
  test('come with its description, and in the order of all', async () => {
    const id = await fileWith('one', 'two', 'three')
    const counts = async (newest: string) => {
      const { body } = await get(ANYONE, `/rest/bug/${id}/comment?newest=${newest}`)
      return body.bugs[id].comments.map(({ count }: { count: number }) => count)
    }
    expect(await counts('2')).toEqual([0, 2, 3])
    expect(await counts('0')).toEqual([0])
    expect(await counts('9')).toEqual([0, 1, 2, 3])
    expectFault(await get(ANYONE, `/rest/bug/${id}/comment?newest=many`), 400, 52, 'newest')
    for (const more of ['limit=2', 'offset=1', 'from_end=1', `ids=${await fileWith('other')}`]) {
      const refused = await get(ANYONE, `/rest/bug/${id}/comment?newest=2&${more}`)
      expectFault(refused, 400, 53, 'newest')
    }
  })

  test('are as many for who sees no private ones, and lead to those before', async () => {
    const id = await fileWith('one', 'two', 'three', 'four')
    await execute(sql`UPDATE comments SET is_private = 1 WHERE bug_id = ${id} AND number > 2`)
    const { body, headers } = await get(ANYONE, `/rest/bug/${id}/comment?newest=1`)
    expect(body.bugs[id].comments.map(({ count }: { count: number }) => count)).toEqual([0, 2])
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
    const { pathname, search } = new URL(next)
    const before = await get(ANYONE, `${pathname}${search}`)
    expect(before.body.bugs[id].comments.map(({ count }: { count: number }) => count)).toEqual([1])
  })

  test.each([
    'newest=20',
    'limit=20&from_end=1',
    'limit=20&from_end=1&offset=90',
    'limit=1&offset=70',
  ])('cost as many rows however long the discussion is: %s', async (query) => {
    const [few, many] = await Promise.all(
      [200, 2000].map(async (length) => {
        const id = await postBug(author, place, { description: 'first' })
        await addComments(id, length, 'word')
        const { cost } = await get(ANYONE, `/rest/bug/${id}/comment?${query}`)
        return cost.read
      }),
    )
    expect(many).toBeLessThanOrEqual((few ?? 0) + 10)
    expect(few).toBeLessThan(500)
  })
})
