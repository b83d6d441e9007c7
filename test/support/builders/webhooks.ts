import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { newWebhookSecret } from '../../../src/edges/webhooks/delivery/signature.ts'
import { WEBHOOK_EVENTS } from '../../../src/edges/webhooks/events.ts'
import { webhooks } from '../../../src/platform/db/schema/webhooks.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { seal } from '../../../src/platform/lib/crypto/secrets.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { fetchWith } from '../clients/service.ts'
import { execute } from '../database/execute.ts'
import type { Receiver } from '../receiver/box.ts'
import type { TestPerson } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

type TestWebhook = { readonly id: number; readonly secret: string }

/** What lets webhooks call the receivers of tests. */
export const PRIVATE_TARGETS = { WEBHOOK_ALLOW_PRIVATE: 'on' }

const ALL_EVENTS = WEBHOOK_EVENTS.join(',')

/** Inserts a webhook for every event from now on, past every rule. */
export async function insertWebhook(
  owner: TestPerson,
  receiver: Pick<Receiver, 'url'>,
  more: Partial<typeof webhooks.$inferInsert> = {},
): Promise<TestWebhook> {
  const name = more.name ?? uniqueName('hook')
  const secret = newWebhookSecret()
  const [row] = await execute(
    db
      .insert(webhooks)
      .values({
        userId: owner.id,
        name,
        nameFold: fold(name),
        url: receiver.url,
        events: ALL_EVENTS,
        secretSealed: await seal(secret, env.SECRETS_KEY),
        createdAt: NOW,
        afterNoticeId: sql`(SELECT coalesce(max(id), 0) FROM notices)` as never,
        ...more,
      })
      .returning({ id: webhooks.id }),
  )
  return { id: Number(row?.id), secret }
}

/** Sends a request of a person to a service whose webhooks may call the receivers of tests. */
export async function callWebhooks(
  who: TestPerson,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: a client reads answers without their types
): Promise<any> {
  const answer = await fetchWith(PRIVATE_TARGETS, `/rest/webhooks${path}`, {
    method,
    headers: { 'x-tracker-api-key': who.key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.status, text).toBeLessThan(300)
  return JSON.parse(text)
}
