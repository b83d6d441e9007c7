/** An answer that came over the network. */
export type Reply = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are read the way a client reads them
  body: any
  text: string
  headers: Headers
}

/** A client of a running tracker, with or without an API key. */
export type Visitor = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body: object): Promise<Reply>
  put(path: string, body: object): Promise<Reply>
}

/** A client of the tracker at this address; paths begin after `/rest`. */
export function createVisitor(url: string, key?: string): Visitor {
  const credentials: Record<string, string> = key === undefined ? {} : { 'x-tracker-api-key': key }
  async function send(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(`${url}/rest${path}`, {
      method,
      ...init,
      headers: { ...credentials, ...(init.headers as Record<string, string>) },
    })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      text,
      headers: response.headers,
    }
  }
  return {
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body) => send('POST', path, { body: JSON.stringify(body) }),
    put: (path, body) => send('PUT', path, { body: JSON.stringify(body) }),
  }
}

/** The body of an answer; throws with the text of the answer if it is a refusal. */
export async function expectSuccess(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, text, body } = await reply
  if (status >= 300) {
    throw new Error(`answered with ${status}: ${text}`)
  }
  return body
}
