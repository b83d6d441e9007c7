import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How servers of this API family differ, as far as it matters to whoever reads all of one. */
export type Dialect = '5.0' | '5.2' | 'bmo'

export type RecordedTracker = {
  readonly url: string
  /** The requests so far. */
  count(): number
  /** Is told the number of each request before it is answered. */
  watch(watcher: ((request: number) => void) | null): void
  /** Changes a bug, as somebody does while it is read. */
  touch(id: number, comment: string): void
  stop(): Promise<void>
}

type Json = Record<string, unknown>

export const KEY = 'the-key-of-a-reader-of-the-old-tracker'

const FIRST = '2015-03-01T10:00:00Z'
const LATER = '2016-04-02T11:30:00Z'

/** Every third request fails first in one of these ways. */
const FAILURES: readonly ((response: ServerResponse) => void)[] = [
  (response) =>
    response
      .writeHead(429, { 'retry-after': '0' })
      .end('{"error":true,"code":32000,"message":"Slow"}'),
  (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Down</h1>'),
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"bugs":[{"id":1,'),
  (response) => response.destroy(),
]

/** A tracker of a dialect with everything that a fetch has to understand, which fails often and sends wrong types. */
export async function startRecordedTracker(dialect: Dialect): Promise<RecordedTracker> {
  const bugs = buildBugs(dialect)
  let [requests, failures] = [0, 0]
  const failed = new Set<string>()
  let watcher: ((request: number) => void) | null = null
  const server = createServer((request, response) => {
    requests += 1
    watcher?.(requests)
    const url = new URL(request.url ?? '/', 'http://tracker')
    if (requests % 3 === 0 && !failed.has(url.href)) {
      failed.add(url.href)
      failures += 1
      FAILURES[failures % FAILURES.length]?.(response)
      return
    }
    const key =
      dialect === '5.0'
        ? url.searchParams.get('Bugzilla_api_key')
        : request.headers['x-bugzilla-api-key']
    const isOpen = url.pathname === '/rest/version'
    const answer =
      !isOpen && key !== KEY
        ? refusal(400, 306, 'The API key you specified is invalid.')
        : answerTo(dialect, bugs, url)
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => requests,
    watch: (next) => {
      watcher = next
    },
    touch(id, text) {
      const bug = bugs.find((one) => one.id === id)
      if (bug !== undefined) {
        const at = new Date().toISOString().replace(/\.\d+/, '')
        bug.last_change_time = at
        const comments = bug.comments as Json[]
        comments.push(buildComment(900 + comments.length, id, { text, time: at }))
      }
    },
    stop: () =>
      new Promise<void>((ended) => {
        server.closeAllConnections()
        server.close(() => ended())
      }),
  }
}

type Answer = { status: number; body: Json }

function refusal(status: number, code: number, message: string): Answer {
  return { status, body: { error: true, code, message } }
}

function answerTo(dialect: Dialect, bugs: readonly Json[], url: URL): Answer {
  const path = url.pathname.replace('/rest/', '')
  const query = url.searchParams
  const ok = (body: Json): Answer => ({ status: 200, body })
  const [, first, part] = /^bug\/(\d+)\/(comment|history|attachment)$/.exec(path) ?? []
  if (part !== undefined) {
    return answerPart(bugs, [Number(first), ...query.getAll('ids').map(Number)], part)
  }
  const [, attachment] = /^bug\/attachment\/(\d+)$/.exec(path) ?? []
  if (attachment !== undefined) {
    return attachment === '12'
      ? refusal(401, 102, 'You are not authorized to access attachment 12.')
      : ok({ attachments: { [attachment]: { id: Number(attachment), data: DATA } }, bugs: {} })
  }
  switch (path) {
    case 'version':
      return ok({
        version: dialect === 'bmo' ? '20260101.1' : dialect === '5.2' ? '5.2.1' : '5.0.6',
      })
    case 'time':
      return ok({
        web_time_utc: undefined,
        web_time: new Date().toISOString().replace(/\.\d+/, ''),
      })
    case 'bug':
      return ok({ bugs: searchBugs(bugs, query) })
    case 'field/bug':
      return ok({ fields: buildFields(dialect) })
    case 'product':
      if (dialect === '5.0' && query.has('type')) {
        return refusal(400, 50, 'You must specify ids or names.')
      }
      return ok({ products: [buildProduct(dialect)] })
    case 'parameters':
      return ok({
        parameters: dialect === 'bmo' ? {} : { defaultpriority: 'P2', defaultopsys: '' },
      })
    case 'product_accessible':
      return ok({ ids: ['3'] })
    case 'group':
      return dialect === 'bmo'
        ? refusal(401, 304, 'You are not authorized to view groups.')
        : ok({
            groups: [
              {
                id: 14,
                name: 'security',
                description: 'Who fixes holes',
                is_active: 1,
                is_bug_group: 1,
                user_regexp: '',
              },
            ],
          })
    case 'user':
      return ok({
        users: query.getAll('names').flatMap((name) =>
          name.startsWith('gone')
            ? []
            : [
                {
                  id: name.startsWith('ann') ? '5' : 6,
                  name,
                  real_name: `Real ${name}`,
                  can_login: 1,
                },
              ],
        ),
      })
    default:
      return path.startsWith('classification/')
        ? ok({
            classifications: [
              { id: 2, name: 'Client Software', description: 'What people install' },
            ],
          })
        : refusal(404, 32000, 'No such method.')
  }
}

const DATA = Buffer.from('--- a\n+++ b\n').toString('base64')

function searchBugs(bugs: readonly Json[], query: URLSearchParams): Json[] {
  const since = query.get('last_change_time') ?? ''
  return bugs
    .filter(({ id }) => Number(id) > Number(query.get('v1') ?? 0))
    .filter(({ last_change_time: at }) => String(at) >= since)
    .slice(0, Number(query.get('limit') ?? 500))
    .map(({ comments: _, history: __, attachments: ___, ...bug }) => bug)
}

function answerPart(bugs: readonly Json[], ids: readonly number[], part: string): Answer {
  if (ids.includes(REFUSED) && part === 'history') {
    return refusal(401, 102, `You are not authorized to access bug ${REFUSED}.`)
  }
  const found = ids.flatMap((id) => bugs.filter((bug) => bug.id === id))
  if (part === 'history') {
    return {
      status: 200,
      body: { bugs: found.map(({ id, history }) => ({ id, alias: [], history })) },
    }
  }
  const entries = found.map(({ id, comments, attachments }) => [
    id,
    part === 'comment' ? { comments } : attachments,
  ])
  return { status: 200, body: { bugs: Object.fromEntries(entries), comments: {}, attachments: {} } }
}

/** A bug whose history the reader may not see. */
export const REFUSED = 40

function buildBugs(dialect: Dialect): Json[] {
  return Array.from({ length: 60 }, (_, n) => buildBug(dialect, n + 1)).filter(
    ({ id }) => Number(id) % 7 !== 0,
  )
}

/** Members have the types that servers really send: texts for numbers, 0 and 1 for truth, null for empty lists. */
function buildBug(dialect: Dialect, id: number): Json {
  const isOld = dialect === '5.0'
  const person = (login: string, number: number) => ({
    id: number,
    name: login,
    email: login,
    real_name: `Real ${login}`,
  })
  const isDuplicate = id === 20
  return {
    ...{ id, summary: `Bug number ${id} of <old>`, product: 'Browser', component: 'Tabs' },
    alias: isOld ? (id === 2 ? ['two', 'zwei'] : []) : id === 2 ? 'two' : null,
    version: 'trunk',
    target_milestone: id === 3 ? '' : '---',
    status: isDuplicate ? 'CLOSED_LONG_AGO' : id % 2 === 0 ? 'RESOLVED' : 'NEW',
    resolution: isDuplicate ? 'DUPLICATE' : id % 2 === 0 ? 'FIXED' : '',
    is_confirmed: isOld ? 1 : true,
    ...(dialect !== '5.0' && { type: 'defect' }),
    ...{ priority: 'P1', severity: 'normal', platform: 'All', op_sys: 'BeOS' },
    ...{ assigned_to: 'ann@old.test', assigned_to_detail: person('ann@old.test', 5) },
    ...{ creator: 'bob@old.test', creator_detail: person('bob@old.test', 6) },
    qa_contact: '',
    cc: id === 1 ? ['ann@old.test', 'gone@old.test'] : null,
    cc_detail: [],
    ...{ is_cc_accessible: isOld ? '1' : true, is_creator_accessible: isOld ? '0' : false },
    ...{ url: '', whiteboard: id === 1 ? 'ready' : '', deadline: id === 1 ? '2030-02-03' : null },
    ...{ estimated_time: isOld ? '3.50' : 3.5, remaining_time: 0 },
    creation_time: FIRST,
    last_change_time: LATER,
    groups: id % 5 === 0 ? ['security'] : [],
    keywords: id === 1 ? ['crash', 'Perf'] : [],
    dupe_of: isDuplicate ? '19' : null,
    depends_on: id === 1 ? [2, 3, 7] : id === 2 ? ['1'] : [],
    blocks: [],
    see_also: id === 1 ? ['https://github.com/a/b/issues/1'] : [],
    cf_notes: id === 1 ? 'a\nb' : '',
    cf_size: id === 1 ? 'big' : '---',
    cf_colors: id === 1 ? ['red', 'blue'] : [],
    cf_due: id === 1 ? '2030-01-02 03:04:05' : null,
    cf_odd: id === 1 ? 'x' : null,
    cf_score: id === 1 ? '7' : null,
    flags:
      id === 1
        ? [
            {
              id: 301,
              name: 'needinfo',
              type_id: 9,
              status: '?',
              setter: 'bob@old.test',
              requestee: 'ann@old.test',
              creation_date: FIRST,
              modification_date: LATER,
            },
          ]
        : [],
    comments: buildComments(id),
    history: buildHistory(dialect, id),
    attachments: id === 1 ? [buildAttachment(11, id), buildAttachment(12, id)] : [],
  }
}

function buildComment(id: number, bugId: number, more: Json): Json {
  return {
    ...{ id, bug_id: bugId, creator: 'bob@old.test', is_private: id % 10 === 0 ? 1 : 0, tags: [] },
    ...{ creation_time: more.time, attachment_id: null, ...more },
  }
}

function buildComments(id: number): Json[] {
  const first = buildComment(id * 10, id, {
    time: FIRST,
    text: `Description of ${id}\n\n  kept`,
    is_private: 0,
  })
  const more: Json[] =
    id === 1
      ? [
          buildComment(11, id, {
            ...{ time: LATER, attachment_id: '11' },
            text: 'Created attachment 11\nA patch\n\nIt fixes all',
            tags: ['good'],
          }),
          buildComment(12, id, {
            time: LATER,
            text: 'Secret',
            is_private: 'yes',
            creator: 'gone@old.test',
          }),
        ]
      : id === 20
        ? [
            buildComment(201, id, {
              time: LATER,
              text: '*** This bug has been marked as a duplicate of bug 19 ***',
            }),
          ]
        : []
  return [first, ...more]
}

function buildHistory(dialect: Dialect, id: number): Json[] {
  if (id % 2 !== 0) {
    return []
  }
  const status = dialect === '5.2' ? 'status' : 'bug_status'
  return [
    {
      ...{ when: LATER, who: 'ann@old.test' },
      changes: [
        { field_name: status, removed: 'NEW', added: 'RESOLVED' },
        { field_name: 'resolution', removed: '', added: 'FIXED' },
      ],
    },
  ]
}

function buildAttachment(id: number, bugId: number): Json {
  return {
    ...{
      id,
      bug_id: bugId,
      creator: 'bob@old.test',
      creation_time: FIRST,
      last_change_time: LATER,
    },
    ...{ file_name: 'fix.patch', summary: 'A patch', content_type: 'text/plain', size: 12 },
    ...{ is_private: 0, is_obsolete: id === 12 ? 1 : 0, is_patch: 1 },
    flags:
      id === 11
        ? [
            {
              id: 302,
              name: 'review',
              type_id: 8,
              status: '+',
              setter: 'ann@old.test',
              creation_date: FIRST,
              modification_date: LATER,
            },
          ]
        : [],
  }
}

function buildProduct(dialect: Dialect): Json {
  const review = { id: 8, name: 'review', description: 'Is it good?', is_active: true, sort_key: 1 }
  const withFlags = dialect !== '5.0'
  return {
    ...{
      id: 3,
      name: 'Browser',
      description: 'It browses',
      is_active: 1,
      classification: 'Client Software',
    },
    ...{ has_unconfirmed: true, default_milestone: '---' },
    components: [
      {
        ...{ id: 31, name: 'Tabs', description: 'Along the top', is_active: true, sort_key: 0 },
        ...{ default_assigned_to: 'ann@old.test', default_qa_contact: '' },
        ...(withFlags && { flag_types: { bug: [], attachment: [review] } }),
      },
    ],
    versions: [{ id: 41, name: 'trunk', sort_key: 0, is_active: true }],
    milestones: [{ id: 51, name: '---', sort_key: 0, is_active: true }],
  }
}

function buildFields(dialect: Dialect): Json[] {
  const value = (name: string, n: number, more: Json = {}) => ({
    ...{ name, sort_key: n * 10, sortkey: n * 10, is_active: 1, visibility_values: [], ...more },
  })
  const moves = (...names: string[]) => names.map((name) => ({ name, comment_required: 0 }))
  const select = (name: string, names: string[]) => ({
    ...{
      name,
      display_name: name,
      type: 2,
      is_custom: false,
      values: names.map((one, n) => value(one, n)),
    },
  })
  const custom = (name: string, type: number, more: Json = {}) => ({
    ...{
      name,
      display_name: name.slice(3),
      type,
      is_custom: 1,
      is_mandatory: 0,
      is_on_bug_entry: 1,
      values: [],
      ...more,
    },
  })
  return [
    {
      ...{ name: 'bug_status', display_name: 'Status', type: 2, is_custom: 0 },
      values: [
        value('', 0, { is_open: 1, can_change_to: moves('NEW') }),
        value('NEW', 1, { is_open: 1, can_change_to: moves('RESOLVED') }),
        value('RESOLVED', 2, { is_open: 0, can_change_to: moves('NEW') }),
      ],
    },
    select('resolution', ['', 'FIXED', 'DUPLICATE']),
    select('priority', ['P1', 'P2']),
    select('bug_severity', ['normal', 'enhancement']),
    select('rep_platform', ['All', 'PC']),
    select('op_sys', ['All', 'Linux']),
    {
      name: 'keywords',
      type: 8,
      is_custom: false,
      values: [{ name: 'crash', description: 'It crashes' }],
    },
    custom('cf_notes', 4),
    custom('cf_size', 2, {
      visibility_field: 'product',
      visibility_values: ['Browser'],
      values: ['---', 'big'].map((one, n) => value(one, n)),
    }),
    custom('cf_colors', 3, { values: ['red', 'blue'].map((one, n) => value(one, n)) }),
    custom('cf_due', 5),
    custom('cf_odd', dialect === 'bmo' ? 99 : 1),
    custom('cf_score', 10),
  ]
}
