import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openSession } from '../../src/platform/db/session.ts'
import { getBug, getBugInput } from '../../src/tracker/bugs/read/get.ts'
import { insertBug, restrictBug } from '../support/builders/bugs.ts'
import { buildCtx } from '../support/builders/callers.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import type { TestPerson } from '../support/builders/types.ts'
import { NOW } from '../support/builders/unique.ts'
import { ANYONE, get, type Sender } from '../support/client.ts'
import { searchBugIds } from '../support/clients/bugs.ts'
import { execute } from '../support/database/execute.ts'

/**
 * Bugs with long discussions are read in one trip, with rows in proportion to the answer. An answer that does
 * not fit into memory is streamed while it is read.
 */

const COMMENTS = 5000
const ATTACHMENTS = 500

/** A row of its own, its author, and one look at its length. */
const ROWS_PER_COMMENT = 3
/** The attachment that a comment is about: whether it is seen, twice, and its summary. */
const ROWS_ABOUT_ATTACHMENT = 3
/** A row of its own, who submitted it, and the list of its flags. */
const ROWS_PER_ATTACHMENT = 4

/** So many comments on a bug, the first ones about attachments; every tenth is private. */
async function discuss(bugId: number, count: number, attached: number, body = `'Word ' || i`) {
  const numbers = sql`WITH RECURSIVE n(i) AS (
    SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`
  await execute(
    sql`${numbers} INSERT INTO attachments (bug_id, submitter_id, created_at, changed_at, file_name,
        summary, summary_fold, content_type, size, object_key, sha256, is_private)
      SELECT ${bugId}, ${insider.id}, ${NOW} + i, ${NOW} + i, 'a.txt', 'Part ' || i, 'part ' || i,
        'text/plain', 1, 'attachments/none', '', i % 10 = 9 FROM n WHERE i < ${attached}`,
    sql`${numbers} INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private, kind,
        attachment_id)
      SELECT ${bugId}, i, ${author.id}, ${NOW} + i, ${sql.raw(body)}, i % 10 = 9,
        iif(a.id IS NULL, 'plain', 'attachment_created'), a.id
      FROM n LEFT JOIN attachments a ON a.bug_id = ${bugId} AND a.created_at = ${NOW} + i`,
  )
}

const author = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const long = (await insertBug({ reporter: author })).id
await discuss(long, COMMENTS, ATTACHMENTS)

/** The discussion of a bug as it is shown. */
type Discussion = {
  comments: { count: number; text: string }[]
  attachments: { summary: string }[]
}

async function readDiscussion(who: Sender, path: string) {
  const answer = await get(who, `/rest/bug/${path}`)
  expect(answer.status, answer.text.slice(0, 300)).toBe(200)
  return answer.body.bugs[0] as Discussion
}

/** Reads the bug in a session that counts the cost to the end of the answer. */
async function costOf(who: TestPerson, roles: 'insider'[], query: object) {
  const session = openSession(env.DB, 'first-primary')
  const input = getBugInput.parse({ id_or_alias: String(long), ...query })
  const answer = await getBug.run(buildCtx(who, roles, session), input)
  const whole = answer instanceof Response ? await answer.json() : answer
  return { cost: session.cost, bug: (whole as { bugs: Discussion[] }).bugs[0] }
}

describe('a bug with 5,000 comments and 500 attachments', () => {
  const SELECTION = { include_fields: ['id', 'comments', 'attachments'] }

  test.each([
    ['an insider', ['insider'], COMMENTS, ATTACHMENTS],
    ['a stranger', [], COMMENTS * 0.9, ATTACHMENTS * 0.9],
  ] as const)('is read by %s in one trip, with rows in proportion', async (_, roles, ...shown) => {
    const [comments, attachments] = shown
    const { cost, bug } = await costOf(author, [...roles], SELECTION)

    expect([bug?.comments.length, bug?.attachments.length]).toEqual([comments, attachments])
    expect(cost.trips).toBe(1)
    expect(cost.rowsRead).toBeLessThan(
      ROWS_PER_COMMENT * COMMENTS +
        ROWS_ABOUT_ATTACHMENT * ATTACHMENTS +
        ROWS_PER_ATTACHMENT * ATTACHMENTS +
        50,
    )
  })

  test('lists all comments in order, with the texts about attachments', async () => {
    const bug = await readDiscussion(insider, `${long}?include_fields=comments,attachments`)

    expect(bug.comments.map(({ count }) => count)).toEqual([...Array(COMMENTS).keys()])
    expect(bug.comments[3]?.text).toMatch(/^Created attachment \d+\nPart 3\n\nWord 3$/)
    expect(bug.comments.at(-1)?.text).toBe(`Word ${COMMENTS - 1}`)
    expect(bug.attachments.map(({ summary }) => summary)).toEqual(
      Array.from({ length: ATTACHMENTS }, (_, i) => `Part ${i}`),
    )
  })

  test('is answered the same by a search as by its ID', async () => {
    const [single, searched] = [
      await get(ANYONE, `/rest/bug/${long}?include_fields=id,comments`),
      await get(ANYONE, `/rest/bug?id=${long}&include_fields=id,comments`),
    ]
    expect(searched.body.bugs).toEqual(single.body.bugs)
    expect(await searchBugIds(`id=${long}`)).toEqual([long])
  })

  test.each([
    ['include_fields=comments.count,comments.text', ['count', 'text']],
    [
      'include_fields=_extra&exclude_fields=comments.raw_text,comments.creator,comments.author,comments.time',
      [
        ...['attachment_id', 'bug_id', 'count', 'creation_time', 'id', 'is_markdown'],
        ...['is_private', 'tags', 'text'],
      ],
    ],
  ])('is answered with only the requested fields of comments: %s', async (query, fields) => {
    const bug = await readDiscussion(insider, `${long}?${query}`)
    expect(bug.comments.map((comment) => Object.keys(comment).sort())).toEqual(
      Array.from({ length: COMMENTS }, () => fields),
    )
  })

  test('is answered with only the comments newer than new_since', async () => {
    const since = new Date((NOW + COMMENTS - 3) * 1000).toISOString()
    const bug = await readDiscussion(insider, `${long}?include_fields=comments&new_since=${since}`)
    expect(bug.comments.map(({ count }) => count)).toEqual([COMMENTS - 2, COMMENTS - 1])
  })
})

describe('bugs with more text than may be read at once', () => {
  const LONG = `hex(zeroblob(30000)) || i`
  const LENGTHS = [90, 130, 20, 0]
  const ids: number[] = []

  beforeAll(async () => {
    for (const length of LENGTHS) {
      const { id } = await insertBug({ reporter: author })
      ids.push(id)
      if (length > 0) {
        await discuss(id, length, 0, LONG)
      }
    }
  })

  const inOrder = (length: number) => [...Array(length).keys()]

  test('are answered in the order requested, each with all of its comments', async () => {
    const session = openSession(env.DB, 'first-primary')
    const [first, ...others] = ids.toReversed()
    const input = getBugInput.parse({
      id_or_alias: String(first),
      ids: others.map(String),
      include_fields: ['id', 'comments'],
    })
    const answer = await getBug.run(buildCtx(insider, ['insider'], session), input)
    expect(answer).toBeInstanceOf(Response)
    let text = ''
    let largest = 0
    const decoder = new TextDecoder()
    for await (const piece of (answer as Response).body ?? []) {
      largest = Math.max(largest, piece.byteLength)
      text += decoder.decode(piece, { stream: true })
    }
    const { bugs } = JSON.parse(text) as { bugs: (Discussion & { id: number })[] }

    expect(bugs.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(bugs.map(({ comments }) => comments.map(({ count }) => count))).toEqual(
      LENGTHS.toReversed().map(inOrder),
    )
    expect(bugs[2]?.comments.at(-1)?.text).toMatch(/^0+129$/)
    expect(largest).toBeLessThan(500_000)
    // the first ends inside the second bug, whose rest takes two; those behind it take one each, and one their length
    expect(session.cost.trips).toBe(6)
  })

  test('are answered with all of their comments by a search as well', async () => {
    const query = `${ids.map((id) => `id=${id}`).join('&')}&include_fields=id,comments`
    const { body } = await get(insider, `/rest/bug?${query}&order=bug_id`)

    expect(body.bugs.map(({ comments }: Discussion) => comments.map(({ count }) => count))).toEqual(
      LENGTHS.map(inOrder),
    )
  })

  test('are answered without private comments, wherever a part ends', async () => {
    const bug = await readDiscussion(ANYONE, `${ids[1]}?include_fields=comments`)
    expect(bug.comments.map(({ count }) => count)).toEqual(inOrder(130).filter((i) => i % 10 !== 9))
  })

  test('are refused to people who may not see one of them', async () => {
    const [hidden = 0] = ids
    await restrictBug(hidden, await insertGroup())
    const answer = await get(ANYONE, `/rest/bug/${hidden}?include_fields=comments`)
    expect([answer.status, answer.body.code]).toEqual([401, 102])
  })
})
