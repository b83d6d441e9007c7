import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { systemCtx } from '../../src/background.ts'
import type { Ctx } from '../../src/context.ts'

export type SentMail = {
  from: string | { name: string; email: string }
  to: string
  subject: string
  text: string
  headers: Record<string, string>
}

export type Outbox = {
  /** The real environment, but for the mail service and what it needs to be told. */
  env: Env
  sent: SentMail[]
  /** A context of the service itself in that environment. */
  ctx(now?: number): Ctx
  mailTo(login: string): SentMail | undefined
}

/** Stands where the mail service does. `answer` may throw what the service would. */
export function outbox(
  vars: Record<string, unknown> = {},
  answer: (mail: SentMail) => void = () => {},
): Outbox {
  const sent: SentMail[] = []
  const MAIL = {
    async send(mail: SentMail) {
      answer(mail)
      sent.push(mail)
      return { messageId: crypto.randomUUID() }
    },
  }
  const own = {
    ...env,
    MAIL_FROM: 'tracker@mail.test',
    BASE_URL: 'https://tracker.test',
    MAIL,
    ...vars,
  } as unknown as Env
  return {
    env: own,
    sent,
    ctx: (now) => {
      const ctx = systemCtx(own, createExecutionContext())
      return now === undefined ? ctx : { ...ctx, now }
    },
    mailTo: (login) => sent.find((mail) => mail.to === login),
  }
}

/** A refusal as the mail service words it. */
export function refusal(code: string): Error {
  return Object.assign(new Error(`refused: somebody@example.test`), { code })
}
