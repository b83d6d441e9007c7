import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { deliverWebhooks } from '../../../../src/edges/webhooks/delivery/deliver.ts'
import { systemCtx } from '../../../../src/platform/background.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { NOW } from '../../../support/builders/unique.ts'
import { callWebhooks, insertWebhook, PRIVATE_TARGETS } from '../../../support/builders/webhooks.ts'
import { execute, loadRow } from '../../../support/database/execute.ts'
import { loadDeliveryRows, queueWebhooksOf } from '../../../support/deliver-webhooks.ts'
import { buildMailRefusal, buildMailService } from '../../../support/fakes/mail-service.ts'
import { openReceiver } from '../../../support/receiver/box.ts'

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})

/** A webhook at a receiver that fails, with this many waiting deliveries; each call of `run` is an hour later. */
async function buildScene(limit: string, deliveries = 1, answer?: () => void) {
  const [reporter, owner, place] = [
    await insertPerson(),
    await insertPerson(),
    await insertProduct(),
  ]
  const hook = await insertWebhook(owner, openReceiver('fails'), {
    productId: place.id,
    name: 'to chat',
  })
  for (let n = 0; n < deliveries; n += 1) {
    await queueWebhooksOf([await postBug(reporter, place)])
  }
  const box = buildMailService(
    { ...PRIVATE_TARGETS, WEBHOOK_ERROR_LIMIT: limit, EVENTS: { sendBatch: async () => {} } },
    answer,
  )
  let now = NOW
  const run = async () => {
    now += 43_200
    const executionContext = createExecutionContext()
    const ids = (await loadDeliveryRows(hook.id)).map(({ id }) => Number(id))
    await deliverWebhooks({ ...systemCtx(box.env, executionContext), now }, { ids })
    await waitOnExecutionContext(executionContext)
    return loadRow('webhooks', sql`id = ${hook.id}`)
  }
  return { owner, hook, box, run }
}

describe('a webhook of which one delivery failed as often as the limit says', () => {
  test('is disabled, and its owner gets one mail about it', async () => {
    const { owner, hook, box, run } = await buildScene('3', 2)
    await run()
    expect(await run()).toMatchObject({ is_enabled: 1, errors: 4 })
    expect(await run()).toMatchObject({ is_enabled: 0, errors: 6 })
    expect(box.sent).toEqual([])
    expect(await run()).toMatchObject({ is_enabled: 0, errors: 6 })
    await run()
    expect(box.sent).toHaveLength(1)
    expect(box.mailTo(owner.login)).toMatchObject({
      subject: 'Webhook disabled: to chat',
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    const text = box.sent[0]?.text.replace(/\s+/g, ' ')
    expect(text).toContain(
      `Your webhook ${hook.id}, to chat, was disabled after 3 failed attempts to deliver one message. The last error: answered with 500.`,
    )
    expect(text).toContain('https://tracker.test/account?tab=webhooks')
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ done_at: null }, { done_at: null }])
  })

  test('is disabled again, with another mail, after it was enabled', async () => {
    const { owner, hook, box, run } = await buildScene('2')
    await run()
    await run()
    await run()
    expect(box.sent).toHaveLength(1)
    await callWebhooks(owner, 'PUT', `/${hook.id}`, { enabled: true })
    expect(await run()).toMatchObject({ is_enabled: 1, errors: 1 })
    expect(await run()).toMatchObject({ is_enabled: 0, errors: 2 })
    await run()
    expect(box.sent).toHaveLength(2)
  })

  test('stays enabled where the limit is 0', async () => {
    const { box, run } = await buildScene('0')
    for (let n = 1; n < 5; n += 1) {
      expect(await run()).toMatchObject({ is_enabled: 1, errors: n })
    }
    expect(box.sent).toEqual([])
  })

  test('is mailed about again when the mail service fails, and then no more', async () => {
    let refusals = 1
    const { box, run } = await buildScene('1', 1, () => {
      refusals -= 1
      if (refusals >= 0) {
        throw buildMailRefusal('E_DELIVERY_FAILED')
      }
    })
    await run()
    await run()
    expect(box.sent).toEqual([])
    await run()
    await run()
    expect(box.sent).toHaveLength(1)
  })

  test('is not mailed about again when that mail was refused for good, which counts as undelivered', async () => {
    let tries = 0
    const { hook, box, run } = await buildScene('1', 1, () => {
      tries += 1
      throw buildMailRefusal('E_RECIPIENT_SUPPRESSED')
    })
    await run()
    await run()
    await run()
    expect([tries, box.sent]).toEqual([1, []])
    const row = await loadRow(
      'webhook_deliveries',
      sql`webhook_id = ${hook.id} AND event = 'disabled'`,
    )
    expect(row).toMatchObject({
      done_at: expect.any(Number),
      last_error: 'the mail about a disabled webhook was refused for good',
    })
  })

  test('is not mailed about to an account that gets no mail', async () => {
    const { owner, box, run } = await buildScene('1')
    await execute(sql`UPDATE users SET email_enabled = 0 WHERE id = ${owner.id}`)
    await run()
    await run()
    expect(box.sent).toEqual([])
  })
})

test('a ping that fails is one failed attempt, and disables nothing', async () => {
  const { owner, hook, run } = await buildScene('1', 0)
  await callWebhooks(owner, 'POST', `/${hook.id}/test`)
  expect(await run()).toMatchObject({ is_enabled: 1, errors: 1 })
  const [row] = await loadDeliveryRows(hook.id)
  expect(row).toMatchObject({ attempts: 1, last_error: 'answered with 500' })
  expect(row?.done_at).not.toBeNull()
})
