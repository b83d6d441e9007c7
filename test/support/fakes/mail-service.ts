import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { systemCtx } from '../../../src/platform/background.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { deliverNotices } from '../../../src/tracker/notices/deliver.ts'
import { execute } from '../database/execute.ts'

export type SentMail = {
  from: string | { name: string; email: string }
  to: string
  subject: string
  text: string
  html?: string
  headers: Record<string, string>
}

export type FakeMailService = {
  /** The real environment with this mail service and the settings that it needs. */
  env: Env
  sent: SentMail[]
  /** A context of background work in that environment. */
  ctx(now?: number): Ctx
  mailTo(login: string): SentMail | undefined
}

/** Builds a mail service that keeps its mails. `answer` may throw what the real service throws. */
export function buildMailService(
  vars: Record<string, unknown> = {},
  answer: (mail: SentMail) => void = () => {},
): FakeMailService {
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

/** An error like those of the mail service. */
export function buildMailRefusal(code: string): Error {
  return Object.assign(new Error(`refused: somebody@example.test`), { code })
}

/** Delivers one notice, as if those ahead of it had been; returns its outcome. */
export async function deliverNotice(ctx: Ctx, id: number) {
  await execute(sql`UPDATE notices SET done_at = 1 FROM notices AS own
    WHERE own.id = ${id} AND notices.id < own.id AND notices.done_at IS NULL
      AND (notices.bug_id = own.bug_id OR notices.author_id = own.author_id)`)
  return (await deliverNotices(ctx, { ids: [id] })).get(id)
}
