import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { deliverWebhooks } from '../../../src/edges/webhooks/delivery/deliver.ts'
import { NOW } from '../../support/builders/unique.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { execute } from '../../support/database/execute.ts'
import {
  buildWorkerCtx,
  loadDeliveryRows,
  queueWebhooksOf,
} from '../../support/deliver-webhooks.ts'
import { type Message, openReceiver } from '../../support/receiver/box.ts'
import { type DrawnBatch, drawBatch } from '../../support/worlds/drawn-batch.ts'
import type { DrawnBug, DrawnPerson, DrawnWorld } from '../../support/worlds/drawn-world.ts'

/**
 * Random worlds, in which everybody has a webhook for everything that ever happened. No message holds
 * anything private, or that its owner may not see; all that the owner may see of public bugs is in a message.
 */

const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = 5
const MAX_BATCH = 25

/** Notices for all changes and comments of drawn bugs, which are tied by numbers of notices that do not exist. */
async function insertNotices(bugs: readonly DrawnBug[], author: DrawnPerson): Promise<void> {
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(bugs.map(({ id }) => id))}))`
  const noticeOf = (table: string) => sql`(SELECT n.id FROM notices n
    WHERE n.bug_id = ${sql.raw(table)}.bug_id
      AND n.last_error = 'drawn ' || coalesce(${sql.raw(table)}.notice_id, 0))`
  await execute(
    sql`INSERT INTO notices (bug_id, author_id, kind, happened_at, next_attempt_at, last_error)
      SELECT bug_id, ${author.id}, 'changed', ${NOW}, ${NOW}, 'drawn ' || coalesce(notice_id, 0)
      FROM history WHERE bug_id IN ${ids}
      UNION SELECT bug_id, ${author.id}, 'changed', ${NOW}, ${NOW}, 'drawn ' || coalesce(notice_id, 0)
      FROM comments WHERE bug_id IN ${ids}`,
    sql`UPDATE history SET notice_id = ${noticeOf('history')} WHERE bug_id IN ${ids}`,
    sql`UPDATE comments SET notice_id = ${noticeOf('comments')} WHERE bug_id IN ${ids}`,
  )
}

/** What a webhook of this person has received when all that happened is processed. */
async function hear(who: DrawnPerson, bugs: readonly DrawnBug[]): Promise<Message[]> {
  const receiver = openReceiver()
  const hook = await insertWebhook(who, receiver, { afterNoticeId: 0 })
  await queueWebhooksOf(bugs.map(({ id }) => id))
  const ids = (await loadDeliveryRows(hook.id)).map(({ id }) => Number(id))
  for (let start = 0; start < ids.length; start += MAX_BATCH) {
    const ctx = buildWorkerCtx({ bindings: { BASE_URL: 'https://tracker.test' } })
    await deliverWebhooks(ctx, { ids: ids.slice(start, start + MAX_BATCH) })
  }
  await execute(sql`UPDATE webhooks SET is_enabled = 0 WHERE id = ${hook.id}`)
  return receiver.messages()
}

/** The person as one who is no insider, since nothing private is in a message. */
function asOutsider(who: DrawnPerson): DrawnPerson {
  const isTracker = who.roles.some((role) => role === 'timetracking' || role === 'admin')
  return { ...who, roles: isTracker ? ['timetracking'] : [] }
}

function isInsider({ roles }: DrawnPerson): boolean {
  return roles.includes('insider') || roles.includes('admin')
}

/** Products without a mandatory group are visible to everybody. */
function isOpenToAll({ controls, productId }: DrawnWorld): boolean {
  return !controls.some((one) => one.productId === productId && one.pair[0] === 3)
}

/** The members of a message about anything. */
function expectNothingHidden(
  { oracle }: DrawnBatch,
  who: DrawnPerson,
  bug: DrawnBug,
  message: Message,
) {
  expect(oracle.sees(who, bug.id)).toBe(true)
  const { comment, attachment } = message.bug
  const drawn = bug.comments.find(({ id }) => id === comment?.id)
  const file = bug.attachments.find(({ id }) => id === attachment?.id)
  const isPrivate = drawn?.isPrivate === true || file?.isPrivate === true
  expect(isPrivate && !isInsider(who)).toBe(false)
  if (bug.groups.length > 0 || isPrivate) {
    const reduced = { id: expect.any(Number), is_private: true }
    expect(message.event).not.toHaveProperty('changes')
    expect(message.bug).toEqual({
      id: bug.id,
      is_private: bug.groups.length > 0,
      ...(comment === undefined ? {} : { comment: reduced }),
      ...(attachment === undefined ? {} : { attachment: reduced }),
    })
  }
}

/** A public bug whose product everybody sees is told of completely. */
function expectComplete(
  { oracle, customField }: DrawnBatch,
  who: DrawnPerson,
  bug: DrawnBug,
  messages: readonly Message[],
) {
  const reader = asOutsider(who)
  const ofBug = { ...bug, changes: bug.changes.filter(({ attachment }) => attachment === null) }
  const changes = messages
    .filter(({ event }) => event.target === 'bug')
    .flatMap(({ event }) => event.changes)
    .map(({ field, removed, added }) => `${field}: ${removed} > ${added}`)
  const expected = oracle.history(reader, ofBug).map((text) => text.replace(/^attachments\./, ''))
  expect(changes.sort()).toEqual(expected.sort())
  const comments = messages.flatMap((message) => message.bug.comment?.id ?? [])
  const seen = bug.comments.filter(
    ({ number, isPrivate }) => number > 0 && (!isPrivate || isInsider(who)),
  )
  expect(comments.sort()).toEqual(seen.map(({ id }) => id).sort())
  const shown = oracle.shown(reader, bug)
  for (const message of messages) {
    if ('summary' in message.bug) {
      expect(message.bug.see_also).toEqual(shown.see_also)
      expect(message.bug[customField]).toEqual(shown[customField])
    }
  }
}

describe('no message of a webhook tells what its owner may not know', () => {
  test(`in ${WORLDS} worlds around a few people, of seed ${SEED}`, async () => {
    const batch = await drawBatch({ seed: SEED, number: 0, worlds: WORLDS })
    const bugs = batch.worlds.flatMap((world) => world.bugs)
    const author = batch.people[0]
    if (author === undefined) {
      throw new Error('nobody was drawn')
    }
    await insertNotices(bugs, author)
    const heard: number[] = []
    for (const who of batch.people) {
      const messages = Map.groupBy(await hear(who, bugs), ({ bug }) => Number(bug.id))
      for (const world of batch.worlds) {
        for (const bug of world.bugs) {
          const own = messages.get(bug.id) ?? []
          for (const message of own) {
            expectNothingHidden(batch, who, bug, message)
          }
          if (bug.groups.length === 0 && isOpenToAll(world)) {
            expectComplete(batch, who, bug, own)
          }
        }
      }
      heard.push(messages.size)
    }
    expect(Math.min(...heard)).toBeGreaterThan(0)
  })
})
