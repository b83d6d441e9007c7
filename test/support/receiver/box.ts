import { inject } from 'vitest'
import { uniqueName } from '../builders/unique.ts'
import type { ReceivedRequest } from './server.ts'

/** How a receiver answers; see `server.ts`. */
export type Behaviour =
  | 'ok'
  | 'fails'
  | 'fails-late'
  | 'gone'
  | 'hangs'
  | 'hangs-in-answer'
  | 'closes'
  | 'closes-in-answer'
  | 'large'
  | 'redirects'

/** A receiver of its own on the real HTTP server. */
export type Receiver = {
  readonly url: string
  received(): Promise<ReceivedRequest[]>
  /** The bodies that it has received, parsed. */
  messages(): Promise<Message[]>
  behave(behaviour: Behaviour): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a receiver reads messages without their types
export type Message = any

export function openReceiver(behaviour: Behaviour = 'ok'): Receiver {
  const server = inject('receiverUrl')
  const box = uniqueName('box')
  const received = async () => (await fetch(`${server}/${box}`)).json<ReceivedRequest[]>()
  return {
    url: `${server}/${behaviour}/${box}`,
    received,
    messages: async () => (await received()).map(({ body }) => JSON.parse(body)),
    behave: async (next) => {
      await (await fetch(`${server}/${box}`, { method: 'PUT', body: next })).text()
    },
  }
}
