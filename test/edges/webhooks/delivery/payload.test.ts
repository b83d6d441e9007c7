import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { callWebhooks, insertWebhook } from '../../../support/builders/webhooks.ts'
import { get, put } from '../../../support/client.ts'
import { updateAttachment } from '../../../support/clients/attachments.ts'
import { execute } from '../../../support/database/execute.ts'
import { queueWebhooksOf, sendDeliveries } from '../../../support/deliver-webhooks.ts'
import { type Message, openReceiver } from '../../../support/receiver/box.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/

async function buildScene(roles: Parameters<typeof insertPerson>[0] = {}) {
  const secret = await insertGroup()
  const editor = await insertPerson({
    roles: ['editbugs', 'insider', 'timetracking'],
    groups: [secret],
    realName: 'Eve Editor',
  })
  const owner = await insertPerson({ groups: [secret], ...roles })
  const place = await insertProduct({ controls: [{ group: secret, memberControl: 1 }] })
  const receiver = openReceiver()
  const hook = await insertWebhook(owner, receiver, { productId: place.id, name: 'to chat' })
  /** The messages about a bug since the last call. */
  const hear = async (bug: number): Promise<Message[]> => {
    const before = (await receiver.received()).length
    await queueWebhooksOf([bug])
    await sendDeliveries([hook.id])
    return (await receiver.messages()).slice(before)
  }
  return { secret, editor, owner, place, hook, receiver, hear }
}

async function change(who: TestPerson, bug: number, body: object): Promise<void> {
  const answer = await put(who, `/rest/bug/${bug}`, body)
  expect(answer.status, answer.text).toBe(200)
}

describe('a message', () => {
  test('about a new bug has all of its fields, and times without a zone', async () => {
    const { editor, place, hook, hear } = await buildScene()
    const field = await insertCustomField(FIELD_TYPE.datetime)
    const bug = await postBug(editor, place, {
      summary: 'It does not start',
      [field.name]: '2031-02-03T04:05:06Z',
    })
    const [message] = await hear(bug)
    const { bugs } = (await get(editor, `/rest/bug/${bug}`)).body
    const person = { id: editor.id, login: editor.login, real_name: 'Eve Editor' }
    expect(message).toEqual({
      webhook_id: hook.id,
      webhook_name: 'to chat',
      event: {
        action: 'create',
        target: 'bug',
        time: expect.stringMatching(TIME),
        routing_key: 'bug.create',
        user: person,
      },
      bug: expect.objectContaining({
        id: bug,
        summary: 'It does not start',
        operating_system: bugs[0].op_sys,
        product: place.name,
        is_private: false,
        creation_time: expect.stringMatching(TIME),
        last_change_time: expect.stringMatching(TIME),
        creator: editor.login,
        creator_detail: person,
        qa_contact: '',
        flags: [],
        [field.name]: '2031-02-03T04:05:06',
      }),
    })
    const names = Object.keys(message.bug).filter((name) => !name.startsWith('cf_'))
    expect(names.sort()).toEqual(
      [
        ...['id', 'alias', 'type', 'summary', 'status', 'resolution', 'product', 'component'],
        ...['classification', 'version', 'platform', 'operating_system', 'priority', 'severity'],
        ...['target_milestone', 'url', 'whiteboard', 'keywords', 'see_also', 'flags'],
        ...['creation_time', 'last_change_time', 'is_private', 'assigned_to', 'creator'],
        ...['qa_contact', 'assigned_to_detail', 'creator_detail'],
      ].sort(),
    )
  })

  test('about a change names its fields, its values and its flags', async () => {
    const { editor, place, hear, owner } = await buildScene()
    const review = await insertFlagType({}, [{ productId: place.id }])
    const bug = await postBug(editor, place)
    await hear(bug)
    await change(editor, bug, {
      priority: 'P4',
      op_sys: 'Linux',
      flags: [{ name: review.name, status: '?', requestee: owner.login }],
    })
    const [message] = await hear(bug)
    expect(message.event).toMatchObject({ action: 'modify', target: 'bug' })
    expect(message.event.changes).toEqual([
      { field: 'priority', removed: '', added: 'P4' },
      { field: 'op_sys', removed: 'Unspecified', added: 'Linux' },
      { field: 'cc', removed: '', added: owner.login },
      { field: `flag.${review.name}`, removed: '', added: `? (${owner.login})` },
    ])
    expect(message.event.routing_key).toBe(`bug.modify:priority,op_sys,cc,flag.${review.name}`)
    expect(message.bug.flags).toEqual([
      {
        id: expect.any(Number),
        name: review.name,
        value: '?',
        requestee: { id: owner.id, login: owner.login, real_name: `Person ${owner.login}` },
      },
    ])
  })

  test('about a comment holds it', async () => {
    const { editor, place, hear } = await buildScene()
    const bug = await postBug(editor, place)
    await hear(bug)
    await change(editor, bug, { comment: { body: 'It is the fan.' } })
    const [message] = await hear(bug)
    expect(message.event.routing_key).toBe('comment.create')
    expect(message.event).not.toHaveProperty('changes')
    expect(message.bug).toMatchObject({
      id: bug,
      summary: expect.any(String),
      comment: {
        id: expect.any(Number),
        body: 'It is the fan.',
        number: 1,
        creation_time: expect.stringMatching(TIME),
        is_private: false,
      },
    })
  })

  test('about an attachment and its changes holds it as it is', async () => {
    const { editor, place, hear } = await buildScene()
    const bug = await postBug(editor, place)
    await hear(bug)
    const file = await postAttachment(editor, bug, { summary: 'A log' })
    const [created] = await hear(bug)
    expect(created.event.routing_key).toBe('attachment.create')
    expect(created.bug.attachment).toEqual({
      id: file,
      file_name: 'file.txt',
      description: 'A log',
      content_type: 'text/plain',
      creation_time: expect.stringMatching(TIME),
      last_change_time: expect.stringMatching(TIME),
      is_obsolete: false,
      is_patch: false,
      is_private: false,
      flags: [],
    })
    expect(
      (await updateAttachment(editor, file, { summary: 'Logs', is_obsolete: true })).status,
    ).toBe(200)
    const [changed] = await hear(bug)
    expect(changed.event).toMatchObject({
      action: 'modify',
      target: 'attachment',
      routing_key: 'attachment.modify:description,is_obsolete',
      changes: [
        { field: 'description', removed: 'A log', added: 'Logs' },
        { field: 'is_obsolete', removed: '0', added: '1' },
      ],
    })
    expect(changed.bug.attachment).toMatchObject({ description: 'Logs', is_obsolete: true })
  })

  test('of a test is a ping', async () => {
    const { owner, hook } = await buildScene()
    const receiver = openReceiver()
    await callWebhooks(owner, 'PUT', `/${hook.id}`, { url: receiver.url })
    await callWebhooks(owner, 'POST', `/${hook.id}/test`)
    await sendDeliveries([hook.id])
    expect(await receiver.messages()).toEqual([
      {
        webhook_id: hook.id,
        webhook_name: 'to chat',
        event: {
          action: 'ping',
          target: 'webhook',
          time: expect.stringMatching(TIME),
          routing_key: 'webhook.ping',
          user: { id: owner.id, login: owner.login, real_name: `Person ${owner.login}` },
        },
      },
    ])
  })
})

describe('a message is reduced to IDs', () => {
  test('for every event of a restricted bug', async () => {
    const { secret, editor, place, hear } = await buildScene()
    const bug = await postBug(editor, place, { groups: [secret.name] })
    const reduced = { id: bug, is_private: true }
    const [created] = await hear(bug)
    expect(created.bug).toEqual(reduced)
    await change(editor, bug, { priority: 'P4', comment: { body: 'Psst.' } })
    const file = await postAttachment(editor, bug)
    const messages = await hear(bug)
    const [changed, ...others] = messages
    expect(changed.event.routing_key).toBe('bug.modify:priority')
    expect(changed.event).not.toHaveProperty('changes')
    expect(changed.bug).toEqual(reduced)
    const comment = { id: expect.any(Number), is_private: true }
    expect(others.map((message: Message) => message.bug)).toEqual(
      expect.arrayContaining([
        { ...reduced, comment },
        { ...reduced, attachment: { id: file, is_private: true } },
      ]),
    )
    expect(JSON.stringify(messages)).not.toMatch(/Psst|A file/)
  })

  test('for private comments and attachments, to owners who see them', async () => {
    const { editor, place, hear } = await buildScene({ roles: ['insider'] })
    const bug = await postBug(editor, place)
    await hear(bug)
    await change(editor, bug, { comment: { body: 'Psst.', is_private: true } })
    const file = await postAttachment(editor, bug, { is_private: true, comment: 'Psst too.' })
    expect((await updateAttachment(editor, file, { summary: 'Secret logs' })).status).toBe(200)
    const messages = await hear(bug)
    expect(messages.map((message: Message) => message.bug)).toEqual(
      expect.arrayContaining([
        { id: bug, is_private: false, comment: { id: expect.any(Number), is_private: true } },
        { id: bug, is_private: false, attachment: { id: file, is_private: true } },
      ]),
    )
    expect(messages).toHaveLength(4)
    expect(JSON.stringify(messages)).not.toMatch(/Psst|Secret logs|changes/)
  })

  test('when a public bug becomes restricted, with that as the only change', async () => {
    const { secret, editor, place, hear } = await buildScene({ groups: [] })
    const bug = await postBug(editor, place)
    await hear(bug)
    await change(editor, bug, { groups: { add: [secret.name] }, summary: 'Secret now' })
    expect(await hear(bug)).toEqual([
      expect.objectContaining({
        event: expect.objectContaining({
          action: 'modify',
          target: 'bug',
          routing_key: 'bug.modify:is_private',
          changes: [{ field: 'is_private', removed: '0', added: '1' }],
        }),
        bug: { id: bug, is_private: true },
      }),
    ])
  })
})

describe('a message leaves out', () => {
  test('hidden bugs, hours, and changes of private comments', async () => {
    const { secret, editor, place, hear } = await buildScene({ groups: [] })
    const hidden = await postBug(editor, place, { groups: [secret.name] })
    const bug = await postBug(editor, place)
    await hear(bug)
    await change(editor, bug, {
      depends_on: { add: [hidden] },
      see_also: { add: [hidden, 'https://a.test/1'] },
      estimated_time: 7,
      whiteboard: '[seen]',
      comment: { body: 'Psst.', is_private: true },
    })
    const [message, ...others] = await hear(bug)
    expect(others).toEqual([])
    expect(message.event.changes).toEqual(
      expect.arrayContaining([
        { field: 'whiteboard', removed: '', added: '[seen]' },
        { field: 'see_also', removed: '', added: 'https://a.test/1' },
      ]),
    )
    expect(message.event.changes).toHaveLength(2)
    expect(message.bug.see_also).toEqual(['https://a.test/1'])
  })

  test('the privacy of comments, to insiders too', async () => {
    const { editor, place, hear } = await buildScene({ roles: ['insider'] })
    const bug = await postBug(editor, place)
    await hear(bug)
    const { comments } = (await get(editor, `/rest/bug/${bug}/comment`)).body.bugs[bug]
    await change(editor, bug, {
      whiteboard: '[seen]',
      comment_is_private: { [comments[0].id]: true },
    })
    const [message] = await hear(bug)
    expect(message.event.changes).toEqual([{ field: 'whiteboard', removed: '', added: '[seen]' }])
  })

  test('things that the owner could see as an insider', async () => {
    const { editor, owner, place, hook, receiver } = await buildScene({ roles: ['insider'] })
    const bug = await postBug(editor, place)
    await change(editor, bug, { comment: { body: 'Psst.', is_private: true } })
    await postAttachment(editor, bug, { is_private: true })
    await queueWebhooksOf([bug])
    await execute(sql`DELETE FROM memberships WHERE user_id = ${owner.id} AND group_id IN (
      SELECT id FROM access_groups WHERE role = 'insider')`)
    await sendDeliveries([hook.id])
    const messages = await receiver.messages()
    expect(messages.map(({ event }: Message) => event.routing_key)).toEqual(['bug.create'])
  })

  test('the whole change when nothing of it is left', async () => {
    const { secret, editor, place, hear } = await buildScene({ groups: [] })
    const hidden = await postBug(editor, place, { groups: [secret.name] })
    const bug = await postBug(editor, place)
    await hear(bug)
    await change(editor, bug, { depends_on: { add: [hidden] } })
    expect(await hear(bug)).toEqual([])
  })
})
