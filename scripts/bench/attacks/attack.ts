/** The server, the key of somebody who may edit bugs, public bugs and accounts. */
export type Target = {
  readonly origin: string
  readonly apiKey: string
  readonly bugs: readonly number[]
  readonly logins: readonly string[]
}

/** What an attempt was answered: the status, and the text of a refusal. */
export type Answer = { readonly status: number | string; readonly text?: string }

/** What one caller does to cost all others as much as possible. */
export type Attack = {
  readonly name: string
  /** The number of requests; the processor time is that of one. */
  readonly requests: number
  /** Milliseconds of processor time, and of the p99 of others; growth of memory in MB. */
  readonly most: { readonly cpu: number; readonly p99: number; readonly megabytes: number }
  /** What it is answered: the first status at least once, and no other than these. */
  readonly statuses: readonly [number | string, ...(number | string)[]]
  /** Does what comes before, and returns the attack itself. */
  prepare(target: Target): Promise<() => Promise<Answer[]>>
}

export const MEGABYTE = 1024 * 1024

const MAX_TEXT = 300

/** Sends one request of the REST API, anonymously without a key. */
export async function send(
  { origin, apiKey }: Pick<Target, 'origin' | 'apiKey'>,
  method: string,
  path: string,
  body: object | Uint8Array,
): Promise<Answer> {
  try {
    const answer = await fetch(`${origin}/rest${path}`, {
      method,
      headers: apiKey === '' ? {} : { 'x-tracker-api-key': apiKey },
      body: body instanceof Uint8Array ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, text: text.slice(0, MAX_TEXT) }
  } catch (error) {
    return { status: 'broken connection', text: `${error}` }
  }
}

const ATTEMPTS = 20
const PAUSE_MS = 500

/** Sends what an attack needs before it begins, again while the service is busy; throws when it is refused. */
export async function sendBefore(
  target: Target,
  method: string,
  path: string,
  body: object | Uint8Array,
): Promise<void> {
  let { status, text } = await send(target, method, path, body)
  for (let attempt = 1; status === 503 && attempt < ATTEMPTS; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    ;({ status, text } = await send(target, method, path, body))
  }
  if (typeof status !== 'number' || status >= 300) {
    throw new Error(`${method} ${path} answers ${status}: ${text}`)
  }
}

/** The body of an attachment of so many MB, encoded once for all requests. */
export function createUpload(megabytes: number): Buffer {
  const data = Buffer.alloc(megabytes * MEGABYTE, 'lacewing').toString('base64')
  const upload = { data, file_name: 'a', summary: 'x', content_type: 'text/plain' }
  return Buffer.from(JSON.stringify(upload))
}
