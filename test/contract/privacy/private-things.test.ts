import { describe, expect, test } from 'vitest'
import { get, post, put } from '../../support/client.ts'
import {
  buildPrivateWorld,
  expectSecrets,
  type PrivateWorld,
  READERS,
  type Reader,
  type Secret,
} from '../../support/worlds/private-world.ts'

/**
 * Private comments and attachments, the comments and flags about them, and hidden bugs, requested through
 * every operation that shows bugs. An operation that should show a secret shows it to everybody who may know
 * it; no operation shows it to anybody else.
 */

const world = await buildPrivateWorld()

const ABOUT_COMMENTS: Secret[] = ['privateComment', 'privateTag', 'insidersRemark']
const ABOUT_FILES: Secret[] = ['insidersFile', 'submittersFile', 'insidersFlag', 'submittersFlag']
const BYTES: Secret[] = ['insidersBytes', 'submittersBytes']
const FLAGS: Secret[] = ['insidersFlag', 'submittersFlag']

type OperationCase = [name: string, path: (w: PrivateWorld) => string, shows: Secret[]]

const OPERATIONS: OperationCase[] = [
  [
    'a bug with everything',
    ({ bugs }) => `/rest/bug/${bugs.open}?include_fields=_all,attachments.data`,
    [...ABOUT_COMMENTS, ...ABOUT_FILES],
  ],
  [
    'a bug with the bytes of its attachments',
    ({ bugs }) => `/rest/bug/${bugs.open}?include_fields=attachments.data`,
    BYTES,
  ],
  [
    'bugs, as far as they are seen',
    ({ bugs }) =>
      `/rest/bug/${bugs.open}?ids=${bugs.described},${bugs.hidden}&permissive=1&include_fields=_all`,
    [...ABOUT_COMMENTS, ...ABOUT_FILES, 'privateDescription', 'hidden'],
  ],
  [
    'a search with everything',
    ({ bugs }) =>
      `/rest/bug?id=${bugs.open},${bugs.described},${bugs.hidden}&include_fields=_all,_extra`,
    [...ABOUT_COMMENTS, ...ABOUT_FILES, 'privateDescription', 'hidden'],
  ],
  [
    'comments of bugs',
    ({ bugs }) => `/rest/bug/${bugs.open}/comment?ids=${bugs.described}`,
    [...ABOUT_COMMENTS, 'insidersFile', 'submittersFile', 'privateDescription'],
  ],
  [
    'newer comments',
    ({ bugs }) => `/rest/bug/${bugs.open}/comment?new_since=2020-01-01`,
    [...ABOUT_COMMENTS, 'insidersFile', 'submittersFile'],
  ],
  ['comments of a hidden bug', ({ bugs }) => `/rest/bug/${bugs.hidden}/comment`, ['hidden']],
  [
    'a private comment',
    ({ comments }) => `/rest/bug/comment/${comments.private}`,
    ['privateComment', 'privateTag'],
  ],
  [
    'a comment of a hidden bug',
    ({ comments }) => `/rest/bug/comment/${comments.hidden}`,
    ['hidden'],
  ],
  ['history', ({ bugs }) => `/rest/bug/${bugs.open}/history`, [...ABOUT_FILES, 'privateTag']],
  [
    'the newest history',
    ({ bugs }) => `/rest/bug/${bugs.open}/history?newest=100`,
    [...ABOUT_FILES, 'privateTag'],
  ],
  ['history of a hidden bug', ({ bugs }) => `/rest/bug/${bugs.hidden}/history`, ['hidden']],
  [
    'attachments of a bug',
    ({ bugs }) => `/rest/bug/${bugs.open}/attachment`,
    [...ABOUT_FILES, ...BYTES],
  ],
  [
    'attachments of a hidden bug',
    ({ bugs }) => `/rest/bug/${bugs.hidden}/attachment`,
    ['hidden', 'hiddenBytes'],
  ],
  [
    'an attachment of an insider',
    ({ files }) => `/rest/bug/attachment/${files.insiders}`,
    ['insidersFile', 'insidersBytes', 'insidersFlag'],
  ],
  [
    'an attachment of its submitter',
    ({ files }) => `/rest/bug/attachment/${files.submitters}`,
    ['submittersFile', 'submittersBytes', 'submittersFlag'],
  ],
  [
    'several attachments',
    ({ files }) =>
      `/rest/bug/attachment/${files.public}?attachment_ids=${files.submitters}&attachment_ids=${files.insiders}`,
    [],
  ],
  [
    'an attachment of a hidden bug',
    ({ files }) => `/rest/bug/attachment/${files.hiddenFile}`,
    ['hidden', 'hiddenBytes'],
  ],
  ['a download', ({ files }) => `/attachment/${files.insiders}`, ['insidersFile']],
  [
    'a download under its older address',
    ({ files }) => `/attachment.cgi?id=${files.submitters}`,
    ['submittersFile'],
  ],
  ['a download from a hidden bug', ({ files }) => `/attachment/${files.hiddenFile}`, ['hidden']],
  [
    'flag activity of bugs',
    ({ bugs }) => `/rest/review/flag_activity?status=all&bug_id=${bugs.open}`,
    FLAGS,
  ],
  ['all flag activity', () => '/rest/review/flag_activity?status=all', [...FLAGS, 'hidden']],
  [
    'flag activity of late',
    () => '/rest/review/flag_activity?status=all&after=2020-01-01&before=2100-01-01',
    [...FLAGS, 'hidden'],
  ],
  [
    'flag activity of a flag',
    ({ flags }) => `/rest/review/flag_activity/${flags.insiders}`,
    ['insidersFlag'],
  ],
  [
    'flag activity of a flag on a hidden bug',
    ({ flags }) => `/rest/review/flag_activity/${flags.hidden}`,
    ['hidden'],
  ],
  [
    'flag activity of a requestee',
    ({ logins }) => `/rest/review/flag_activity/requestee/${logins.requestee.login}`,
    ['submittersFlag'],
  ],
  [
    'flag activity of a setter',
    ({ logins }) => `/rest/review/flag_activity/setter/${logins.insider.login}`,
    ['insidersFlag'],
  ],
  [
    'flag activity of a setter on hidden bugs',
    ({ logins }) => `/rest/review/flag_activity/setter/${logins.member.login}`,
    ['hidden'],
  ],
  [
    'flag activity of a type',
    ({ types }) => `/rest/review/flag_activity/type_id/${types.submitters.id}`,
    ['submittersFlag'],
  ],
  ['the account of a setter', ({ logins }) => `/rest/user/${logins.insider.login}`, []],
  ['the account of a member', ({ logins }) => `/rest/user/${logins.member.login}`, []],
  ['last visits', () => '/rest/bug_user_last_visit', []],
]

describe.each(READERS)('%s is shown what they may know and nothing else by', (reader) => {
  test.each(OPERATIONS)('%s', async (_, path, shows) => {
    const answer = await get(world.people[reader], path(world))
    const headers = [...answer.headers].map(([, value]) => value).join('\n')
    expectSecrets(world, reader, `${answer.text}\n${headers}`, shows)
  })

  test('links in a rendered text', async () => {
    const { bugs, files } = world
    const text = `bug ${bugs.hidden}, attachment ${files.insiders}, attachment ${files.submitters},
      attachment ${files.hiddenFile}`
    const answer = await post(world.people[reader], '/rest/bug/comment/render', { text })
    expectSecrets(world, reader, answer.text, ['hidden', 'insidersFile', 'submittersFile'])
  })

  test('refusals of writing', async () => {
    const { bugs, files, comments, flags } = world
    const sender = world.people[reader]
    const seesAll = reader === 'insider' || reader === 'member'
    const refused = [
      await put(sender, `/rest/bug/attachment/${files.insiders}`, { summary: '' }),
      await put(sender, `/rest/bug/attachment/${files.submitters}`, { summary: '' }),
      await put(sender, `/rest/bug/attachment/${files.hiddenFile}`, { summary: '' }),
      await put(sender, `/rest/bug/attachment/${files.public}`, {
        flags: [{ id: flags.insiders, status: 'X' }],
      }),
      await put(sender, `/rest/bug/comment/${comments.private}/tags`, { add: ['x'] }),
      await put(sender, `/rest/bug/comment/${comments.hidden}/tags`, { add: ['x'] }),
      await put(sender, `/rest/bug/${bugs.open}`, {
        comment_is_private: { [comments.private]: 0, [comments.hidden]: 1 },
      }),
      ...(seesAll
        ? []
        : [await post(sender, `/rest/bug/${bugs.hidden}/comment`, { comment: 'x' })]),
      ...(seesAll ? [] : [await post(sender, `/rest/bug_user_last_visit/${bugs.hidden}`)]),
      ...(seesAll ? [] : [await post(sender, `/rest/bug/${bugs.hidden}/attachment`, {})]),
    ]
    for (const answer of refused) {
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
      expectSecrets(world, reader, answer.text, [])
    }
  })
})

/** The numbers of comments and attachments of a bug, for each reader. */
const COUNTS: Record<Reader, [comments: number, attachments: number]> = {
  anyone: [3, 1],
  stranger: [3, 1],
  submitter: [4, 2],
  requestee: [3, 1],
  editor: [3, 1],
  insider: [7, 3],
  member: [3, 1],
}

describe.each(READERS)('counts show %s nothing else:', (reader) => {
  const [comments, attachments] = COUNTS[reader]
  const body = async (path: string) => (await get(world.people[reader], path)).body

  test('those of a bug', async () => {
    const fields = 'include_fields=comment_count,counts.comments,counts.attachments'
    const { bugs } = await body(`/rest/bug/${world.bugs.open}?${fields}`)
    expect(bugs).toEqual([{ comment_count: comments, counts: { comments, attachments } }])
  })

  test('those that are searched by', async () => {
    const found = async (criteria: string) =>
      (await body(`/rest/bug?id=${world.bugs.open}&count_only=1&${criteria}`)).bug_count
    const counts = Array.from({ length: 9 }, (_, count) => count)
    const hits = await Promise.all(counts.map((count) => found(`longdescs.count=${count}`)))
    expect(hits).toEqual(counts.map((count) => (count === comments ? 1 : 0)))
  })

  test('those of matches for words of a private description', async () => {
    const path = `/rest/bug?description=${world.words.privateDescription}&count_only=1`
    expect((await body(path)).bug_count).toBe(reader === 'insider' ? 1 : 0)
  })

  test('those of matches for words of a hidden bug', async () => {
    const path = `/rest/bug?summary=${world.words.hidden}&count_only=1`
    expect((await body(path)).bug_count).toBe(reader === 'member' ? 1 : 0)
  })

  test('the IDs of comments and attachments', async () => {
    const { open } = world.bugs
    const list = (await body(`/rest/bug/${open}/comment`)).bugs[open].comments
    expect(list).toHaveLength(comments)
    const hidden = [
      world.files.insiders,
      ...(reader === 'submitter' ? [] : [world.files.submitters]),
    ]
    const named = list.map((one: { attachment_id: number | null }) => one.attachment_id)
    expect(named.filter((id: number) => reader !== 'insider' && hidden.includes(id))).toEqual([])
    const files = (await body(`/rest/bug/${open}/attachment?include_fields=id`)).bugs[open]
    expect(files).toHaveLength(attachments)
  })
})
