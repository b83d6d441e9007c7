import { env } from 'cloudflare:workers'
import { accountLinks } from '../../../src/platform/db/schema/accounts.ts'
import { codehostDeliveries, codehostPushes } from '../../../src/platform/db/schema/codehost.ts'
import { reminders } from '../../../src/platform/db/schema/reminders.ts'
import { apiKeyMails, apiKeys } from '../../../src/platform/db/schema/users.ts'
import { webhookDeliveries, webhooks } from '../../../src/platform/db/schema/webhooks.ts'
import { db, newestId, sql } from '../../../src/platform/db/sql.ts'
import { seal } from '../../../src/platform/lib/crypto/secrets.ts'
import type { OutboxKind } from '../../../src/platform/outbox/outbox.ts'
import { hashLink } from '../../../src/tracker/users/links/links.ts'
import { execute } from '../database/execute.ts'
import { insertNotice } from './notices.ts'
import type { TestBug, TestPerson } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

/** The state of a row of any outbox. */
export type WorkState = {
  id?: number
  attempts?: number
  leaseUntil?: number | null
  nextAttemptAt?: number
  doneAt?: number | null
  lastError?: string | null
}

/** Inserts a reminder of a person, due at `NOW`; returns its ID. */
export async function insertReminder(
  about: TestBug,
  owner: TestPerson,
  more: Partial<typeof reminders.$inferInsert> = {},
): Promise<number> {
  const [row] = await execute(
    db
      .insert(reminders)
      .values({
        userId: owner.id,
        bugId: about.id,
        remindOn: '2026-01-02',
        createdOn: '2026-01-01',
        nextAttemptAt: NOW,
        ...more,
      })
      .returning({ id: reminders.id }),
  )
  return Number(row?.id)
}

/** Inserts a delivery of a webhook of its own, due at `NOW`; returns its ID. */
export async function insertWebhookDelivery(
  about: TestBug,
  owner: TestPerson,
  more: WorkState & { createdAt?: number } = {},
): Promise<number> {
  const name = uniqueName('hook')
  await execute(
    db.insert(webhooks).values({
      userId: owner.id,
      name,
      nameFold: name,
      url: 'https://receiver.test/',
      events: 'change',
      secretSealed: 'sealed',
      createdAt: NOW,
    }),
  )
  const [row] = await execute(
    db
      .insert(webhookDeliveries)
      .values({
        webhookId: newestId(webhooks),
        event: 'change',
        bugId: about.id,
        createdAt: NOW,
        nextAttemptAt: NOW,
        ...more,
      })
      .returning({ id: webhookDeliveries.id }),
  )
  return Number(row?.id)
}

/** Inserts what a push of a person does to a bug, due at `NOW`; returns its ID. */
export async function insertPush(
  about: TestBug,
  bot: TestPerson,
  more: WorkState & { receivedAt?: number; comment?: string } = {},
): Promise<number> {
  const { receivedAt = NOW, ...work } = more
  await execute(
    db.insert(codehostDeliveries).values({
      deliveryKey: uniqueName('delivery'),
      event: 'push',
      botId: bot.id,
      receivedAt,
      response: '{}',
    }),
  )
  const [row] = await execute(
    db
      .insert(codehostPushes)
      .values({
        deliveryId: newestId(codehostDeliveries),
        bugId: about.id,
        comment: 'Pushed.',
        repository: 'lamps/bulb',
        ref: 'refs/heads/main',
        nextAttemptAt: NOW,
        ...work,
      })
      .returning({ id: codehostPushes.id }),
  )
  return Number(row?.id)
}

/** Inserts a mail about a key of a person, due at `NOW`; returns its ID. The key is one that never expires. */
async function insertApiKeyMail(_: TestBug, owner: TestPerson, more: WorkState): Promise<number> {
  const [row] = await execute(
    db
      .insert(apiKeyMails)
      .values({
        keyId: sql`(SELECT min(${apiKeys.id}) FROM api_keys WHERE ${apiKeys.userId} = ${owner.id})`,
        plannedAt: NOW,
        expiresAt: NOW,
        nextAttemptAt: NOW,
        ...more,
      })
      .returning({ id: apiKeyMails.id }),
  )
  return Number(row?.id)
}

/** Inserts a link for the password of a person, whose mail is due at `NOW`; returns its ID. */
export async function insertAccountLink(
  _: unknown,
  { id, login }: TestPerson,
  {
    token = uniqueName('token'),
    ...more
  }: Partial<typeof accountLinks.$inferInsert> & { token?: string },
): Promise<number> {
  const [row] = await execute(
    db
      .insert(accountLinks)
      .values({
        ...{ kind: 'password', userId: id, login, loginFold: login.toLowerCase() },
        ...{ hash: await hashLink(token), sealed: await seal(token, env.SECRETS_KEY) },
        ...{ createdAt: NOW, expiresAt: NOW + 3600, nextAttemptAt: NOW },
        ...more,
      })
      .returning({ id: accountLinks.id }),
  )
  return Number(row?.id)
}

/** Inserts a row of the outbox of any kind; returns its ID. */
export function insertWork(
  kind: OutboxKind,
  about: TestBug,
  person: TestPerson,
  state: WorkState = {},
): Promise<number> {
  const insert = {
    notice: insertNotice,
    webhook: insertWebhookDelivery,
    push: insertPush,
    reminder: insertReminder,
    key: insertApiKeyMail,
    account: insertAccountLink,
  }[kind]
  return insert(about, person, state)
}
