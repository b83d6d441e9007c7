import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { recordDeliveries } from '../../../../src/edges/webhooks/delivery/record-deliveries.ts'
import { deliverNotices } from '../../../../src/tracker/notices/deliver.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { buildBugBody, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertComponent, insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { insertWebhook } from '../../../support/builders/webhooks.ts'
import { get, post, put } from '../../../support/client.ts'
import { updateAttachment } from '../../../support/clients/attachments.ts'
import { recordingQueue } from '../../../support/consume-messages.ts'
import { execute } from '../../../support/database/execute.ts'
import {
  buildWorkerCtx,
  loadDeliveryRows,
  queueWebhooksOf,
} from '../../../support/deliver-webhooks.ts'
import { buildMailService } from '../../../support/fakes/mail-service.ts'

const NOWHERE = { url: 'https://nowhere.example.com/' }

/** The deliveries, as `event` or `event:subject`, in the order of events. */
async function heardBy(...webhookIds: number[]): Promise<string[]> {
  const rows = await loadDeliveryRows(...webhookIds)
  return rows.map(({ event, subject_id }) =>
    subject_id === 0 ? `${event}` : `${event}:${subject_id}`,
  )
}

async function accept(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer
  expect(status, text).toBeLessThan(300)
}

/** A person with all rights over bugs, a product, and a webhook of a stranger on everything there. */
async function buildScene(more: Parameters<typeof insertWebhook>[2] = {}) {
  const [editor, owner] = [await insertPerson({ roles: ['editbugs'] }), await insertPerson()]
  const place = await insertProduct()
  const hook = await insertWebhook(owner, NOWHERE, { productId: place.id, ...more })
  return { editor, owner, place, hook }
}

describe('a webhook hears', () => {
  test('of a new bug once, and not of its description', async () => {
    const { editor, place, hook } = await buildScene()
    const bug = await postBug(editor, place, { description: 'It is broken.' })
    await queueWebhooksOf([bug])
    expect(await heardBy(hook.id)).toEqual(['create'])
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ bug_id: bug, attempts: 0 }])
  })

  test('of a change and of the comment that comes with it, apart', async () => {
    const { editor, place, hook } = await buildScene()
    const bug = await postBug(editor, place)
    await accept(
      put(editor, `/rest/bug/${bug}`, { priority: 'P1', comment: { body: 'So it is.' } }),
    )
    await queueWebhooksOf([bug])
    expect(await heardBy(hook.id)).toEqual([
      'create',
      'change',
      expect.stringMatching(/^comment:\d+$/),
    ])
  })

  test('of changes and comments in their order, however many are told of at once', async () => {
    const { editor, place, hook } = await buildScene()
    const bug = await postBug(editor, place)
    for (const priority of ['P1', 'P2', 'P3']) {
      await accept(post(editor, `/rest/bug/${bug}/comment`, { comment: `Rather ${priority}.` }))
      await accept(put(editor, `/rest/bug/${bug}`, { priority, comment: { body: 'So it is.' } }))
    }
    await queueWebhooksOf([bug])
    const heard = (await heardBy(hook.id)).map((event) => event.split(':')[0])
    expect(heard).toEqual(['create', ...Array(3).fill(['comment', 'change', 'comment']).flat()])
  })

  test('of a minor update as of any other', async () => {
    const { editor, place, hook } = await buildScene()
    const bug = await postBug(editor, place)
    await accept(put(editor, `/rest/bug/${bug}`, { priority: 'P1', minor_update: true }))
    await queueWebhooksOf([bug])
    expect(await heardBy(hook.id)).toEqual(['create', 'change'])
  })

  test('of a new attachment, of its comment unless that is empty, and of its changes', async () => {
    const { editor, place, hook } = await buildScene()
    const bug = await postBug(editor, place)
    const silent = await postAttachment(editor, bug)
    const file = await postAttachment(editor, bug, { comment: 'See there.' })
    await accept(updateAttachment(editor, file, { summary: 'Another' }))
    await queueWebhooksOf([bug])
    const heard = await heardBy(hook.id)
    expect(heard.filter((event) => !event.startsWith('comment'))).toEqual([
      'create',
      `attachment:${silent}`,
      `attachment:${file}`,
      `attachment_change:${file}`,
    ])
    expect(heard.filter((event) => event.startsWith('comment'))).toHaveLength(1)
  })

  test.each([
    ['create', ['create']],
    ['change', ['change']],
    ['comment', ['comment']],
    ['attachment', ['attachment']],
    ['attachment_change', ['attachment_change']],
    ['create,comment', ['create', 'comment']],
  ])('of %s alone when it asks for no more', async (events, expected) => {
    const { editor, place, hook } = await buildScene({ events })
    const bug = await postBug(editor, place)
    await accept(put(editor, `/rest/bug/${bug}`, { priority: 'P1', comment: { body: 'So.' } }))
    const file = await postAttachment(editor, bug)
    await accept(updateAttachment(editor, file, { summary: 'Another' }))
    await queueWebhooksOf([bug])
    expect((await heardBy(hook.id)).map((event) => event.split(':')[0])).toEqual(expected)
  })

  test('of a bug that leaves its product or component, and of one that arrives', async () => {
    const { editor, owner, place } = await buildScene()
    const goal = await insertProduct()
    const part = await insertComponent(place, { defaultAssigneeId: editor.id, name: 'Part' })
    const hear = (productId: number, componentId: number | null = null) =>
      insertWebhook(owner, NOWHERE, { productId, componentId, events: 'change,comment' })
    const bug = await postBug(editor, place)
    const [{ component_id: first } = {}] = await execute(
      sql`SELECT component_id FROM bugs WHERE id = ${bug}`,
    )
    const hooks = [
      await hear(place.id, Number(first)),
      await hear(place.id, part),
      await hear(goal.id),
    ] as const
    await accept(
      put(editor, `/rest/bug/${bug}`, { component: 'Part', comment: { body: 'Aside.' } }),
    )
    await queueWebhooksOf([bug])
    expect(await heardBy(hooks[0].id)).toEqual(['change'])
    expect((await heardBy(hooks[1].id)).map((event) => event.split(':')[0])).toEqual([
      'change',
      'comment',
    ])
    expect(await heardBy(hooks[2].id)).toEqual([])
    await accept(put(editor, `/rest/bug/${bug}`, { product: goal.name, component: goal.component }))
    await queueWebhooksOf([bug])
    expect(await heardBy(hooks[2].id)).toContain('change')
    expect((await heardBy(hooks[1].id)).filter((event) => event === 'change')).toHaveLength(2)
  })

  test('of every product when it names none', async () => {
    const { editor, place, owner } = await buildScene()
    const hook = await insertWebhook(owner, NOWHERE)
    const bugs = [await postBug(editor, place), await postBug(editor, await insertProduct())]
    await queueWebhooksOf(bugs)
    const heard = (await loadDeliveryRows(hook.id)).map(({ bug_id }) => bug_id)
    expect(heard).toEqual(expect.arrayContaining(bugs))
  })

  test('once, however often and however simultaneously the notice is processed', async () => {
    const { editor, place, hook } = await buildScene()
    const bug = await postBug(editor, place)
    await Promise.all([queueWebhooksOf([bug]), queueWebhooksOf([bug])])
    await queueWebhooksOf([bug])
    expect(await heardBy(hook.id)).toEqual(['create'])
  })
})

describe('a webhook does not hear', () => {
  test('of what happened before it was there', async () => {
    const { editor, owner, place } = await buildScene()
    const bug = await postBug(editor, place)
    const late = await insertWebhook(owner, NOWHERE)
    await accept(put(editor, `/rest/bug/${bug}`, { priority: 'P1' }))
    await queueWebhooksOf([bug])
    expect(await heardBy(late.id)).toEqual(['change'])
  })

  test('of anything while it is disabled, or its owner is', async () => {
    const { editor, place, hook } = await buildScene({ isEnabled: false })
    const gone = await insertPerson({ loginDeniedText: 'Left.' })
    const other = await insertWebhook(gone, NOWHERE, { productId: place.id })
    await queueWebhooksOf([await postBug(editor, place)])
    expect(await heardBy(hook.id, other.id)).toEqual([])
  })

  test('of a bug that its owner does not see', async () => {
    const secret = await insertGroup()
    const member = await insertPerson({ roles: ['editbugs'], groups: [secret] })
    const [stranger, reader] = [await insertPerson(), await insertPerson({ groups: [secret] })]
    const place = await insertProduct({ controls: [{ group: secret, memberControl: 1 }] })
    const own = await insertWebhook(reader, NOWHERE, { productId: place.id })
    const other = await insertWebhook(stranger, NOWHERE, { productId: place.id })
    const bug = await postBug(member, place, { groups: [secret.name] })
    await accept(put(member, `/rest/bug/${bug}`, { priority: 'P1', comment: { body: 'Psst.' } }))
    await queueWebhooksOf([bug])
    expect(await heardBy(own.id)).toHaveLength(3)
    expect(await heardBy(other.id)).toEqual([])
  })

  test('of a product that its owner does not see, not even of a bug that the owner reported', async () => {
    const secret = await insertGroup()
    const reporter = await insertPerson()
    const place = await insertProduct()
    const hook = await insertWebhook(reporter, NOWHERE, { productId: place.id })
    const bug = await postBug(reporter, place)
    await execute(sql`INSERT INTO group_controls (product_id, group_id, membercontrol, othercontrol)
      VALUES (${place.id}, ${secret.id}, 3, 3)`)
    await queueWebhooksOf([bug])
    expect(await heardBy(hook.id)).toEqual([])
  })

  test('of private comments and attachments unless its owner is an insider', async () => {
    const { editor, owner, place, hook } = await buildScene()
    const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
    const own = await insertWebhook(insider, NOWHERE, { productId: place.id })
    const bug = await postBug(editor, place)
    const file = await postAttachment(insider, bug, { is_private: true, comment: 'Look.' })
    await accept(updateAttachment(insider, file, { summary: 'Another', comment: 'Again.' }))
    await accept(post(insider, `/rest/bug/${bug}/comment`, { comment: 'Psst.', is_private: true }))
    await queueWebhooksOf([bug])
    expect(owner.id).not.toBe(insider.id)
    expect(await heardBy(hook.id)).toEqual(['create'])
    const heard = (await heardBy(own.id)).map((event) => event.split(':')[0])
    expect(heard.sort()).toEqual([
      'attachment',
      'attachment_change',
      'comment',
      'comment',
      'comment',
      'create',
    ])
  })

  test('of hours alone unless its owner may see them', async () => {
    const { place, hook } = await buildScene()
    const tracker = await insertPerson({ roles: ['timetracking', 'editbugs'] })
    const own = await insertWebhook(tracker, NOWHERE, { productId: place.id })
    const bug = await postBug(tracker, place)
    await accept(put(tracker, `/rest/bug/${bug}`, { estimated_time: 3 }))
    await queueWebhooksOf([bug])
    expect(await heardBy(hook.id)).toEqual(['create'])
    expect(await heardBy(own.id)).toEqual(['create', 'change'])
  })
})

describe('when a public bug becomes restricted', () => {
  async function buildSecretScene() {
    const secret = await insertGroup()
    const member = await insertPerson({ roles: ['editbugs'], groups: [secret] })
    const place = await insertProduct({ controls: [{ group: secret, memberControl: 1 }] })
    const stranger = await insertPerson()
    const hear = (who: TestPerson) =>
      insertWebhook(who, NOWHERE, { productId: place.id, events: 'change' })
    return { secret, member, place, lost: await hear(stranger), kept: await hear(member) }
  }

  test('everybody who saw it is told of the restriction alone, and later only those who still see it', async () => {
    const { secret, member, place, lost, kept } = await buildSecretScene()
    const bug = await postBug(member, place)
    await accept(
      put(member, `/rest/bug/${bug}`, { groups: { add: [secret.name] }, priority: 'P1' }),
    )
    await accept(put(member, `/rest/bug/${bug}`, { priority: 'P2' }))
    await queueWebhooksOf([bug])
    expect(await heardBy(lost.id)).toEqual(['restriction'])
    expect(await heardBy(kept.id)).toEqual(['restriction', 'change'])
  })

  test('another group of a restricted bug is an ordinary change', async () => {
    const { secret, member, place, lost, kept } = await buildSecretScene()
    const further = await insertGroup([member])
    await execute(sql`INSERT INTO group_controls (product_id, group_id, membercontrol)
      VALUES (${place.id}, ${further.id}, 1)`)
    const bug = await postBug(member, place, { groups: [secret.name] })
    await accept(put(member, `/rest/bug/${bug}`, { groups: { add: [further.name] } }))
    await accept(put(member, `/rest/bug/${bug}`, { groups: { remove: [secret.name] } }))
    await queueWebhooksOf([bug])
    expect(await heardBy(lost.id)).toEqual([])
    expect(await heardBy(kept.id)).toEqual(['change', 'change'])
  })

  test('it is told each time that happens', async () => {
    const { secret, member, place, lost } = await buildSecretScene()
    const bug = await postBug(member, place)
    for (const edit of ['add', 'remove', 'add']) {
      await accept(put(member, `/rest/bug/${bug}`, { groups: { [edit]: [secret.name] } }))
    }
    await queueWebhooksOf([bug])
    expect(await heardBy(lost.id)).toEqual(['restriction', 'restriction'])
  })

  test('a webhook elsewhere, or of somebody who never saw the product, hears nothing', async () => {
    const { secret, member, place } = await buildSecretScene()
    const elsewhere = await insertWebhook(member, NOWHERE, {
      productId: (await insertProduct()).id,
    })
    const bug = await postBug(member, place)
    const outsider = await insertWebhook(await insertPerson(), NOWHERE)
    await accept(put(member, `/rest/bug/${bug}`, { groups: { add: [secret.name] } }))
    await execute(sql`UPDATE group_controls SET membercontrol = 3, othercontrol = 3
      WHERE product_id = ${place.id}`)
    await queueWebhooksOf([bug])
    expect(await heardBy(elsewhere.id, outsider.id)).toEqual([])
  })
})

describe('the cost', () => {
  test('is one round trip for each thousand pairs of a notice and a webhook', async () => {
    const { editor, owner, place } = await buildScene()
    const { id } = await insertWebhook(owner, NOWHERE, { productId: place.id, events: 'create' })
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO webhooks (user_id, name, name_fold, url, events, product_id, secret_sealed, created_at,
        after_notice_id, is_enabled, errors, revision)
      SELECT user_id, name || i, name_fold || i, url, events, iif(i <= 200, product_id, ${(await insertProduct()).id}),
        secret_sealed, created_at, after_notice_id, 1, 0, 0 FROM n JOIN webhooks ON webhooks.id = ${id}`)
    const body = buildBugBody(place)
    for (let n = 0; n < 3; n += 1) {
      await accept(post(editor, '/rest/bug', body))
    }
    const notices = await execute(
      sql`SELECT n.id FROM notices n JOIN bugs b ON b.id = n.bug_id WHERE b.product_id = ${place.id}`,
    )
    const sent: unknown[] = []
    const EVENTS = { sendBatch: async (messages: unknown[]) => sent.push(...messages) }
    const ctx = buildWorkerCtx({ bindings: { EVENTS } })
    const ids = notices.map((row) => Number(row.id))
    expect(ids).toHaveLength(3)
    let steps = 1
    for (; (await recordDeliveries(ctx, ids)).size > 0; steps += 1) {
      expect(ctx.session.cost.trips).toBe(steps)
    }
    const [{ hooks } = {}] = await execute(sql`SELECT count(*) AS hooks FROM webhooks`)
    expect(steps).toBe(Math.floor(Number(hooks) / 333) + 1)
    expect(await loadDeliveryRows(id)).toHaveLength(3)
    const [{ total, own } = {}] = await execute(sql`SELECT count(*) AS total,
        count(*) FILTER (WHERE w.product_id = ${place.id}) AS own
      FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.notice_id IN (SELECT value FROM json_each(${JSON.stringify(notices.map(({ id }) => id))}))`)
    expect(own).toBe(3 * 202)
    // one message lets workers claim the deliveries around its own
    expect(sent.length).toBeLessThanOrEqual(100 * steps)
    expect(Number(total)).toBeGreaterThanOrEqual(3 * 202)
  })
})

describe('a change that concerns more webhooks than one commit tells', () => {
  test('goes on in other invocations, mails leave once behind it, and owners see what is put off', async () => {
    await execute(sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`)
    await execute(sql`UPDATE webhooks SET is_enabled = 0`)
    const { editor, owner, place, hook } = await buildScene()
    const others = [
      await insertWebhook(owner, NOWHERE, { productId: place.id }),
      await insertWebhook(owner, NOWHERE, { productId: place.id }),
    ]
    const reader = await insertPerson()
    const secret = await postBug(editor, place)
    const bug = await postBug(editor, place, { cc: [reader.login] })
    await restrictBug(secret, await insertGroup())
    const ids = (
      await execute(sql`SELECT id FROM notices WHERE bug_id IN (${secret}, ${bug}) ORDER BY id`)
    ).map(({ id }) => Number(id))
    const box = buildMailService(recordingQueue())
    const now = Math.floor(Date.now() / 1000) + 10
    const onMoreDue = vi.fn()
    const deliver = () =>
      deliverNotices(box.ctx(now), { ids, onMoreDue }, (notices) =>
        recordDeliveries(box.ctx(now), notices, 2),
      )
    const putOff = async (id: number) =>
      (await get(owner, `/rest/webhooks/${id}/deliveries`)).body.put_off
    // the other bug is hidden from the owner, and counts for nothing
    expect(await Promise.all([hook, ...others].map(({ id }) => putOff(id)))).toEqual([1, 1, 1])
    for (let told = 1; told <= 3; told += 1) {
      expect([...(await deliver()).values()]).toEqual(['done', 'done'])
      expect(await heardBy(...[hook, ...others].map(({ id }) => id))).toHaveLength(told)
      expect(await putOff(others[1]?.id ?? 0)).toBe(told < 3 ? 1 : 0)
      expect(box.mailTo(reader.login)).toBeUndefined()
      expect(onMoreDue).toHaveBeenCalledTimes(told)
    }
    await deliver()
    expect(box.sent.filter(({ to }) => to === reader.login)).toHaveLength(1)
    const rows = await execute(sql`SELECT attempts, last_error, done_at FROM notices
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
    expect(rows).toEqual(ids.map(() => ({ attempts: 1, last_error: null, done_at: now })))
  })
})

test('does not read the accounts for each notice', async () => {
  const { editor, place, hook } = await buildScene({ events: 'create' })
  await execute(sql`INSERT INTO users (login, login_fold, created_at)
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 3000)
    SELECT 'one-of-many-' || n, 'one-of-many-' || n, 0 FROM number`)
  const bug = await postBug(editor, place)
  for (const comment of ['one', 'two', 'three']) {
    await accept(post(editor, `/rest/bug/${bug}/comment`, { comment }))
  }
  const ids = await execute(sql`SELECT id FROM notices WHERE bug_id = ${bug}`)
  const ctx = buildMailService().ctx()

  await recordDeliveries(
    ctx,
    ids.map(({ id }) => Number(id)),
  )

  expect(await heardBy(hook.id)).toEqual(['create'])
  expect(ctx.session.cost.mostRead).toBeLessThan(2000)
})
