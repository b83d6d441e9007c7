import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { systemCtx } from '../../../src/platform/background.ts'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import type { QueueMessage } from '../../../src/platform/outbox/messages.ts'
import { sweepOutboxes } from '../../../src/platform/outbox/sweep.ts'
import { deliverApiKeyMails } from '../../../src/tracker/keys/deliver-mails.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { post, put, send } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import { buildMailService, type FakeMailService } from '../../support/fakes/mail-service.ts'

const DAY = 86_400
const EXPIRY = NOW + 30 * DAY

/** A key that expires in 30 days. */
async function createKey() {
  const owner = await insertPerson()
  const body = { description: 'Nightly report', expires: toDatetime(EXPIRY) }
  const { id, api_key } = (await post(owner, '/rest/api_key', body)).body
  return { owner, id: Number(id), key: String(api_key) }
}

/** What the cron job does at `now`: sweeps, and delivers the mails of the messages that it sends. */
async function runDay(box: FakeMailService, now: number): Promise<void> {
  const messages: QueueMessage[] = []
  const EVENTS = {
    async sendBatch(batch: MessageSendRequest<QueueMessage>[]) {
      messages.push(...batch.map(({ body }) => body))
    },
  }
  const executionContext = createExecutionContext()
  const ctx = systemCtx({ ...box.env, EVENTS } as unknown as Env, executionContext)
  await sweepOutboxes({ ...ctx, now })
  await waitOnExecutionContext(executionContext)
  const ids = messages.flatMap(({ kind, id }) => (kind === 'key' ? id : []))
  await deliverApiKeyMails(box.ctx(now), { ids })
}

/** The mails to an owner after the cron job has run on some days, counted from now. */
async function mailsOn(login: string, days: readonly number[], box = buildMailService()) {
  for (const day of days) {
    await runDay(box, NOW + day * DAY)
  }
  return box.sent.filter(({ to }) => to === login)
}

/** Ends what other tests have planned, so that a sweep finds the own rows. */
async function finishOthers(keyId: number): Promise<void> {
  await execute(sql`UPDATE api_key_mails SET done_at = 1 WHERE key_id <> ${keyId}`)
}

describe('a key that expires', () => {
  test('is mailed about a week before and on its day, once each', async () => {
    const { owner, id } = await createKey()
    await finishOthers(id)
    const mails = await mailsOn(owner.login, [1, 22, 23.5, 24, 25, 30, 30.1, 31])
    expect(mails.map(({ subject }) => subject)).toEqual([
      'API key expires: Nightly report',
      expect.stringMatching(/^API key (expires|has expired): Nightly report$/),
    ])
    expect(mails[0]?.text.replaceAll('\n', ' ')).toContain(`expires at ${toDatetime(EXPIRY)}`)
    expect(mails[0]?.text).toContain(`/rest/api_key/${id}/rotate`)
  })

  test('is mailed about once when the job has not run until it was over', async () => {
    const { owner, id, key } = await createKey()
    await finishOthers(id)
    const mails = await mailsOn(owner.login, [1, 40, 41])
    expect(mails.map(({ subject }) => subject)).toEqual(['API key has expired: Nightly report'])
    expect(mails[0]?.text).not.toContain(key)
  })

  test('is mailed about again when the mail service failed', async () => {
    const { owner, id } = await createKey()
    await finishOthers(id)
    const broken = buildMailService({}, () => {
      throw new Error('down')
    })
    expect(await mailsOn(owner.login, [23.5], broken)).toEqual([])
    expect(await mailsOn(owner.login, [24])).toHaveLength(1)
  })

  test.each<[string, (id: number, owner: { key?: string }) => Promise<unknown>, number]>([
    ['was revoked', (id, owner) => send(owner, 'DELETE', `/rest/api_key/${id}`), 0],
    ['was rotated', (id, owner) => post(owner, `/rest/api_key/${id}/rotate`), 2],
    [
      'never expires any more',
      (id, owner) => put(owner, `/rest/api_key/${id}`, { expires: 'never' }),
      0,
    ],
    [
      'expires later',
      (id, owner) => put(owner, `/rest/api_key/${id}`, { expires: toDatetime(EXPIRY + 90 * DAY) }),
      0,
    ],
  ])('gets no mail about its old expiry when it %s', async (_, change, successor) => {
    const { owner, id } = await createKey()
    await change(id, owner)
    const mails = await mailsOn(owner.login, [23.5, 30, 31])
    // the successor of a rotated key expires as well
    expect(mails).toHaveLength(successor)
    expect(mails.filter(({ text }) => text.includes(`API key ${id} `))).toEqual([])
  })

  test('gets no mail when its owner gets none', async () => {
    const { owner } = await createKey()
    await execute(sql`UPDATE users SET email_enabled = 0 WHERE id = ${owner.id}`)
    expect(await mailsOn(owner.login, [23.5, 31])).toEqual([])
  })
})
