import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertComment, insertNotice, type NewComment } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put, type Sender } from '../../support/client.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

let about: TestBug
let comment: number

const tagger = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['editbugs', 'insider'] })
const plain = await insertPerson()
const secret = await insertGroup()

beforeEach(async () => {
  about = await insertBug({ reporter: plain })
  comment = await insertOwnComment()
})

const word = () => uniqueName('t').slice(0, 24)

async function insertOwnComment(more: Partial<NewComment> = {}): Promise<number> {
  return insertComment(about, plain, {
    noticeId: await insertNotice(about, plain),
    body: 'Words.',
    ...more,
  })
}

const updateTags = (body: unknown, who: Sender = tagger, id: number | string = comment) =>
  put(who, `/rest/bug/comment/${id}/tags`, body)

async function readTagsAfter(body: unknown, who: Sender = tagger, id = comment): Promise<string[]> {
  const answer = await updateTags(body, who, id)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

async function found(text: string, who: Sender = tagger, query = ''): Promise<string[]> {
  const answer = await get(who, `/rest/bug/comment/tags/${encodeURIComponent(text)}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const past = async () =>
  (await loadRowsOfBug('history', about.id)).map(({ field, removed, added, comment_id }) => [
    field,
    removed,
    added,
    comment_id,
  ])

describe('PUT /bug/comment/:id/tags', () => {
  test('returns the new tags of the comment, sorted, in three round trips', async () => {
    const answer = await updateTags({ comment_id: comment, add: ['spam', 'Later', 'a.b-c_1'] })

    expect(answer).toMatchObject({ status: 200, cost: { trips: 3 } })
    expect(answer.body).toEqual(['a.b-c_1', 'Later', 'spam'])
    expect(await readTagsAfter({ remove: ['later', 'never'] })).toEqual(['a.b-c_1', 'spam'])
    expect(await readTagsAfter({})).toEqual(['a.b-c_1', 'spam'])
    const read = await get(ANYONE, `/rest/bug/comment/${comment}`)
    expect(read.body.comments[comment].tags).toEqual(['a.b-c_1', 'spam'])
  })

  test('keeps the case in which a tag was first typed', async () => {
    expect(await readTagsAfter({ add: ['Spam', 'SPAM'] })).toEqual(['Spam'])
    expect(await readTagsAfter({ add: 'spam' })).toEqual(['Spam'])
    expect(await readTagsAfter({ remove: 'sPAM' })).toEqual([])
  })

  test('removes a tag that is both added and removed', async () => {
    expect(await readTagsAfter({ add: ['one', 'two'], remove: ['ONE'] })).toEqual(['two'])
    expect(await past()).toEqual([['comment_tag', '', 'two', comment]])
  })

  test('accepts tags in any script, 3 to 24 characters long', async () => {
    expect(await readTagsAfter({ add: ['日本語', 'x'.repeat(24), 'größe'] })).toHaveLength(3)
  })

  test('keeps all tags that many people add at once', async () => {
    const words = Array.from({ length: 12 }, (_, i) => `tag${i}`)
    await Promise.all(words.map((one) => readTagsAfter({ add: [one, 'common'] })))

    expect(await readTagsAfter({})).toEqual(['common', ...words].toSorted())
    const added = (await past()).flatMap(([, , given]) => String(given).split(', '))
    expect(added.toSorted()).toEqual(['common', ...words].toSorted())
  })

  test('adds tags until the comment has 100, and refuses more', async () => {
    const words = Array.from({ length: 98 }, (_, i) => `tag${i}`)
    await readTagsAfter({ add: words })
    const more = ['one', 'two', 'three'].map((tag) => updateTags({ add: [tag] }))
    const statuses = (await Promise.all(more)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 200, 400])
    await expectRefusal(() => updateTags({ add: ['four'] }), 53, '100 tags')
    expect(await readTagsAfter({ add: ['tag1'] })).toHaveLength(100)
    expect(await readTagsAfter({ add: ['four'], remove: ['tag1'] })).toHaveLength(100)
  })
})

describe('PUT /bug/comment/:id/tags', () => {
  test('records what really changed, with the comment, and sends no mail', async () => {
    const before = await loadBugRow(about.id)
    const notices = await loadRowsOfBug('notices', about.id)
    await readTagsAfter({ add: ['spam', 'Later'] })
    await readTagsAfter({ add: ['SPAM', 'new'], remove: ['LATER', 'absent'] })
    await readTagsAfter({ add: ['spam'], remove: ['absent'] })

    expect(await past()).toEqual([
      ['comment_tag', '', 'Later, spam', comment],
      ['comment_tag', 'Later', 'new', comment],
    ])
    const rows = await loadRowsOfBug('history', about.id)
    expect(rows).toMatchObject([
      { author_id: tagger.id, notice_id: null, added_fold: 'later, spam' },
      { author_id: tagger.id, notice_id: null, removed_fold: 'later' },
    ])
    expect(await loadBugRow(about.id)).toEqual(before)
    expect(await loadRowsOfBug('notices', about.id)).toEqual(notices)
  })

  test('records how many comments carry a tag, and forgets the tag with the last', async () => {
    const name = word()
    const weight = async () =>
      (await execute(sql`SELECT weight FROM comment_tag_weights WHERE name_fold = ${name}`))[0]
        ?.weight
    const other = await insertOwnComment()
    await readTagsAfter({ add: [name] })
    await readTagsAfter({ add: [name.toUpperCase()] }, tagger, other)
    await readTagsAfter({ add: [name] })

    expect(await weight()).toBe(2)
    await readTagsAfter({ remove: [name] })
    expect(await weight()).toBe(1)
    await readTagsAfter({ remove: [name] }, tagger, other)
    expect(await weight()).toBeUndefined()
  })
})

describe('PUT /bug/comment/:id/tags', () => {
  test('rejects everybody who may not tag, before anything is shown of the comment', async () => {
    await expectRefusal(() => updateTags({ add: ['spam'] }, ANYONE), 410)
    await expectRefusal(() => updateTags({ add: ['spam'] }, plain), 304)
    await expectRefusal(() => updateTags({ add: ['x'] }, plain, 2147483647), 304)
  })

  test.each(['2147483647', '0', '-1', 'abc', '%23'])(
    'rejects the comment %s, which is none',
    async (id) => {
      await expectRefusal(() => updateTags({ add: ['x'] }, tagger, id), 111)
    },
  )

  test('rejects comments that the caller may not read', async () => {
    const hidden = await insertOwnComment({ isPrivate: true })
    await expectRefusal(() => updateTags({ add: ['spam'] }, tagger, hidden), 110)
    expect(await readTagsAfter({ add: ['spam'] }, insider, hidden)).toEqual(['spam'])
    await restrictBug(about.id, secret)
    for (const id of [comment, hidden]) {
      await expectRefusal(() => updateTags({ add: ['spam'] }, insider, id), 102, `comment ${id}`)
    }
  })

  test('rejects everybody where tags are switched off', async () => {
    const sendWithoutTags = async (method: string, path: string, who: TestPerson) => {
      const headers = { 'x-tracker-api-key': who.key }
      const body = method === 'PUT' ? '{}' : undefined
      const settings = { COMMENT_TAGGERS_GROUP: '' }
      return (await fetchWith(settings, path, { method, headers, body })).json()
    }
    for (const who of [tagger, plain]) {
      expect(await sendWithoutTags('PUT', `/rest/bug/comment/${comment}/tags`, who)).toMatchObject({
        code: 125,
      })
      expect(await sendWithoutTags('GET', '/rest/bug/comment/tags/x', who)).toMatchObject({
        code: 125,
      })
    }
  })
})

describe('GET /bug/comment/tags/:query', () => {
  test('finds tags that contain a text, the most used first, then by name', async () => {
    const base = word().slice(0, 16)
    const [often, B, a] = [`x${base}y`, `${base}-B`, `${base}-a`]
    await readTagsAfter({ add: [often, B, a] })
    await readTagsAfter({ add: [often] }, tagger, await insertOwnComment())

    expect(await found(base.toUpperCase())).toEqual([often, a, B])
    expect(await found(base, tagger, '?limit=1')).toEqual([often])
    expect(await found(`${base}-`)).toEqual([a, B])
  })

  test('finds ten tags at most by default', async () => {
    const base = word().slice(0, 16)
    await readTagsAfter({ add: Array.from({ length: 12 }, (_, i) => `${base}.${i}`) })

    for (const [query, length] of [
      ['', 10],
      ['?limit=0', 10],
      ['?limit=12', 12],
    ] as const) {
      expect(await found(base, tagger, query)).toHaveLength(length)
    }
  })

  test('takes wildcards literally', async () => {
    await readTagsAfter({ add: ['percent'] })

    expect(await found('%')).toEqual([])
    expect(await found('perc_nt')).toEqual([])
    expect(await found('p*')).toEqual([])
  })

  test('admits members of the group that the setting names', async () => {
    const team = await insertGroup([plain])
    const searchWithGroup = (who: TestPerson, name: string) =>
      fetchWith({ COMMENT_TAGGERS_GROUP: name }, '/rest/bug/comment/tags/x', {
        headers: { 'x-tracker-api-key': who.key },
      })

    expect((await searchWithGroup(plain, team.name.toUpperCase())).status).toBe(200)
    expect((await searchWithGroup(tagger, team.name)).status).toBe(401)
    expect((await searchWithGroup(tagger, 'no such group')).status).toBe(401)
  })
})

describe('GET /bug/comment/tags/:query', () => {
  test('rejects callers who may not tag, and a limit that is no number', async () => {
    expectFault(await get(ANYONE, '/rest/bug/comment/tags/x'), 401, 410)
    expectFault(await get(plain, '/rest/bug/comment/tags/x'), 401, 304)
    expectFault(await get(tagger, '/rest/bug/comment/tags/x?limit=many'), 400, 52, 'limit')
  })
})

describe('GET /bug/comment/tags/:query', () => {
  test('hides tags that only comments carry which the caller may not see', async () => {
    const [open, shy, far] = [word(), word(), word()]
    const base = open.slice(0, 1)
    await readTagsAfter({ add: [open] })
    await readTagsAfter({ add: [shy, open] }, insider, await insertOwnComment({ isPrivate: true }))
    about = await insertBug()
    await readTagsAfter({ add: [far, open] }, tagger, await insertOwnComment())
    await restrictBug(about.id, secret)

    const seenBy = async (who: TestPerson) =>
      (await found(base, who, '?limit=1000')).filter((name) => [open, shy, far].includes(name))
    expect(await seenBy(tagger)).toEqual([open])
    expect(new Set(await seenBy(insider))).toEqual(new Set([open, shy]))
  })
})

describe('a comment with more than 100 tags, as an import brings it', () => {
  const insertTags = (count: number) =>
    execute(sql`INSERT INTO comment_tags (comment_id, name, name_fold)
      SELECT ${comment}, 'old' || value, 'old' || value FROM json_each(${JSON.stringify([...Array(count).keys()])})`)

  test('takes no other one, even for some that go, until it has fewer', async () => {
    await insertTags(150)
    const [gone, rest] = [['old1', 'old2'], Array.from({ length: 50 }, (_, n) => `old${n + 90}`)]
    await expectRefusal(() => updateTags({ add: ['new'], remove: gone }), 53, '100 tags')
    expect(await readTagsAfter({ add: ['new'], remove: [...gone, ...rest] })).toHaveLength(99)
  })

  test('keeps its tags when one of them is added again', async () => {
    await insertTags(150)
    expect(await readTagsAfter({ add: ['old149'] })).toHaveLength(150)
  })
})
