import { connect, type Socket } from 'node:net'

/** The server, the key of somebody who may edit bugs, and public bugs. */
export type Target = {
  readonly origin: string
  readonly apiKey: string
  readonly bugs: readonly number[]
}

/** What one caller does to cost all others as much as possible. */
export type Attack = {
  readonly name: string
  /** The number of requests; the processor time is that of one. */
  readonly requests: number
  /** Milliseconds of processor time, and of the p99 of others; growth of memory in MB. */
  readonly most: { readonly cpu?: number; readonly p99?: number; readonly megabytes?: number }
  /** Does what comes before, and returns the attack itself, which returns the statuses of its answers. */
  prepare(target: Target): Promise<() => Promise<(number | string)[]>>
}

const MEGABYTE = 1024 * 1024
const ITEMS = 1000
const GUESSERS = 16
const GUESSES = 5
const UNFINISHED = 100
const UNREAD = 30
const UNREAD_SECONDS = 5

const numbers = Array.from({ length: ITEMS }, (_, n) => n)
const links = (host: string) => numbers.map((n) => `https://${host}.test/${n}`)
const keywords = numbers.map((n) => `many${n}`)

export const ATTACKS: readonly Attack[] = [
  edit('set 1,000 see_also', 1, [], { see_also: { set: links('one') } }),
  edit('replace 1,000 see_also', 1, [{ see_also: { set: links('one') } }], {
    see_also: { set: links('two') },
  }),
  edit('set 1,000 keywords on 500 bugs', 500, [], { keywords: { set: keywords } }),
  edit('set 20 keywords on 500 bugs', 500, [], { keywords: { set: keywords.slice(0, 20) } }),
  edit('set 20 see_also on 500 bugs', 500, [], { see_also: { set: links('all').slice(0, 20) } }),
  upload('upload 20 MB without credentials', 20, false),
  upload('upload 20 MB with a key', 20, true),
  upload('upload 40 MB with a key', 40, true),
  {
    name: 'guess passwords, 16 at once',
    requests: GUESSERS * GUESSES,
    most: { p99: 200 },
    prepare: async ({ origin }) => guessPasswords(origin),
  },
  render('render many images', '!['),
  render('render many links', '[a]('),
  render('render many quotes', '>'),
  {
    name: '100 unfinished uploads of 9 MB',
    requests: UNFINISHED,
    most: { megabytes: 300 },
    prepare: async (target) => leaveUploadsUnfinished(target),
  },
  {
    name: '30 unread answers of 100 MB',
    requests: UNREAD,
    most: { megabytes: 200 },
    prepare: leaveAttachmentsUnread,
  },
  {
    name: '30 unread searches with all comments',
    requests: UNREAD,
    most: { megabytes: 200 },
    prepare: leaveSearchesUnread,
  },
]

type Edit = Readonly<Record<string, unknown>>

function edit(name: string, bugs: number, before: readonly Edit[], attack: Edit): Attack {
  return {
    name,
    requests: 1,
    most: { cpu: 1000 },
    async prepare(target) {
      const ids = target.bugs.slice(0, bugs)
      const change = (body: Edit) => send(target, 'PUT', `/bug/${ids[0]}`, { ...body, ids })
      for (const body of before) {
        await change(body)
      }
      return async () => [await change(attack)]
    },
  }
}

function upload(name: string, megabytes: number, isKnown: boolean): Attack {
  return {
    name,
    requests: 1,
    most: { cpu: 500 },
    async prepare(target) {
      const body = createUpload(megabytes)
      const sender = isKnown ? target : { ...target, apiKey: '' }
      const [bug] = target.bugs
      return async () => [await send(sender, 'POST', `/bug/${bug}/attachment`, body)]
    },
  }
}

/** Of the longest text that is rendered without an account. */
function render(name: string, piece: string): Attack {
  const text = piece.repeat(Math.floor(10_000 / piece.length))
  return {
    name,
    requests: 1,
    most: { cpu: 200 },
    prepare: async ({ origin }) => {
      const anyone = { origin, apiKey: '' }
      return async () => [await send(anyone, 'POST', '/bug/comment/render', { text })]
    },
  }
}

/** Different logins, because one that is locked is no longer verified. */
function guessPasswords(origin: string): () => Promise<number[]> {
  const guess = async (guesser: number) => {
    const statuses: number[] = []
    for (let n = 0; n < GUESSES; n += 1) {
      const query = new URLSearchParams({ login: `guess${guesser}.${n}@a.test`, password: 'wrong' })
      const answer = await fetch(`${origin}/rest/login?${query}`)
      await answer.text()
      statuses.push(answer.status)
    }
    return statuses
  }
  return async () => {
    const guessers = Array.from({ length: GUESSERS }, (_, n) => guess(n))
    return (await Promise.all(guessers)).flat()
  }
}

async function leaveUploadsUnfinished(target: Target): Promise<() => Promise<string[]>> {
  const body = createUpload(9)
  const head = [
    `POST /rest/bug/${target.bugs[0]}/attachment HTTP/1.1`,
    'host: tracker.test',
    `x-tracker-api-key: ${target.apiKey}`,
    `content-length: ${body.length}`,
  ]
  return async () => {
    const sockets = Array.from({ length: UNFINISHED }, () => {
      const socket = open(target.origin)
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body.slice(0, -MEGABYTE))
      return socket
    })
    await pause(UNREAD_SECONDS * 1000)
    sockets.map((socket) => socket.destroy())
    return sockets.map(() => 'unfinished')
  }
}

async function leaveAttachmentsUnread(target: Target): Promise<() => Promise<string[]>> {
  const bug = target.bugs.at(-1)
  const body = createUpload(8)
  for (let n = 0; n < 10; n += 1) {
    await send(target, 'POST', `/bug/${bug}/attachment`, body)
  }
  return leaveAnswersUnread(target, `/rest/bug/${bug}/attachment`, 100 * MEGABYTE)
}

function leaveSearchesUnread(target: Target): Promise<() => Promise<string[]>> {
  const fields = '_all,comments,description,history'
  return leaveAnswersUnread(
    target,
    `/rest/bug?bug_id=0&bug_id_type=notequals&include_fields=${fields}`,
    0,
  )
}

/** Asks for one answer many times at once and reads none; throws when the answer is not as large as announced. */
async function leaveAnswersUnread(
  { origin }: Target,
  path: string,
  least: number,
): Promise<() => Promise<string[]>> {
  const { status, bytes } = await measureAnswer(`${origin}${path}`)
  if (status !== 200 || bytes < least) {
    throw new Error(`${path} answers ${status} with ${bytes} bytes, not with ${least}`)
  }
  return async () => {
    const sockets = Array.from({ length: UNREAD }, () => {
      const socket = open(origin)
      socket.pause()
      socket.write(`GET ${path} HTTP/1.1\r\nhost: tracker.test\r\n\r\n`)
      return socket
    })
    await pause(UNREAD_SECONDS * 1000)
    sockets.map((socket) => socket.destroy())
    return sockets.map(() => `unread of ${(bytes / MEGABYTE).toFixed(0)} MB`)
  }
}

async function measureAnswer(url: string): Promise<{ status: number; bytes: number }> {
  const answer = await fetch(url)
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
  }
  return { status: answer.status, bytes }
}

function open(origin: string): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  // the server may close it, and it is destroyed in the end
  socket.on('error', () => {})
  return socket
}

function createUpload(megabytes: number): string {
  const data = Buffer.alloc(megabytes * MEGABYTE, 'lacewing').toString('base64')
  return JSON.stringify({ data, file_name: 'a', summary: 'x', content_type: 'text/plain' })
}

async function send(
  { origin, apiKey }: Pick<Target, 'origin' | 'apiKey'>,
  method: string,
  path: string,
  body: object | string,
): Promise<number | string> {
  try {
    const answer = await fetch(`${origin}/rest${path}`, {
      method,
      headers: apiKey === '' ? {} : { 'x-tracker-api-key': apiKey },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    await answer.text()
    return answer.status
  } catch {
    return 'broken connection'
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
