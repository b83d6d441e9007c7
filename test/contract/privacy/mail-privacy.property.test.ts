import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/generator/random.ts'
import { deliverNotices } from '../../../src/tracker/notices/deliver.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { setMailPreference } from '../../support/builders/watches.ts'
import { execute } from '../../support/database/execute.ts'
import { insertRowsStatement } from '../../support/database/insert-rows.ts'
import { buildMailService, type SentMail } from '../../support/fakes/mail-service.ts'
import { type DrawnBatch, drawBatch } from '../../support/worlds/drawn-batch.ts'
import type {
  DrawnBug,
  DrawnChange,
  DrawnComment,
  DrawnPerson,
} from '../../support/worlds/drawn-world.ts'
import { NOTICES_FROM } from '../../support/worlds/drawn-world-store.ts'

/**
 * The mails about worlds drawn by chance, for people who watch all components and each other at random, against
 * an oracle that knows the rules alone. `VISIBILITY_SEED` repeats a run.
 */

const SEED = Number(env.VISIBILITY_SEED)
const BATCHES = 4
const WORLDS = 20

/** What one notice announces. */
type DrawnNotice = {
  readonly id: number
  readonly bug: DrawnBug
  readonly comments: readonly DrawnComment[]
  readonly changes: readonly DrawnChange[]
}

beforeAll(() => console.log(`the mails of this run are drawn from VISIBILITY_SEED=${SEED}`))

/** A notice for each comment, with the changes that belong to it, and one for all other changes of a bug. */
function listNotices({ worlds }: DrawnBatch): DrawnNotice[] {
  return worlds
    .flatMap(({ bugs }) => bugs)
    .flatMap((bug) => [
      ...bug.comments.map((comment) => ({
        id: NOTICES_FROM + comment.id,
        bug,
        comments: [comment],
        changes: bug.changes.filter((change) => change.comment === comment),
      })),
      {
        id: 2 * NOTICES_FROM + bug.id,
        bug,
        comments: [],
        changes: bug.changes.filter((change) => change.comment === null),
      },
    ])
}

async function storeNotices(batch: DrawnBatch, notices: readonly DrawnNotice[]): Promise<void> {
  const author = await insertPerson()
  const r = createRandom(SEED, notices.length)
  const pairs = batch.people.flatMap((watcher) =>
    batch.people
      .filter((watched) => watched !== watcher && r.chance(0.4))
      .map((watched) => ({ watcher_id: watcher.id, watched_id: watched.id })),
  )
  const places = batch.worlds.flatMap(({ productId: product_id }) =>
    batch.people.map(({ id: watcher_id }) => ({ watcher_id, product_id })),
  )
  await execute(
    insertRowsStatement(
      'notices',
      notices.map(({ id, bug }) => ({
        ...{ id, bug_id: bug.id, author_id: author.id, kind: 'changed' },
        ...{ happened_at: NOW, next_attempt_at: NOW, is_minor: false },
      })),
    ),
    sql`UPDATE history SET notice_id = ${2 * NOTICES_FROM} + bug_id
      WHERE notice_id IS NULL AND bug_id IN (SELECT id FROM bugs WHERE whiteboard = ${batch.marker})`,
    insertRowsStatement('person_watches', pairs),
    insertRowsStatement('component_watches', places),
  )
  for (const person of batch.people) {
    await setMailPreference(person, 'format', 'html', true)
  }
}

async function sendMails(notices: readonly DrawnNotice[]): Promise<readonly SentMail[]> {
  const box = buildMailService()
  // they are by one author, and done in their order
  const sorted = notices.map(({ id }) => id).sort((a, b) => a - b)
  for (let start = 0; start < sorted.length; start += 25) {
    const ids = sorted.slice(start, start + 25)
    const outcomes = await deliverNotices(box.ctx(), { ids })
    expect([...outcomes.values()].filter((outcome) => outcome !== 'done')).toEqual([])
  }
  return box.sent
}

const numbersIn = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, digits]) => Number(digits)))].sort(
    (a, b) => a - b,
  )

/** What a mail shows; the cells of its table are whole in its HTML alone. */
function readMail({ text, html: page = '' }: SentMail) {
  const html = page.replaceAll(/<\/?a\b[^>]*>/g, '')
  const rows = html.matchAll(
    /<tr><td[^>]*>[^<]*<\/td><td[^>]*>([^<]*)<\/td><td[^>]*>([^<]*)<\/td><\/tr>/g,
  )
  const parts = {
    comments: numbersIn(text, /^Comment (\d+)\.$/gm),
    originals: numbersIn(text, /duplicate of bug (\d+) /g),
    referenced: numbersIn(text, /^\[Bug (\d+)\] /gm),
  }
  expect(numbersIn(html, /Comment (\d+)\./g)).toEqual(parts.comments)
  expect(numbersIn(html, /duplicate of bug (\d+) /g)).toEqual(parts.originals)
  return { ...parts, changes: [...rows].map(([, removed, added]) => ({ removed, added })) }
}

/** What the mail about a notice shows a person; null for no mail. */
function expectMail({ oracle }: DrawnBatch, who: DrawnPerson, notice: DrawnNotice) {
  const { bug, comments } = notice
  if (!oracle.sees(who, bug.id)) {
    return null
  }
  const seen = new Set(oracle.comments(who, bug).map(({ id }) => id))
  const shown = comments.filter(({ id }) => seen.has(id))
  const changes = oracle.mailedChanges(who, notice.changes)
  const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b)
  return shown.length + changes.length === 0
    ? null
    : {
        comments: shown.map(({ id }) => id),
        originals: sorted(
          shown.flatMap(({ related }) =>
            related !== null && oracle.sees(who, related) ? related : [],
          ),
        ),
        referenced: sorted(changes.flatMap(({ bugs }) => bugs)),
        changes: changes.map(({ removed, added }) => ({ removed, added })),
      }
}

describe('mails show their readers no more and no less than they may see', () => {
  test.each(Array.from({ length: BATCHES }, (_, number) => number))(
    `in ${WORLDS} worlds: batch %i of seed ${SEED}`,
    async (number) => {
      const batch = await drawBatch({ seed: SEED, number: 1000 + number, worlds: WORLDS })
      const notices = listNotices(batch)
      await storeNotices(batch, notices)
      const sent = await sendMails(notices)
      const byReader = Map.groupBy(sent, ({ to }) => to)
      expect([...byReader.keys()].sort()).toEqual(batch.people.map(({ login }) => login).sort())
      for (const who of batch.people) {
        const expected = notices.flatMap((notice) => {
          const mail = expectMail(batch, who, notice)
          return mail === null ? [] : { bug: notice.bug.id, ...mail }
        })
        const actual = (byReader.get(who.login) ?? []).map((mail) => ({
          bug: Number(mail.headers['X-Tracker-ID']),
          ...readMail(mail),
        }))
        const sorted = (mails: object[]) => mails.map((mail) => JSON.stringify(mail)).sort()
        expect(sorted(actual)).toEqual(sorted(expected))
      }
    },
    60_000,
  )
})
