import { connect } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, ask, type Request } from './request.ts'

/** A server, a public bug with a long discussion, some bugs of a product, accounts, and the headers of an editor. */
export type Target = {
  readonly origin: string
  readonly longBug: number
  readonly bugs: readonly number[]
  readonly logins: readonly string[]
  readonly headers: Record<string, string>
}

/** What one caller does to cost all others as much as possible. */
export type Attack = {
  name: string
  /**
   * Milliseconds of processor time of one request, of its longest statement, and of the p99 of others; the MB by which
   * memory may grow, and that may remain.
   */
  most: { cpu: number; statement?: number; p99: number; grown?: number; remains?: number }
  /** What it is answered: the first status at least once, and no other. Any, where there are none. */
  statuses?: readonly (number | string)[]
  /** What others ask meanwhile, by default for the version. */
  watched?: (target: Target) => Request
  /** Changes a database at rest before the server starts. */
  change?: (database: DatabaseSync, target: Target) => void
  /** What is sent alone at first, so that its cost is known. */
  alone?: (target: Target) => Request
  /** Does what comes before, and returns the attack itself. */
  prepare: (target: Target) => Promise<() => Promise<Outcome[]>>
}

/** What a request was answered, or what became of a connection that reads no answer. */
export type Outcome = { status: number | string; fault: string | null; text: string; ms: number }

/** How long what has no end of its own goes on. */
export const SECONDS = 5

/** Several callers, each of which asks once more when it was answered, until there is nothing to ask. */
export async function askInTurns(
  { origin }: Target,
  callers: number,
  next: (caller: number, n: number) => Request | null,
  signal?: AbortSignal,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const call = async (caller: number) => {
    let request = next(caller, 0)
    for (let n = 1; request !== null; n += 1) {
      const { bytes, ...answer } = await ask(origin, request, signal)
      outcomes.push({ ...answer, text: bytes.toString('utf8', 0, 300) })
      request = next(caller, n)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  return outcomes
}

/** Opens connections, sends the same on each, reads nothing, and ends them after a while. */
export async function leave(
  { origin }: Target,
  connections: number,
  parts: readonly (string | Uint8Array)[],
  status: string,
): Promise<Outcome[]> {
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
  return sockets.map(() => ({ status, fault: null, text: '', ms: SECONDS * 1000 }))
}

/** Sends what an attack needs before it begins, again while the service is busy; throws when it is refused. */
export async function askBefore({ origin }: Target, request: Request): Promise<Answer> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const answer = await ask(origin, request)
    if (answer.status === 200 || answer.status === 201) {
      return answer
    }
    if (answer.status !== 503) {
      const text = answer.bytes.toString('utf8', 0, 300)
      throw new Error(`${request.method} ${request.path} answers ${answer.status}: ${text}`)
    }
    await pause(500)
  }
  throw new Error(`${request.method} ${request.path} is refused, because the service is busy`)
}
