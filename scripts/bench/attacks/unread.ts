import { connect, type Socket } from 'node:net'
import {
  type Answer,
  type Attack,
  createUpload,
  MEGABYTE,
  sendBefore,
  type Target,
} from './attack.ts'
import { FLAG_TYPE } from './edits.ts'

const UNFINISHED = 100
const UNREAD = 30
const SECONDS = 5
const COMMENTS = 200
const MANY_FLAGS = Array.from({ length: 50 }, () => ({ name: FLAG_TYPE, status: '?', new: true }))
const ALL_FIELDS = '_all,comments,description,history'
const LONG_COMMENT = { body: 'lacewing '.repeat(10_000).slice(0, 65_535) }

/** Requests that never end, and answers that nobody reads. */
export const unreadAttacks: readonly Attack[] = [
  {
    name: '100 unfinished uploads of 9 MB',
    requests: UNFINISHED,
    most: { cpu: 50, p99: 500, megabytes: 300 },
    statuses: ['unfinished'],
    prepare: async (target) => leaveUploadsUnfinished(target),
  },
  {
    name: '30 unread answers of 100 MB',
    requests: UNREAD,
    most: { cpu: 200, p99: 500, megabytes: 200 },
    statuses: ['unread'],
    prepare: leaveAttachmentsUnread,
  },
  {
    name: '30 unread searches with all comments',
    requests: UNREAD,
    most: { cpu: 300, p99: 500, megabytes: 200 },
    statuses: ['unread'],
    prepare: leaveSearchesUnread,
  },
  {
    name: '30 unread reads of 500 bugs with all comments',
    requests: UNREAD,
    most: { cpu: 300, p99: 500, megabytes: 200 },
    statuses: ['unread'],
    prepare: leaveReadsUnread,
  },
  {
    name: '30 unread lists of 200 long comments',
    requests: UNREAD,
    most: { cpu: 300, p99: 500, megabytes: 200 },
    statuses: ['unread'],
    prepare: leaveCommentsUnread,
  },
]

async function leaveUploadsUnfinished(target: Target): Promise<() => Promise<Answer[]>> {
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
      socket.write(body.subarray(0, -MEGABYTE))
      return socket
    })
    return closeLater(sockets, 'unfinished')
  }
}

async function leaveAttachmentsUnread(target: Target): Promise<() => Promise<Answer[]>> {
  const bug = target.bugs.at(-1)
  const body = createUpload(8)
  for (let n = 0; n < 10; n += 1) {
    await sendBefore(target, 'POST', `/bug/${bug}/attachment`, body)
  }
  return leaveAnswersUnread(target, `/rest/bug/${bug}/attachment`, 100 * MEGABYTE)
}

async function leaveSearchesUnread(target: Target): Promise<() => Promise<Answer[]>> {
  await addLongComments(target)
  const path = `/rest/bug?bug_id=0&bug_id_type=notequals&include_fields=${ALL_FIELDS}`
  return leaveAnswersUnread(target, path, 30 * MEGABYTE)
}

async function leaveReadsUnread(target: Target): Promise<() => Promise<Answer[]>> {
  await addLongComments(target)
  const [first, ...others] = target.bugs
  const path = `/rest/bug/${first}?ids=${others.join(',')}&include_fields=${ALL_FIELDS}`
  return leaveAnswersUnread(target, path, 30 * MEGABYTE)
}

async function addLongComments(target: Target): Promise<void> {
  await sendBefore(target, 'PUT', `/bug/${target.bugs[0]}`, {
    ids: target.bugs,
    comment: LONG_COMMENT,
    flags: MANY_FLAGS,
  })
}

async function leaveCommentsUnread(target: Target): Promise<() => Promise<Answer[]>> {
  const bug = target.bugs.at(-2)
  for (let n = 0; n < COMMENTS; n += 1) {
    await sendBefore(target, 'PUT', `/bug/${bug}`, { comment: LONG_COMMENT, minor_update: true })
  }
  return leaveAnswersUnread(target, `/rest/bug/${bug}/comment`, 12 * MEGABYTE)
}

/** Asks for one answer many times at once and reads none; throws when the answer is not as large as announced. */
async function leaveAnswersUnread(
  { origin }: Target,
  path: string,
  least: number,
): Promise<() => Promise<Answer[]>> {
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
    return closeLater(sockets, 'unread')
  }
}

async function closeLater(sockets: readonly Socket[], status: string): Promise<Answer[]> {
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
  for (const socket of sockets) {
    socket.destroy()
  }
  return sockets.map(() => ({ status }))
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
