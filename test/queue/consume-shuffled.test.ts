import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../scripts/generator/random.ts'
import { jsonList } from '../../src/platform/db/sql.ts'
import type { QueueMessage } from '../../src/platform/outbox/messages.ts'
import { insertBug, postBug } from '../support/builders/bugs.ts'
import { insertPush, insertReminder } from '../support/builders/later-work.ts'
import { insertComment, insertNotice } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestBug } from '../support/builders/types.ts'
import { insertWebhook, PRIVATE_TARGETS } from '../support/builders/webhooks.ts'
import { insertBot } from '../support/codehost.ts'
import { consume, LIVE, recordingQueue } from '../support/consume-messages.ts'
import { execute } from '../support/database/execute.ts'
import { buildMailService, type SentMail } from '../support/fakes/mail-service.ts'
import { openReceiver, type Receiver } from '../support/receiver/box.ts'

/** Messages of one kind, what has to arrive because of them, and what has arrived. */
type Scene = {
  readonly messages: readonly QueueMessage[]
  readonly expected: readonly string[]
  readonly listArrived: (mails: readonly SentMail[]) => string[] | Promise<string[]>
}

const count = <Item>(length: number, make: (n: number) => Promise<Item>) =>
  Promise.all(Array.from({ length }, (_, n) => make(n)))

/** A bug of a reporter with two other readers. */
async function insertReadBug(): Promise<{ bug: TestBug; readers: string[] }> {
  const [reporter, first, second] = [
    await insertPerson(),
    await insertPerson(),
    await insertPerson(),
  ]
  const bug = await insertBug({ reporter, assignee: reporter, cc: [first, second] })
  return { bug, readers: [first.login, second.login] }
}

/** Who got which texts, of mails that each have some. */
const listTexts = (mails: readonly SentMail[], pattern: RegExp) =>
  mails.flatMap(({ to, text }) => [...text.matchAll(pattern)].map(([one]) => `${to} ${one}`))

async function makeNotices(): Promise<Scene> {
  const places = await count(3, insertReadBug)
  const made: { id: number; texts: string[] }[] = []
  for (const { bug, readers } of [...places, ...places, ...places]) {
    const id = await insertNotice(bug, bug.reporter)
    await insertComment(bug, bug.reporter, { noticeId: id, body: `Text of notice ${id}.` })
    made.push({ id, texts: readers.map((login) => `${login} Text of notice ${id}.`) })
  }
  return {
    messages: made.map(({ id }) => ({ kind: 'notice', id })),
    expected: made.flatMap(({ texts }) => texts),
    listArrived: (mails) => listTexts(mails, /Text of notice \d+\./g),
  }
}

/** The notices of new bugs, each of which calls three webhooks. */
async function makeWebhooks(): Promise<Scene> {
  const place = await insertProduct()
  const receivers: Receiver[] = []
  for (const owner of await count(3, () => insertPerson())) {
    const receiver = openReceiver()
    await insertWebhook(owner, receiver, { productId: place.id })
    receivers.push(receiver)
  }
  const bugs = await count(4, async () => postBug(await insertPerson(), place))
  const notices = await execute(sql`SELECT id FROM notices WHERE bug_id IN ${jsonList(bugs)}`)
  return {
    messages: notices.map(({ id }) => ({ kind: 'notice', id: Number(id) })),
    expected: receivers.flatMap((_, n) => bugs.map((bug) => `${n} bug.create ${bug}`)),
    listArrived: async () => {
      const boxes = await Promise.all(receivers.map((receiver) => receiver.messages()))
      return boxes.flatMap((box, n) =>
        box.map(({ event, bug }) => `${n} ${event.routing_key} ${bug.id}`),
      )
    },
  }
}

async function makeReminders(): Promise<Scene> {
  const made = await count(9, async (n) => {
    const [owner, bug] = [await insertPerson(), await insertBug()]
    const id = await insertReminder(bug, owner, { note: `Note ${n}.` })
    return { id, text: `${owner.login} Note ${n}.` }
  })
  return {
    messages: made.map(({ id }) => ({ kind: 'reminder', id })),
    expected: made.map(({ text }) => text),
    listArrived: (mails) => listTexts(mails, /Note \d\./g),
  }
}

/** Pushes to few bugs, about each of which three people get mail. */
async function makePushes(): Promise<Scene> {
  const bot = await insertBot()
  const places = await count(3, insertReadBug)
  const made: { id: number; bug: TestBug; readers: string[]; text: string }[] = []
  for (const place of [...places, ...places, ...places]) {
    const text = `Push ${made.length}.`
    made.push({ ...place, text, id: await insertPush(place.bug, bot, { comment: text }) })
  }
  return {
    messages: made.map(({ id }) => ({ kind: 'push', id })),
    expected: made.flatMap(({ bug, readers, text }) => [
      `on ${bug.id}: ${text}`,
      ...[bug.reporter.login, ...readers].map((login) => `${login} ${text}`),
    ]),
    listArrived: async (mails) => {
      const comments = await execute(
        sql`SELECT bug_id, body FROM comments WHERE author_id = ${bot.id}`,
      )
      return [
        ...comments.map(({ bug_id, body }) => `on ${bug_id}: ${body}`),
        ...listTexts(mails, /Push \d\./g),
      ]
    },
  }
}

function shuffle<Item>(r: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: r.uniform() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Consumes messages and those that they cause: in any order, some twice, in small batches three at a time. */
async function consumeShuffled(r: Random, first: readonly QueueMessage[]): Promise<SentMail[]> {
  const { EVENTS, sent } = recordingQueue()
  const box = buildMailService({ ...PRIVATE_TARGETS, EVENTS })
  let waiting: readonly unknown[] = first
  while (waiting.length > 0) {
    const bodies = shuffle(r, [...waiting, ...waiting.filter(() => r.chance(0.5))])
    while (bodies.length > 0) {
      const batches = Array.from({ length: 3 }, () => bodies.splice(0, 1 + r.below(3)))
      const results = await Promise.all(batches.map((batch) => consume(LIVE, batch, box.env)))
      expect(results.flatMap(({ retryMessages }) => retryMessages)).toEqual([])
    }
    waiting = sent.splice(0).map(({ body }) => body)
  }
  return box.sent
}

beforeEach(async () => {
  // each message processes all rows that are due, those of other tests too
  await execute(
    sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE reminders SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE codehost_pushes SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE webhook_deliveries SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE webhooks SET is_enabled = 0`,
  )
})

describe.each([
  ['notices', makeNotices],
  ['webhooks', makeWebhooks],
  ['reminders', makeReminders],
  ['pushes', makePushes],
])('messages of the queue about %s', (name, makeScene) => {
  test.each([1, 2, 3])(
    'that arrive out of order and twice bring everything to everybody once: order %i',
    async (seed) => {
      const { messages, expected, listArrived } = await makeScene()
      const mails = await consumeShuffled(createRandom(seed, name.length), messages)
      expect((await listArrived(mails)).sort()).toEqual(expected.toSorted())
      expect(expected.length).toBeGreaterThan(8)
    },
  )
})
