import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { TestPerson } from '../../support/builders/types.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { ANYONE, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'
import { queueWebhooksOf, sendDeliveries } from '../../support/deliver-webhooks.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'
import { type Message, openReceiver } from '../../support/receiver/box.ts'
import {
  buildPrivateWorld,
  expectSecrets,
  isKnownTo,
  READERS,
} from '../../support/worlds/private-world.ts'

/**
 * Private comments and attachments, the comments and flags about them, and hidden bugs, requested through
 * every operation that shows bugs. An operation that should show a secret shows it to everybody who may know
 * it; no operation shows it to anybody else.
 */

const world = await buildPrivateWorld()

describe('tags that comments carry are shown', () => {
  test.each([
    ['editor', 'privateTag', 0],
    ['insider', 'privateTag', 1],
    ['member', 'privateTag', 0],
    ['editor', 'hidden', 0],
    ['insider', 'hidden', 0],
    ['member', 'hidden', 1],
  ] as const)('to the %s: %s', async (reader, name, count) => {
    const path = `/rest/bug/comment/tags/${world.words[name]}`
    expect((await get(world.people[reader], path)).body).toHaveLength(count)
  })
})

describe('flag activity of a type, found by its name, is shown', () => {
  test.each(READERS)('to %s', async (reader) => {
    for (const name of ['insidersFlag', 'submittersFlag', 'hidden'] as const) {
      const path = `/rest/review/flag_activity/type_name/${world.words[name]}`
      const { body } = await get(world.people[reader], path)
      expect(body).toHaveLength(isKnownTo(reader, name) ? 1 : 0)
    }
  })
})

test('last visits leave out bugs that the caller no longer sees', async () => {
  const { hidden } = world.bugs
  for (const [reader, count] of [
    ['stranger', 0],
    ['member', 1],
  ] as const) {
    for (const path of ['/rest/bug_user_last_visit', `/rest/bug_user_last_visit/${hidden}`]) {
      expect((await get(world.people[reader], path)).body).toHaveLength(count)
    }
  }
})

test('mails hold what each recipient may know and nothing else', async () => {
  const { open, described, hidden } = world.bugs
  const notices = await execute(
    sql`SELECT id FROM notices WHERE bug_id IN (${open}, ${described}, ${hidden}) ORDER BY id`,
  )
  const box = buildMailService()
  for (const { id } of notices) {
    await deliverNotice(box.ctx(), Number(id))
  }
  const mailed = (login: string) =>
    box.sent.filter(({ to }) => to === login).map((mail) => JSON.stringify(mail))
  const { colleague, submitter, requestee, stranger, editor } = world.logins
  for (const one of [requestee, stranger, editor]) {
    expectSecrets(world, '', mailed(one.login).join(), [])
  }
  expectSecrets(world, 'submitter', mailed(submitter.login).join(), ['submittersFile'])
  expectSecrets(world, 'insider', mailed(colleague.login).join(), [
    'privateComment',
    'insidersFile',
    'submittersFile',
    'insidersRemark',
  ])
  expect(mailed(stranger.login)).not.toEqual([])
})

test('messages of webhooks hold nothing private at all, and nothing of what their owner does not see', async () => {
  const { open, described, hidden } = world.bugs
  const bugs = [open, described, hidden]
  const hear = async (who: TestPerson) => {
    const receiver = openReceiver()
    const hook = await insertWebhook(who, receiver, { afterNoticeId: 0 })
    return { receiver, hook }
  }
  const { insider, submitter, stranger, member } = world.logins
  for (const [reader, who, seen] of [
    ['insider', insider, [open, described]],
    ['submitter', submitter, [open, described]],
    ['stranger', stranger, [open, described]],
    ['member', member, bugs],
  ] as const) {
    const { receiver, hook } = await hear(who)
    await queueWebhooksOf(bugs)
    await sendDeliveries([hook.id])
    const messages = await receiver.messages()
    const heard = new Set(messages.map(({ bug }: Message) => bug.id))
    expect([...heard].sort(), reader).toEqual([...seen].sort())
    expectSecrets(world, '', JSON.stringify(messages.map(withoutFlagNames)), [])
    const reduced = messages.filter(({ bug }: Message) => bug.attachment?.is_private === true)
    expect(reduced.length > 0, reader).toBe(reader === 'insider' || reader === 'member')
  }
})

/** The routing key of changes that insiders see has names of flags. */
function withoutFlagNames({ event, ...message }: Message) {
  return { ...message, event: { ...event, routing_key: '' } }
}

test('what an answer costs is shown only where that is switched on', async () => {
  const path = `/rest/bug/${world.bugs.open}/comment`
  const answer = await fetchWith({ SERVER_TIMING: 'off' }, path, {})
  expect(answer.headers.get('server-timing')).toBeNull()
  expect((await get(ANYONE, path)).headers.get('server-timing')).not.toBeNull()
})
