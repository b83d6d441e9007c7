import { consume, LIVE, recordingQueue } from '../consume-messages.ts'
import { buildMailService } from '../fakes/mail-service.ts'
import { fetchWith } from './service.ts'

/** The service as a site that sends mails, with what its requests have caused to be sent. */
export function openMailingSite(vars: Record<string, unknown> = {}) {
  const box = buildMailService(vars)
  const { EVENTS, sent: messages } = recordingQueue()
  const bindings = { ...box.env, EVENTS }

  /** Sends a request and delivers the mails that it announces. */
  async function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const response = await fetchWith(bindings, path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await consume(
      LIVE,
      messages.splice(0).map((message) => message.body),
      box.env,
    )
    const cost = /(\d+) trips, (\d+) statements, (\d+) read, (\d+) written/.exec(
      response.headers.get('server-timing') ?? '',
    )
    // biome-ignore lint/suspicious/noExplicitAny: a client reads answers without their types
    return { status: response.status, body: await response.json<any>(), cost: cost?.slice(1) }
  }

  return {
    ...{ box, bindings, request, mails: box.sent },
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      request('POST', path, body, headers),
    /** The mails to an address, oldest first. */
    mailsTo: (address: string) => box.sent.filter(({ to }) => to === address),
    /** The token in the newest mail to an address. */
    tokenFor(address: string): string {
      const mail = box.sent.findLast(({ to }) => to === address)
      return /\?token=(\w+)\s/.exec(mail?.text ?? '')?.[1] ?? `no mail to ${address}`
    },
  }
}
