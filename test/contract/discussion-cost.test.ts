import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildAttachmentBody, postAttachment } from '../support/builders/attachments.ts'
import { copyBug, postBug } from '../support/builders/bugs.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestPerson } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { send } from '../support/client.ts'
import { updateAttachment } from '../support/clients/attachments.ts'
import { execute } from '../support/database/execute.ts'
import { loadFlags } from '../support/database/flags.ts'

/**
 * Comments, attachments and flags of other bugs cost the answers about one bug no row: every request is sent
 * in a small tracker, and sent again once there is much more of everything.
 */

const BUGS = 300
/** Comments, attachments, flags, changes of flags, and visits for each of them. */
const EACH = 10

/** The next entries of an index, at which a statement sees that it has reached the end. */
const SLACK = 8

type World = Awaited<ReturnType<typeof buildWorld>>
type Line = [name: string, request: (w: World) => string, body?: (w: World) => object]

async function buildWorld() {
  const author = await insertPerson()
  const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  const place = await insertProduct()
  const scope = [{ productId: place.id }]
  const review = await insertFlagType({ target: 'attachment' }, scope)
  const info = await insertFlagType({ target: 'bug' }, scope)
  const bug = await postBug(author, place, { description: 'It is.', cc: [editor.login] })
  const file = await postAttachment(author, bug)
  const flags = [{ name: review.name, status: '?', requestee: author.login }]
  expect((await updateAttachment(editor, file, { flags })).status).toBe(200)
  const [flag] = await loadFlags(bug)
  const [comment] = await execute(sql`SELECT id FROM comments WHERE bug_id = ${bug} AND number = 0`)
  const tag = uniqueName('tag').slice(0, 20)
  const tagged = await send(editor, 'PUT', `/rest/bug/comment/${comment?.id}/tags`, { add: [tag] })
  expect(tagged.status).toBe(200)
  const more = await copyBug(bug, BUGS)
  const ids = { flag: Number(flag?.id), comment: Number(comment?.id) }
  return { author, editor, review, info, bug, file, ...ids, tag, more }
}

/** Much more of everything, on other bugs and by other people; tags that are used already. */
async function grow({ more, review, info }: World, somebody: TestPerson): Promise<void> {
  const on = sql`FROM json_each(${JSON.stringify(more)}) b
    JOIN json_each(${JSON.stringify([...Array(EACH).keys()])}) n`
  const flag = (
    type: number,
  ) => sql`INSERT INTO flags (type_id, bug_id, status, setter_id, requestee_id,
      created_at, modified_at) SELECT ${type}, b.value, '?', ${somebody.id}, ${somebody.id}, 1, 1 ${on}`
  await execute(
    sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
      SELECT b.value, n.value, ${somebody.id}, 1, 'Said elsewhere.' ${on}`,
    sql`INSERT INTO comment_tags (comment_id, name, name_fold)
      SELECT c.id, t.name, t.name_fold FROM comments c, comment_tag_weights t
      WHERE c.author_id = ${somebody.id} AND t.weight < 100`,
    sql`INSERT INTO attachments (bug_id, submitter_id, created_at, changed_at, file_name, summary,
        summary_fold, content_type, size, object_key, sha256)
      SELECT b.value, ${somebody.id}, 1, 1, 'f', 's', 's', 'text/plain', 1,
        b.value || '/' || n.value || ${uniqueName('key')}, '' ${on}`,
    flag(info.id),
    sql`INSERT INTO flags (type_id, bug_id, attachment_id, status, setter_id, created_at, modified_at)
      SELECT ${review.id}, bug_id, id, '+', submitter_id, 1, 1 FROM attachments
      WHERE submitter_id = ${somebody.id}`,
    sql`INSERT INTO flag_activity (flag_id, type_id, bug_id, attachment_id, status, setter_id,
        requestee_id, happened_at)
      SELECT id, type_id, bug_id, attachment_id, status, setter_id, requestee_id, 1 FROM flags
      WHERE setter_id = ${somebody.id}`,
    sql`INSERT INTO visits (user_id, bug_id, visited_at)
      SELECT ${somebody.id}, value, 1 FROM json_each(${JSON.stringify(more)})`,
  )
}

const READS: Line[] = [
  ['the comments of a bug', ({ bug }) => `GET /rest/bug/${bug}/comment`],
  ['newer comments', ({ bug }) => `GET /rest/bug/${bug}/comment?new_since=2020-01-01`],
  ['a comment', ({ comment }) => `GET /rest/bug/comment/${comment}`],
  ['a rendered text', () => 'POST /rest/bug/comment/render', renderBody],
  ['the attachments of a bug', ({ bug }) => `GET /rest/bug/${bug}/attachment`],
  ['an attachment', ({ file }) => `GET /rest/bug/attachment/${file}`],
  ['a download', ({ file }) => `GET /attachment/${file}`],
  ['a bug with everything', ({ bug }) => `GET /rest/bug/${bug}?include_fields=_all`],
  ['what happened to a flag', ({ flag }) => `GET /rest/review/flag_activity/${flag}`],
  [
    'the flags that somebody requested',
    ({ editor }) => `GET /rest/review/flag_activity/setter/${editor.login}?status=all`,
  ],
  [
    'the flags that were requested of somebody',
    ({ author }) => `GET /rest/review/flag_activity/requestee/${author.login}`,
  ],
  ['what happened to flags of a bug', ({ bug }) => `GET /rest/review/flag_activity?bug_id=${bug}`],
  [
    'the first that happened to flags of a type',
    ({ review }) => `GET /rest/review/flag_activity/type_id/${review.id}?limit=1`,
  ],
  [
    'the first that happened to flags of a name',
    ({ review }) => `GET /rest/review/flag_activity/type_name/${review.name}?limit=1`,
  ],
  ['the first that happened to any flag', () => 'GET /rest/review/flag_activity?limit=1'],
  [
    'the first that happened to any flag of late',
    () => 'GET /rest/review/flag_activity?after=2020-01-01&limit=1',
  ],
  ['last visits', () => 'GET /rest/bug_user_last_visit'],
  ['a last visit', ({ bug }) => `GET /rest/bug_user_last_visit/${bug}`],
]

const WRITES: Line[] = [
  [
    'a comment',
    ({ bug }) => `POST /rest/bug/${bug}/comment`,
    () => ({ comment: 'x', work_time: 1 }),
  ],
  ['tags', ({ comment }) => `PUT /rest/bug/comment/${comment}/tags`, () => ({ add: ['later'] })],
  ['the same tags', ({ comment }) => `PUT /rest/bug/comment/${comment}/tags`, sameTags],
  [
    'an attachment with flags',
    ({ bug }) => `POST /rest/bug/${bug}/attachment`,
    ({ review, info, author }) =>
      buildAttachmentBody({
        flags: [{ name: review.name, status: '?', requestee: author.login }],
        bug_flags: [{ name: info.name, status: '+', new: true }],
      }),
  ],
  [
    'a change of an attachment and its flag',
    ({ file }) => `PUT /rest/bug/attachment/${file}`,
    ({ flag }) => ({ summary: uniqueName('s'), comment: 'x', flags: [{ id: flag, status: '+' }] }),
  ],
  ['a visit', ({ bug }) => `POST /rest/bug_user_last_visit/${bug}`, () => ({})],
]

function renderBody({ bug, file }: World) {
  return { text: `bug ${bug} and attachment ${file}`, id: bug }
}

function sameTags({ tag }: World) {
  return { add: [tag] }
}

/** What each request costs each of its senders. */
async function costs(w: World, lines: readonly Line[]): Promise<Map<string, number[]>> {
  const read = new Map<string, number[]>()
  for (const [name, request, body] of lines) {
    const [method = '', path = ''] = request(w).split(' ')
    for (const who of method === 'GET' ? [w.editor, w.author] : [w.editor]) {
      const answer = await send(who, method, path, body?.(w))
      expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(300)
      read.set(name, [...(read.get(name) ?? []), answer.cost.read])
    }
  }
  return read
}

describe('comments and changes of other bugs cost no more rows than neighbours:', () => {
  let before: Map<string, number[]>
  let after: Map<string, number[]>

  beforeAll(async () => {
    const [world, first, second] = [await buildWorld(), await buildWorld(), await buildWorld()]
    before = new Map([...(await costs(world, READS)), ...(await costs(first, WRITES))])
    await grow(world, await insertPerson())
    after = new Map([...(await costs(world, READS)), ...(await costs(second, WRITES))])
  })

  test.each([...READS, ...WRITES])('%s', (name) => {
    const few = before.get(name) ?? []
    expect(few.length).toBeGreaterThan(0)
    for (const [place, read] of (after.get(name) ?? []).entries()) {
      expect(read).toBeLessThanOrEqual((few[place] ?? 0) + SLACK)
    }
  })
})
