import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../../command.ts'
import type { Members } from './read.ts'

/** Times that a request is sent again when the source is busy, breaks off or answers nonsense. */
const MAX_ATTEMPTS = 8
const MAX_PAUSE_MS = 60_000
const TIMEOUT_MS = 120_000

/** What the source refuses with a number of its own. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** A Bugzilla over REST, one request after the other. */
export class RestSource {
  readonly url: string
  readonly #key: string | undefined
  readonly #firstPause: number
  #keyInQuery = false
  requests = 0

  /** `firstPause` is in milliseconds, and doubles with each further attempt. */
  constructor(url: string, key: string | undefined, firstPause = 500) {
    this.url = url.replace(/\/+$/, '')
    this.#key = key
    this.#firstPause = firstPause
  }

  /** Asks for the version, by which the dialects differ: 5.0 takes keys as parameters alone. */
  async open(): Promise<string> {
    const { version } = await this.get('version')
    const text = String(version ?? '')
    if (text === '') {
      throw new CommandError(`${this.url} is no Bugzilla with REST: it has no version.`)
    }
    this.#keyInQuery = /^[1-4]\.|^5\.0/.test(text)
    return text
  }

  /** The members of an answer. Throws a Refusal, or a CommandError when the source cannot be reached. */
  async get(path: string, query: URLSearchParams = new URLSearchParams()): Promise<Members> {
    if (this.#key !== undefined && this.#keyInQuery) {
      query.set('Bugzilla_api_key', this.#key)
    }
    const address = `${this.url}/rest/${path}${query.size > 0 ? `?${query}` : ''}`
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#send(address)
      if (outcome.answer !== null) {
        return outcome.answer
      }
      if (attempt === MAX_ATTEMPTS) {
        throw new CommandError(
          `GET ${path}: ${outcome.reason}. Run the command again when the source answers: it goes on.`,
        )
      }
      const wait = Math.max(outcome.asked * 1000, this.#firstPause * 2 ** (attempt - 1))
      await pause(Math.min(MAX_PAUSE_MS, wait))
    }
  }

  async #send(address: string): Promise<{ answer: Members | null; reason: string; asked: number }> {
    this.requests += 1
    const again = (reason: string, asked = 0) => ({ answer: null, reason, asked })
    const headers = {
      accept: 'application/json',
      ...(this.#key !== undefined && !this.#keyInQuery && { 'x-bugzilla-api-key': this.#key }),
    }
    let response: Response
    let text: string
    try {
      response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      text = await response.text()
    } catch (error) {
      return again(`it cannot be reached (${error instanceof Error ? error.message : error})`)
    }
    const isBusy = response.status === 429 || response.status >= 500
    const answer = parseMembers(text)
    if (answer === null) {
      return again(
        `it answers ${response.status} without JSON`,
        Number(response.headers.get('retry-after') ?? 0),
      )
    }
    if (answer.error === true || answer.error === 1 || !response.ok) {
      if (isBusy && response.status !== 500) {
        return again(String(answer.message ?? ''), Number(response.headers.get('retry-after') ?? 0))
      }
      throw new Refusal(Number(answer.code ?? 0), String(answer.message ?? response.status))
    }
    return { answer, reason: '', asked: 0 }
  }
}

function parseMembers(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : null
  } catch {
    return null
  }
}
