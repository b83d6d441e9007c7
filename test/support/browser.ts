import { exports } from 'cloudflare:workers'
import { expect } from 'vitest'

const ORIGIN = 'https://tracker.test'

export type PageAnswer = { status: number; html: string; headers: Headers }

type Fields = Readonly<Record<string, string | readonly string[] | File>>

/** What a person's browser does without scripts: it keeps cookies, and sends forms as they stand on pages. */
export class Browser {
  #cookie = ''

  async open(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.#send('GET', path, undefined, headers)
  }

  /** Opens a page and sends a form with these fields and the token of the page. */
  async submit(
    from: string,
    action: string,
    fields: Fields,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    return this.post(action, { form_token: await this.tokenOn(from), ...fields }, headers)
  }

  async tokenOn(path: string): Promise<string> {
    const { html } = await this.open(path)
    const token = /name="form_token" value="([^"]+)"/.exec(html)?.[1]
    expect(token, `no form on ${path}: ${html}`).toBeDefined()
    return token ?? ''
  }

  async post(
    action: string,
    fields: Fields,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const isMultipart = Object.values(fields).some((value) => value instanceof File)
    const form = isMultipart ? new FormData() : new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        form.append(name, one)
      }
    }
    return this.#send('POST', action, form, { origin: ORIGIN, ...headers })
  }

  async signIn({ login, password = '' }: { login: string; password?: string | undefined }) {
    const answer = await this.submit('/login', '/login', { login, password, return: '/' })
    expect(answer.status, answer.html).toBe(303)
    return this
  }

  async #send(
    method: string,
    path: string,
    body: FormData | URLSearchParams | undefined,
    headers: Record<string, string>,
  ): Promise<PageAnswer> {
    const response = await exports.default.fetch(`${ORIGIN}${path}`, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(this.#cookie && { cookie: this.#cookie }), ...headers },
      ...(body && { body }),
    })
    const [, cookie] = /^(\S+=[^;]*);/.exec(response.headers.get('set-cookie') ?? '') ?? []
    this.#cookie = cookie ?? this.#cookie
    return { status: response.status, html: await response.text(), headers: response.headers }
  }
}
