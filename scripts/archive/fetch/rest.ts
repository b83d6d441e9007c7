import { CommandError } from '../../command.ts'
import { JsonClient } from './json-client.ts'
import { type Members, readMembers } from './read.ts'

/** What the source refuses with a number of its own. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** A Bugzilla over REST. */
export class RestSource {
  readonly url: string
  readonly #key: string | undefined
  readonly #client: JsonClient
  #keyInQuery = false

  constructor(url: string, key: string | undefined, client = new JsonClient()) {
    this.url = url.replace(/\/+$/, '')
    this.#key = key
    this.#client = client
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

  /** The members of an answer. Throws a Refusal. */
  async get(path: string, query: URLSearchParams = new URLSearchParams()): Promise<Members> {
    if (this.#key !== undefined && this.#keyInQuery) {
      query.set('Bugzilla_api_key', this.#key)
    }
    const { status, value } = await this.#client.get(
      `${this.url}/rest/${path}${query.size > 0 ? `?${query}` : ''}`,
      {
        accept: 'application/json',
        ...(this.#key !== undefined && !this.#keyInQuery && { 'x-bugzilla-api-key': this.#key }),
      },
    )
    const answer = readMembers(value)
    if (answer.error === true || answer.error === 1 || status >= 400) {
      throw new Refusal(Number(answer.code ?? 0), String(answer.message ?? status))
    }
    return answer
  }
}
