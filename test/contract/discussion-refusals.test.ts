import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildAttachmentBody } from '../support/builders/attachments.ts'
import { get } from '../support/client.ts'
import { fetchWith } from '../support/clients/service.ts'
import { loadRowsOfBug } from '../support/database/bugs.ts'
import { loadFootprint } from '../support/database/footprint.ts'
import {
  buildDiscussionWorld,
  type DiscussionSenders,
  type WorldNames,
} from '../support/worlds/discussion-world.ts'

/**
 * Every number with which the contract lets operations on comments, attachments, flags and visits refuse,
 * each by a request that gets it and changes nothing.
 */

type Request = readonly [
  code: number,
  who: keyof DiscussionSenders,
  request: string,
  body?: object,
  settings?: object,
]

const CREATE = 'POST /bug/{bug}/attachment'
const UPDATE = 'PUT /bug/attachment/{file}'
const SAY = 'POST /bug/{bug}/comment'
const TAGS = 'PUT /bug/comment/{comment}/tags'
const NO_MARKDOWN = { USE_MARKDOWN: 'off' }
const NO_TAGS = { COMMENT_TAGGERS_GROUP: '' }

/** What flags are refused for, in whichever parameter. */
function flagRefusals(request: string, body: (flags: object[]) => object): Request[] {
  const of = (code: number, ...flags: object[]): Request => [code, 'author', request, body(flags)]
  return [
    of(50, { status: '?' }),
    of(51, { name: 'NoSuch', status: '?' }),
    of(51, { type_id: 999_999_999, status: '+' }),
    of(51, { id: '{foreign}', status: 'X' }),
    of(51, { name: '{review}', status: '?', requestee: 'NoSuch', new: true }),
    of(52, { id: 'one', status: '?' }),
    of(53, ...Array.from({ length: 51 }, () => ({ name: '{review}', status: '?', new: true }))),
    of(129, { name: '{review}' }),
    of(129, { name: '{review}', status: 'granted' }),
    of(129, { name: '{answer}', status: '?' }),
    of(130, { name: '{guarded}', status: '?' }),
    of(130, { name: '{guarded}', status: '+' }),
    of(131, { name: '{impersonal}', status: '?', requestee: '{stranger}' }),
    of(133, { name: '{twin}', status: '?' }),
    of(134, { name: '{retired}', status: '?' }),
    of(
      32_000,
      { name: '{single}', status: '?', new: true },
      { name: '{single}', status: '+', new: true },
    ),
    of(32_000, { name: '{review}', status: '?', requestee: '{disabled}', new: true }),
  ]
}

const attaching = (
  request: string,
  more: Record<string, unknown>,
  code: number,
  who: keyof DiscussionSenders = 'author',
) => [code, who, request, buildAttachmentBody(more)] as const

/** By the rows of the contract's table of errors. */
const CONTRACT: Record<string, readonly Request[]> = {
  'Get Attachment': [
    [100, 'author', 'GET /bug/NoSuch/attachment'],
    [101, 'author', 'GET /bug/999999999/attachment'],
    [102, 'stranger', 'GET /bug/{hidden}/attachment'],
    [102, 'anyone', 'GET /bug/attachment/{onHidden}'],
    [304, 'anyone', 'GET /bug/attachment/{secret}'],
    [304, 'editor', 'GET /bug/attachment/{file}?attachment_ids={secret}'],
    [52, 'author', 'GET /bug/attachment/NoSuch'],
  ],
  'Create Attachment': [
    attaching('POST /bug/NoSuch/attachment', {}, 100),
    attaching('POST /bug/999999999/attachment', {}, 101),
    attaching('POST /bug/{hidden}/attachment', {}, 102, 'stranger'),
    attaching(CREATE, { ids: ['{hidden}'] }, 102, 'stranger'),
    attaching('POST /bug/{locked}/attachment', {}, 109),
    attaching(CREATE, { data: undefined }, 50),
    attaching(CREATE, { summary: 'x'.repeat(256) }, 104),
    attaching(CREATE, { is_private: true }, 113),
    attaching(CREATE, { comment: '{long}' }, 114),
    [140, 'author', CREATE, buildAttachmentBody({ is_markdown: true }), NO_MARKDOWN],
    [
      600,
      'author',
      CREATE,
      buildAttachmentBody({ data: btoa('x'.repeat(1025)) }),
      { MAX_ATTACHMENT_KB: '1' },
    ],
    attaching(CREATE, { content_type: 'NoSuch' }, 601),
    attaching(CREATE, { file_name: ' ' }, 603),
    attaching(CREATE, { summary: ' ' }, 604),
    attaching(CREATE, { data: '' }, 606),
    attaching(CREATE, {}, 410, 'anyone'),
    ...flagRefusals(CREATE, (flags) => buildAttachmentBody({ flags })),
    ...flagRefusals(CREATE, (flags) => buildAttachmentBody({ bug_flags: flags })),
  ],
  'Update Attachment': [
    [102, 'stranger', 'PUT /bug/attachment/{onHidden}', { summary: 'n' }],
    [304, 'editor', 'PUT /bug/attachment/{secret}', { summary: 'n' }],
    [109, 'stranger', UPDATE, { summary: 'n' }],
    [109, 'stranger', UPDATE, { flags: [{ name: '{single}', status: 'X' }] }],
    [113, 'author', UPDATE, { is_private: true }],
    [114, 'author', UPDATE, { comment: '{long}' }],
    [140, 'author', UPDATE, { comment: 'x', is_markdown: true }, NO_MARKDOWN],
    [601, 'author', UPDATE, { content_type: 'NoSuch' }],
    [603, 'author', UPDATE, { file_name: '' }],
    [604, 'author', UPDATE, { summary: '' }],
    [132, 'author', UPDATE, { flags: [{ name: '{review}', status: 'X' }] }],
    [132, 'author', UPDATE, { bug_flags: [{ name: '{review}', status: '-' }] }],
    [32_000, 'author', UPDATE, { flags: [{ name: '{single}', status: '+', new: true }] }],
    [32_000, 'author', 'PUT /bug/attachment/999999999', { summary: 'n' }],
    [52, 'author', UPDATE, { ids: ['NoSuch'] }],
    [410, 'anyone', UPDATE, { summary: 'n' }],
    ...flagRefusals(UPDATE, (flags) => ({ flags })),
    ...flagRefusals(UPDATE, (flags) => ({ bug_flags: flags })),
  ],
  'Get Comments': [
    [100, 'author', 'GET /bug/NoSuch/comment'],
    [101, 'author', 'GET /bug/{bug}/comment?ids=999999999'],
    [102, 'anyone', 'GET /bug/{hidden}/comment'],
    [110, 'author', 'GET /bug/comment/{aside}'],
    [111, 'author', 'GET /bug/comment/NoSuch'],
    [111, 'author', 'GET /bug/comment/999999999'],
    [56, 'author', 'GET /bug/{bug}/comment?new_since=NoSuch'],
  ],
  'Create Comment': [
    [54, 'timer', SAY, { comment: 'x', work_time: 100_000 }],
    [55, 'timer', SAY, { comment: 'x', work_time: -100_000 }],
    [52, 'timer', SAY, { comment: 'x', work_time: 'long' }],
    [50, 'author', SAY, { comment: ' ' }],
    [100, 'author', 'POST /bug/NoSuch/comment', { comment: 'x' }],
    [101, 'author', SAY, { comment: 'x', ids: [999_999_999] }],
    [102, 'stranger', SAY, { comment: 'x', ids: ['{hidden}'] }],
    [109, 'author', 'POST /bug/{locked}/comment', { comment: 'x' }],
    [113, 'author', SAY, { comment: 'x', is_private: true }],
    [113, 'author', SAY, { comment: 'x', private: 1 }],
    [114, 'author', SAY, { comment: '{long}' }],
    [140, 'author', SAY, { comment: 'x', is_markdown: true }, NO_MARKDOWN],
    [127, 'editor', SAY, { comment: 'x', comment_tags: ['no'] }],
    [410, 'anyone', SAY, { comment: 'x' }],
  ],
  'Search Comment Tags': [
    [125, 'editor', 'GET /bug/comment/tags/x', undefined, NO_TAGS],
    [304, 'author', 'GET /bug/comment/tags/x'],
    [410, 'anyone', 'GET /bug/comment/tags/x'],
    [52, 'editor', 'GET /bug/comment/tags/x?limit=NoSuch'],
  ],
  'Update Comment Tags': [
    [102, 'editor', 'PUT /bug/comment/{unseen}/tags', { add: ['fine'] }],
    [110, 'editor', 'PUT /bug/comment/{aside}/tags', { add: ['fine'] }],
    [111, 'editor', 'PUT /bug/comment/999999999/tags', { add: ['fine'] }],
    [125, 'editor', TAGS, { add: ['fine'] }, NO_TAGS],
    [126, 'editor', TAGS, { add: ['fine', 'two words'] }],
    [127, 'editor', TAGS, { add: ['fine'], remove: ['no'] }],
    [128, 'editor', TAGS, { add: ['x'.repeat(25)] }],
    [304, 'author', TAGS, { add: ['fine'] }],
    [410, 'anyone', TAGS, { add: ['fine'] }],
  ],
  'Render Comment': [
    [100, 'author', 'POST /bug/comment/render', { text: 'x', id: 'NoSuch' }],
    [101, 'author', 'POST /bug/comment/render', { text: 'x', id: 999_999_999 }],
    [102, 'anyone', 'POST /bug/comment/render', { text: 'x', id: '{hidden}' }],
    [50, 'author', 'POST /bug/comment/render', {}],
    [114, 'author', 'POST /bug/comment/render', { text: '{long}' }],
  ],
  'Update Last Visited': [
    [1300, 'stranger', 'POST /bug_user_last_visit/{bug}'],
    [1300, 'author', 'POST /bug_user_last_visit', { ids: ['{bug}', '{foreignBug}'] }],
    [50, 'author', 'POST /bug_user_last_visit', {}],
    [100, 'author', 'POST /bug_user_last_visit/NoSuch'],
    [101, 'author', 'POST /bug_user_last_visit', { ids: ['{bug}', 999_999_999] }],
    [102, 'stranger', 'POST /bug_user_last_visit/{hidden}'],
    [410, 'anyone', 'POST /bug_user_last_visit/{bug}'],
    [410, 'anyone', 'GET /bug_user_last_visit'],
  ],
  'Flag activity': [
    [32_000, 'anyone', 'GET /review/flag_activity/NoSuch'],
    [32_000, 'anyone', 'GET /review/flag_activity/type_id/NoSuch'],
    [50, 'anyone', 'GET /review/flag_activity?offset=1'],
    [52, 'anyone', 'GET /review/flag_activity?limit=NoSuch'],
    [56, 'anyone', 'GET /review/flag_activity?after=NoSuch'],
    [504, 'anyone', 'GET /review/flag_activity/setter/NoSuch'],
    [504, 'anyone', 'GET /review/flag_activity/requestee/NoSuch'],
  ],
}

/** What is not 400. */
const STATUS: Record<number, readonly number[]> = {
  401: [102, 109, 110, 113, 304, 410, 504],
  404: [51, 101],
}

let askers: DiscussionSenders
let names: WorldNames

beforeAll(async () => {
  const world = await buildDiscussionWorld()
  askers = world.askers
  const { bug, hidden } = world.names
  const ids = async (id: string | undefined) =>
    (await loadRowsOfBug('comments', Number(id))).map((row) => String(row.id))
  const { body } = await get(askers.insider, `/rest/bug/${bug}/comment`)
  const aside = body.bugs[bug ?? ''].comments.find((one: { is_private: boolean }) => one.is_private)
  const [comment = ''] = await ids(bug)
  const [unseen = ''] = await ids(hidden)
  names = { ...world.names, comment, unseen, aside: String(aside.id) }
}, 60_000)

/** Everything that these requests could have written. */
async function written(): Promise<unknown> {
  const tables = ['attachments', 'flags', 'flag_activity', 'visits']
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')
  const sums =
    '(SELECT sum(revision) FROM flags) AS f, (SELECT sum(revision) FROM attachments) AS a'
  return [await loadFootprint(), await env.DB.prepare(`SELECT ${counts}, ${sums}`).first()]
}

describe.each(Object.entries(CONTRACT))('%s', (_, requests) => {
  for (const [code, who, request, body, settings = {}] of requests) {
    const told = JSON.stringify(body ?? {}).slice(0, 200)
    test(`answers ${code} to ${who} asking ${request} with ${told}`, async () => {
      const before = await written()
      const [method = '', path = ''] = filled(request).split(' ')
      const { key } = askers[who]
      const answer = await fetchWith(settings, `/rest${path}`, {
        method,
        headers: key === undefined ? {} : { 'x-tracker-api-key': key },
        ...(method === 'GET' ? {} : { body: filled(JSON.stringify(body ?? {})) }),
      })
      const status = Object.keys(STATUS).find((each) => STATUS[Number(each)]?.includes(code))
      expect({ status: answer.status, ...(await answer.json<object>()) }).toMatchObject({
        status: Number(status ?? 400),
        error: true,
        code,
      })
      expect(await written()).toEqual(before)
    })
  }
})

/**
 * The numbers that the contract has for each of these rows of its table, but for those of Get Bug where an
 * operation names no bug: Update Attachment, Search Comment Tags and Update Comment Tags.
 */
test.each<[string, number[]]>([
  ['Get Attachment', [100, 101, 102, 304]],
  ['Create Attachment', [100, 101, 102, 129, 130, 131, 133, 134, 140, 600, 601, 603, 604, 606]],
  ['Update Attachment', [102, 129, 130, 131, 132, 133, 134, 140, 601, 603, 604]],
  ['Get Comments', [100, 101, 102, 110, 111]],
  ['Create Comment', [54, 100, 101, 109, 113, 114, 140]],
  ['Search Comment Tags', [125]],
  ['Update Comment Tags', [102, 125, 126, 127, 128]],
  ['Render Comment', [100, 101, 102]],
  ['Update Last Visited', [1300]],
])('%s has requests above for all of %j', (row, numbers) => {
  const asked = (CONTRACT[row] ?? []).map(([code]) => code)
  expect(asked).toEqual(expect.arrayContaining(numbers))
})

/** A text with the names of the world in place of those in braces. */
function filled(text: string): string {
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => names[name] ?? braces)
}
