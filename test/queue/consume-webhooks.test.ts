import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { postBug } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { insertWebhook, PRIVATE_TARGETS } from '../support/builders/webhooks.ts'
import { consume, LIVE, recordingQueue } from '../support/consume-messages.ts'
import { execute, loadRow } from '../support/database/execute.ts'
import { loadDeliveryRows, queueWebhooksOf } from '../support/deliver-webhooks.ts'
import { buildMailService } from '../support/fakes/mail-service.ts'
import { openReceiver } from '../support/receiver/box.ts'

const noticeRow = (id: number) => loadRow('notices', sql`id = ${id}`)

beforeEach(async () => {
  // each message processes all rows that are due, those of other tests too
  await execute(
    sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE webhook_deliveries SET done_at = 1 WHERE done_at IS NULL`,
    // those for every product get each bug
    sql`UPDATE webhooks SET is_enabled = 0`,
  )
})

function isAbout(body: unknown, delivery: unknown): boolean {
  const { kind, id } = body as { kind?: unknown; id?: unknown }
  return kind === 'webhook' && id === delivery
}

describe('queue', () => {
  test('queues deliveries of webhooks once, ahead of mails that fail', async () => {
    const owner = await insertPerson()
    const place = await insertProduct()
    const receiver = openReceiver()
    const hook = await insertWebhook(owner, receiver, { productId: place.id })
    const bug = await postBug(await insertPerson(), place)
    const [notice] = await execute(sql`SELECT id FROM notices WHERE bug_id = ${bug}`)
    const { EVENTS, sent } = recordingQueue()
    const box = buildMailService({ ...PRIVATE_TARGETS, EVENTS }, () => {
      throw new Error('connection lost')
    })
    vi.spyOn(console, 'warn').mockReturnValue()

    const body = { kind: 'notice', id: notice?.id }
    await consume(LIVE, [body, body], box.env)
    await execute(sql`UPDATE notices SET next_attempt_at = 0 WHERE id = ${notice?.id}`)
    await consume(LIVE, [body], box.env)

    const [delivery, ...others] = await loadDeliveryRows(hook.id)
    const messages = sent
      .map(({ body: message }) => message)
      .filter((message) => isAbout(message, delivery?.id))
    expect(others).toEqual([])
    expect(messages).toEqual([{ kind: 'webhook', id: delivery?.id }])
    expect(await noticeRow(Number(notice?.id))).toMatchObject({ attempts: 2, done_at: null })

    const first = await consume(LIVE, [messages[0], messages[0]], box.env)
    const later = await consume(LIVE, [messages[0]], box.env)
    expect([first.explicitAcks, later.explicitAcks]).toEqual([['m0', 'm1'], ['m0']])
    expect(await receiver.received()).toHaveLength(1)
  })

  test('retries the message of a webhook whose receiver fails when that is due again', async () => {
    const [owner, place] = [await insertPerson(), await insertProduct()]
    const hook = await insertWebhook(owner, openReceiver('fails'), { productId: place.id })
    await queueWebhooksOf([await postBug(owner, place)])
    const [delivery] = await loadDeliveryRows(hook.id)
    vi.spyOn(console, 'warn').mockReturnValue()
    const envWithTargets = { ...env, ...PRIVATE_TARGETS } as unknown as Env
    const body = { kind: 'webhook', id: delivery?.id }
    const result = await consume(LIVE, [body], envWithTargets)
    expect(result).toMatchObject({
      explicitAcks: [],
      retryMessages: [{ msgId: 'm0' }],
      delays: [5],
    })
  })
})
