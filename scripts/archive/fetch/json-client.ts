import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../../command.ts'

/** Times that a request is sent again when the source is busy, breaks off or answers nonsense. */
const MAX_ATTEMPTS = 8
const MAX_PAUSE_MS = 60_000
const TIMEOUT_MS = 120_000

/** An answer as the source meant it, whatever it says. */
type JsonAnswer = { readonly status: number; readonly value: unknown }

/** Reads JSON over HTTP, one request after the other, with patience. */
export class JsonClient {
  readonly #firstPause: number

  /** Milliseconds, which double with each further attempt. */
  constructor(firstPause = 500) {
    this.#firstPause = firstPause
  }

  /** Throws a CommandError when the source does not answer with JSON after many attempts. */
  async get(address: string, headers: Record<string, string>): Promise<JsonAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(address, headers)
      if ('value' in outcome) {
        return outcome
      }
      if (attempt === MAX_ATTEMPTS) {
        const { pathname } = new URL(address)
        throw new CommandError(
          `GET ${pathname}: ${outcome.reason}. Run the command again when the source answers.`,
        )
      }
      const wait = Math.max(outcome.asked * 1000, this.#firstPause * 2 ** (attempt - 1))
      await pause(Math.min(MAX_PAUSE_MS, wait))
    }
  }
}

type Again = { readonly reason: string; readonly asked: number }

async function send(address: string, headers: Record<string, string>): Promise<JsonAnswer | Again> {
  let response: Response
  let text: string
  try {
    response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    text = await response.text()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { reason: `it cannot be reached (${reason})`, asked: 0 }
  }
  const { status } = response
  const asked = Number(response.headers.get('retry-after') ?? 0)
  // a 500 of this API family is a fault with a number, which stays
  const isBusy = status === 429 || status > 500 || (status === 403 && asked > 0)
  if (isBusy) {
    return { reason: `it answers ${status}`, asked }
  }
  try {
    return { status, value: JSON.parse(text) }
  } catch {
    return { reason: `it answers ${status} without JSON`, asked }
  }
}
