import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FloodTarget } from './floods.ts'

/** The same on a server, and accounts that edits may name. */
export type Target = FloodTarget & { readonly origin: string; readonly logins: readonly string[] }

/** What an attempt was answered, the text of a refusal, and the milliseconds. */
export type Answer = { status: number | string; text?: string; ms: number }

/** What one caller does to cost all others as much as possible. */
export type Attack = {
  name: string
  /** Milliseconds of processor time of one request, and of the p99 of others; growth of memory in MB. */
  most: { cpu: number; p99: number; megabytes: number }
  /** What it is answered: the first status at least once, and no other. */
  statuses: readonly [number | string, ...(number | string)[]]
  /** What others ask meanwhile, by default for the version. */
  watched?: (target: Target) => string
  /** Does what comes before, and returns the attack itself. */
  prepare(target: Target): Promise<() => Promise<Answer[]>>
}

type Body = object | Uint8Array
type MakeEdit = (target: Target) => Record<string, unknown>

/** The most that the service accepts: items of a list, bugs of a request, entries of both together. */
const [ITEMS, BUGS, ITEMS_ON_ALL_BUGS] = [1000, 500, 20]
const MEGABYTE = 1024 * 1024
const SECONDS = 5

/** The names that the bench gives keywords and its type of flag. */
export const KEYWORDS = Array.from({ length: ITEMS }, (_, n) => `many${n}`)
export const FLAG_TYPE = 'many'

const EDIT_BUDGET = { cpu: 1000, p99: 1000, megabytes: 100 }
const UNREAD_BUDGET = { cpu: 300, p99: 500, megabytes: 200 }

const MANY_FLAGS = Array.from({ length: 50 }, () => ({ name: FLAG_TYPE, status: '?', new: true }))
const LONG_COMMENT = { body: 'lacewing '.repeat(10_000).slice(0, 65_535) }
/** As long as one may be on 500 bugs. */
const LONG_ON_ALL = { body: LONG_COMMENT.body.slice(0, 8_000) }
const ALL_FIELDS = 'include_fields=_all,comments,description,history'

/** Searches that no index serves and that find too little to end early. */
const SCANS = [
  'longdesc=zq&longdesc_type=substring',
  'f1=longdesc&o1=notsubstring&v1=e',
  'f1=longdesc&o1=regexp&v1=zq[0-9]',
]

export const ATTACKS: readonly Attack[] = [
  // first, before others leave long comments behind
  {
    name: 'scans, 8 at once',
    most: { cpu: Number.POSITIVE_INFINITY, p99: 1000, megabytes: 200 },
    // a scan may end in the refusal of what would take too long
    statuses: [200, 400],
    watched: ({ bugs }) => `/bug/${bugs[0]}`,
    prepare: async (target) => () => {
      const end = performance.now() + SECONDS * 1000
      return repeat(8, Number.POSITIVE_INFINITY, (searcher, n) => {
        const path = `/bug?limit=20&${SCANS[(searcher + n) % SCANS.length]}`
        return performance.now() < end ? send(target, 'GET', path) : null
      })
    },
  },
  // the largest edits that are accepted, and those just beyond, which must cost little
  edit('set 1,000 see_also', 1, setLinks('one')),
  edit('replace 1,000 see_also', 1, setLinks('two'), setLinks('one')),
  edit('replace 1,000 see_also on 5 bugs', 5, setLinks('two'), setLinks('one')),
  edit('link 499 bugs by see_also', 1, ({ bugs }) => ({
    see_also: { add: bugs.slice(1).map(String) },
  })),
  edit('add 1,000 keywords on 10 bugs', 10, () => ({ keywords: { add: KEYWORDS } })),
  edit('add 20 keywords on 500 bugs', BUGS, () => ({
    keywords: { add: KEYWORDS.slice(0, ITEMS_ON_ALL_BUGS) },
  })),
  edit('add 20 see_also on 500 bugs', BUGS, () => ({
    see_also: { add: listLinks('all', ITEMS_ON_ALL_BUGS) },
  })),
  edit('add 20 people to the CC of 500 bugs', BUGS, ({ logins }) => ({
    cc: { add: logins.slice(0, ITEMS_ON_ALL_BUGS) },
  })),
  edit('set 50 flags on 500 bugs', BUGS, () => ({ flags: MANY_FLAGS })),
  edit('comment 8,000 characters on 500 bugs', BUGS, () => ({
    comment: LONG_ON_ALL,
  })),
  {
    ...edit('comment 65,535 characters on 500 bugs (refused)', BUGS, () => ({
      comment: LONG_COMMENT,
    })),
    statuses: [400],
  },
  {
    ...edit('set 1,000 keywords on 500 bugs (refused)', BUGS, () => ({
      keywords: { set: KEYWORDS },
    })),
    statuses: [400],
  },
  { ...edit('set 1,000 see_also on 500 bugs (refused)', BUGS, setLinks('one')), statuses: [400] },
  upload('upload 20 MB without credentials', 20, 401),
  upload('upload 10 MB with a key', 10, 201),
  upload('upload 20 MB with a key (refused)', 20, 400),
  upload('upload 40 MB with a key (refused)', 40, 413),
  {
    name: 'guess passwords, 16 at once',
    most: { cpu: 250, p99: 200, megabytes: 100 },
    statuses: [401, 429, 503],
    prepare: async (target) => () =>
      // different logins, because one that is locked is no longer verified
      repeat(16, 5, (guesser, n) => {
        const login = `guess${guesser}.${n}@a.test`
        return send({ ...target, headers: {} }, 'GET', `/login?login=${login}&password=wrong`)
      }),
  },
  render('render many images', '!['),
  render('render many links', '[a]('),
  render('render many quotes', '>'),
  {
    name: '100 unfinished uploads of 9 MB',
    most: { cpu: 50, p99: 500, megabytes: 300 },
    statuses: ['unfinished'],
    async prepare({ origin, bugs, headers }) {
      const body = createUpload(9)
      const all = { host: 'tracker.test', 'content-length': body.length, ...headers }
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `POST /rest/bug/${bugs[0]}/attachment HTTP/1.1\r\n${lines.join('')}\r\n`
      const most = body.subarray(0, -MEGABYTE)
      return () => leave(origin, 100, [head, most], 'unfinished')
    },
  },
  unread('30 unread answers of 100 MB', 100, async (target) => {
    const path = `/bug/${target.bugs.at(-1)}/attachment`
    const body = createUpload(8)
    for (let n = 0; n < 10; n += 1) {
      await sendBefore(target, 'POST', path, body)
    }
    return `/rest${path}`
  }),
  unread('30 unread searches with all comments', 10, async (target) => {
    await addLongComments(target)
    return `/rest/bug?bug_id=0&bug_id_type=notequals&limit=500&${ALL_FIELDS}`
  }),
  unread('30 unread reads of 200 bugs with all comments', 5, async (target) => {
    await addLongComments(target)
    // more of them hold more than one request may read
    const [first, ...others] = target.bugs.slice(0, 200)
    return `/rest/bug/${first}?ids=${others.join(',')}&${ALL_FIELDS}`
  }),
  unread('30 unread histories of 100 long values', 12, async (target) => {
    const bug = target.bugs.at(-3)
    for (let n = 0; n < 100; n += 1) {
      const edits = { whiteboard: `${n} ${LONG_COMMENT.body.slice(10)}`, minor_update: true }
      await sendBefore(target, 'PUT', `/bug/${bug}`, edits)
    }
    return `/rest/bug/${bug}/history`
  }),
  unread('30 unread lists of 200 long comments', 12, async (target) => {
    return `/rest/bug/${await addDiscussion(target, -2)}/comment`
  }),
  unread('30 unread pages of 200 long comments', 0.1, async (target) => {
    return `/bug/${await addDiscussion(target, -4)}`
  }),
  unread('30 unread XML files of 200 long comments', 12, async (target) => {
    return `/show_bug.cgi?ctype=xml&id=${await addDiscussion(target, -5)}`
  }),
]

function edit(name: string, bugs: number, make: MakeEdit, before?: MakeEdit): Attack {
  return {
    name,
    most: EDIT_BUDGET,
    statuses: [200],
    async prepare(target) {
      const ids = target.bugs.slice(0, bugs)
      const path = `/bug/${ids[0]}`
      if (before !== undefined) {
        await sendBefore(target, 'PUT', path, { ...before(target), ids })
      }
      return async () => [await send(target, 'PUT', path, { ...make(target), ids })]
    },
  }
}

function setLinks(host: string): MakeEdit {
  return () => ({ see_also: { set: listLinks(host, ITEMS) } })
}

function listLinks(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `https://${host}.test/${n}`)
}

function upload(name: string, megabytes: number, status: number): Attack {
  return {
    name,
    most: { cpu: 500, p99: 500, megabytes: 100 },
    statuses: [status],
    async prepare(target) {
      const body = createUpload(megabytes)
      const sender = status === 401 ? { ...target, headers: {} } : target
      return async () => [await send(sender, 'POST', `/bug/${target.bugs[0]}/attachment`, body)]
    },
  }
}

/** The longest text that is rendered without an account. */
function render(name: string, piece: string): Attack {
  const text = piece.repeat(Math.floor(10_000 / piece.length))
  return {
    name,
    most: { cpu: 200, p99: 200, megabytes: 50 },
    statuses: [200],
    prepare: async (target) => async () => [
      await send({ ...target, headers: {} }, 'POST', '/bug/comment/render', { text }),
    ],
  }
}

/** Asks for one answer 30 times at once and reads none; throws when it is not as large as announced. */
function unread(
  name: string,
  megabytes: number,
  preparePath: (target: Target) => Promise<string>,
): Attack {
  return {
    name,
    most: megabytes === 100 ? { ...UNREAD_BUDGET, cpu: 200 } : UNREAD_BUDGET,
    statuses: ['unread'],
    async prepare(target) {
      const path = await preparePath(target)
      const answer = await fetch(`${target.origin}${path}`)
      let bytes = 0
      for await (const chunk of answer.body ?? []) {
        bytes += chunk.length
      }
      if (answer.status !== 200 || bytes < megabytes * MEGABYTE) {
        throw new Error(`${path} answers ${answer.status} with ${bytes} bytes`)
      }
      const request = `GET ${path} HTTP/1.1\r\nhost: tracker.test\r\n\r\n`
      return () => leave(target.origin, 30, [request], 'unread')
    },
  }
}

/** Adds 200 long comments to a bug, counted from the end of the list; returns its ID. */
async function addDiscussion(target: Target, place: number): Promise<number | undefined> {
  const bug = target.bugs.at(place)
  for (let n = 0; n < 200; n += 1) {
    const edits = { comment: LONG_COMMENT, minor_update: true }
    await sendBefore(target, 'PUT', `/bug/${bug}`, edits)
  }
  return bug
}

async function addLongComments(target: Target): Promise<void> {
  const edits = { ids: target.bugs, comment: LONG_ON_ALL, flags: MANY_FLAGS }
  await sendBefore(target, 'PUT', `/bug/${target.bugs[0]}`, edits)
}

/** Opens connections, sends the same on each, reads nothing, and ends them after a while. */
async function leave(
  origin: string,
  connections: number,
  parts: readonly (string | Uint8Array)[],
  status: string,
): Promise<Answer[]> {
  const { hostname, port } = new URL(origin)
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname)
    // the server may close it, and it is destroyed in the end
    socket.on('error', () => {}).pause()
    for (const part of parts) {
      socket.write(part)
    }
    return socket
  })
  await pause(SECONDS * 1000)
  for (const socket of sockets) {
    socket.destroy()
  }
  return sockets.map(() => ({ status, ms: SECONDS * 1000 }))
}

/** Several callers, each of which asks once more when it was answered, until there is nothing to ask. */
async function repeat(
  callers: number,
  times: number,
  ask: (caller: number, n: number) => Promise<Answer> | null,
): Promise<Answer[]> {
  const answers: Answer[] = []
  const call = async (caller: number) => {
    for (let n = 0; n < times; n += 1) {
      const answer = await ask(caller, n)
      if (answer === null) {
        return
      }
      answers.push(answer)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  return answers
}

/** The body of an attachment of so many MB, encoded once for all requests. */
function createUpload(megabytes: number): Buffer {
  const data = Buffer.alloc(megabytes * MEGABYTE, 'lacewing').toString('base64')
  const upload = { data, file_name: 'a', summary: 'x', content_type: 'text/plain' }
  return Buffer.from(JSON.stringify(upload))
}

/** Sends one request of the REST API. */
async function send(
  { origin, headers }: Target,
  method: string,
  path: string,
  body?: Body,
): Promise<Answer> {
  const started = performance.now()
  const finish = (answer: Omit<Answer, 'ms'>) => ({ ...answer, ms: performance.now() - started })
  try {
    const sent = body instanceof Uint8Array ? body : body && JSON.stringify(body)
    const answer = await fetch(`${origin}/rest${path}`, { method, headers, body: sent ?? null })
    return finish({ status: answer.status, text: (await answer.text()).slice(0, 300) })
  } catch (error) {
    return finish({ status: 'broken connection', text: `${error}` })
  }
}

/** Sends what an attack needs before it begins, again while the service is busy; throws when it is refused. */
async function sendBefore(target: Target, method: string, path: string, body: Body): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { status, text } = await send(target, method, path, body)
    if (typeof status === 'number' && status < 300) {
      return
    }
    if (status !== 503) {
      throw new Error(`${method} ${path} answers ${status}: ${text}`)
    }
    await pause(500)
  }
  throw new Error(`${method} ${path} is refused, because the service is busy`)
}
