/** What a server is asked, without the credentials of a caller. */
export type Request = {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** Sent as JSON, bytes as they are. */
  body?: object | undefined
  /** The event of a code host, which signs the body. */
  event?: string
  /** Beside those of the caller. */
  headers?: OwnHeaders
}

export type Answer = {
  /** That of HTTP; `none` when nobody waited any longer, `broken` without a connection. */
  status: number | 'none' | 'broken'
  bytes: Buffer
  /** The code of a fault, which some protocols answer with status 200. */
  fault: string | null
  ms: number
  cost: Cost
}

/** What a response cost, as far as the server reports it: with its longest statement, whose rows are `most`. */
export type Cost = Readonly<Record<'trips' | 'read' | 'written' | 'statement' | 'most', number>>

/** What makes a server report the cost of each response. */
export const REPORTS_COSTS = { SERVER_TIMING: 'on' }

type OwnHeaders = Record<string, string>

export function get(path: string, headers: OwnHeaders = {}): Request {
  return { method: 'GET', path, headers }
}

export function post(path: string, body: object, headers: OwnHeaders = {}): Request {
  return { method: 'POST', path, body, headers }
}

export function put(path: string, body: object, headers: OwnHeaders = {}): Request {
  return { method: 'PUT', path, body, headers }
}

/** Sends a request and reads the whole answer, whatever it is. */
export async function ask(
  origin: string,
  { method, path, body, headers = {} }: Request,
  signal?: AbortSignal,
): Promise<Answer> {
  const started = performance.now()
  const sent = body instanceof Uint8Array ? body : body && JSON.stringify(body)
  const type = body && { 'content-type': 'application/json' }
  const init = { method, body: sent ?? null, headers: { ...type, ...headers }, signal }
  try {
    const response = await fetch(`${origin}${path}`, init as RequestInit)
    const bytes = Buffer.from(await response.arrayBuffer())
    const ms = performance.now() - started
    const [, fault = null] = /"code":\s*(-?\d+)/.exec(bytes.toString('utf8', 0, 2000)) ?? []
    return { status: response.status, bytes, fault, ms, cost: readCost(response.headers) }
  } catch (error) {
    const [status, ms] = [signal?.aborted ? 'none' : 'broken', performance.now() - started] as const
    return {
      status,
      bytes: Buffer.from(`${error}`),
      fault: null,
      ms,
      cost: readCost(new Headers()),
    }
  }
}

/** The same for a request that has to succeed. */
export async function askWell(origin: string, request: Request): Promise<Answer> {
  const answer = await ask(origin, request)
  if (typeof answer.status === 'string' || answer.status >= 400) {
    const { method, path } = request
    throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString('utf8', 0, 300)}`)
  }
  return answer
}

/** The cost that the headers of a response report. */
export function readCost(headers: Headers): Cost {
  const timing = headers.get('server-timing') ?? ''
  const find = (pattern: RegExp) => Number(pattern.exec(timing)?.[1] ?? 0)
  return {
    ...{ trips: find(/(\d+) trips/), read: find(/(\d+) read/), written: find(/(\d+) written/) },
    ...{ statement: find(/statement;dur=([\d.]+)/), most: find(/at most (\d+) read/) },
  }
}

/** The cells of a table that is written as text: a row for each line, with ` | ` between cells. */
export function readTable(text: string): string[][] {
  const lines = text.trim().split('\n')
  return lines.map((line) => line.split(' | ').map((cell) => cell.trim()))
}

/** Puts values into a path, for their names in braces. Throws for a name without a value. */
export function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (values[name] === undefined) {
      throw new Error(`There is no ${name} for ${path}`)
    }
    return encodeURIComponent(String(values[name]))
  })
}
