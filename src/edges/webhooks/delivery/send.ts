import { findTargetProblem } from '../target.ts'

type OutgoingMessage = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of an attempt. `error` is null for a success, and holds no address and no text of others. */
export type Attempt = {
  readonly error: string | null
  /** Null when no answer came. */
  readonly status: number | null
  readonly excerpt: string | null
}

/** Milliseconds for the connection, the request and the answer together. */
const TIMEOUT_MS = 10_000
/** Bytes of the answer that are read. */
const MAX_ANSWER_BYTES = 64 * 1024
const EXCERPT_LENGTH = 1000

/** What messages travel through: on a computer of one's own, a network of public addresses alone. */
export type Network = Pick<Fetcher, 'fetch'>

/**
 * Posts a message. A 2xx answer that arrives in ten seconds, or its first 64 KB, is a success; redirects are not
 * followed. Never throws.
 */
export async function sendMessage(
  { url, headers, body }: OutgoingMessage,
  { allowsPrivate, network }: { allowsPrivate: boolean; network?: Network | undefined },
  timeoutMs = TIMEOUT_MS,
): Promise<Attempt> {
  if (findTargetProblem(url, allowsPrivate) !== null) {
    return buildAttempt({ error: 'the address may not be called' })
  }
  const signal = AbortSignal.timeout(timeoutMs)
  const received: { status: number | null; excerpt: string | null } = {
    status: null,
    excerpt: null,
  }
  try {
    const sent = { method: 'POST', headers, body, redirect: 'manual', signal } as const
    const isLimited = network !== undefined && !allowsPrivate
    const response = await (isLimited ? network.fetch(url, sent) : fetch(url, sent))
    received.status = response.status
    received.excerpt = await readExcerpt(response, signal)
    return buildAttempt({
      ...received,
      error: response.ok ? null : `answered with ${response.status}`,
    })
  } catch {
    // errors of connections quote the host
    const error = signal.aborted
      ? `no complete answer in ${timeoutMs / 1000} seconds`
      : received.status === null
        ? 'no connection, or it broke off'
        : 'the answer broke off'
    return buildAttempt({ ...received, error })
  }
}

function buildAttempt(more: Partial<Attempt>): Attempt {
  return { error: null, status: null, excerpt: null, ...more }
}

/** Reads the beginning of an answer and drops the rest. */
async function readExcerpt({ body }: Response, signal: AbortSignal): Promise<string> {
  if (body === null) {
    return ''
  }
  const reader = body.getReader()
  const abort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('time is up')))
  })
  // the timer may fire after the race is decided
  abort.catch(() => {})
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let bytes = 0; bytes < MAX_ANSWER_BYTES; ) {
      const { done, value } = await Promise.race([reader.read(), abort])
      if (done) {
        break
      }
      bytes += value.byteLength
      text += text.length < EXCERPT_LENGTH ? decoder.decode(value, { stream: true }) : ''
    }
  } finally {
    reader.cancel().catch(() => {})
  }
  return text.slice(0, EXCERPT_LENGTH).replaceAll('\0', '').toWellFormed()
}
