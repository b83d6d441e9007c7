import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { seal } from '../../src/platform/lib/crypto/secrets.ts'
import { OUTBOX_KINDS, type OutboxKind } from '../../src/platform/outbox/outbox.ts'
import { insertBug, updateBugRow } from '../support/builders/bugs.ts'
import { insertPush, insertReminder, insertWork } from '../support/builders/later-work.ts'
import { insertComment, insertNotice } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import type { TestBug, TestPerson } from '../support/builders/types.ts'
import { NOW } from '../support/builders/unique.ts'
import { insertWebhook, PRIVATE_TARGETS } from '../support/builders/webhooks.ts'
import { insertBot } from '../support/codehost.ts'
import { consume, DEAD, LIVE, recordingQueue } from '../support/consume-messages.ts'
import { execute } from '../support/database/execute.ts'
import { buildMailRefusal, buildMailService, type SentMail } from '../support/fakes/mail-service.ts'
import { openReceiver } from '../support/receiver/box.ts'

/** A word that stands in every text, name and address of these tests. */
const WORD = 'tulip'

let lines: string[]

beforeEach(async () => {
  lines = []
  for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...texts) => void lines.push(texts.join(' ')))
  }
  // each message processes all rows that are due, those of other tests too
  await execute(
    sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE reminders SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE codehost_pushes SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE webhook_deliveries SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE api_key_mails SET done_at = 1 WHERE done_at IS NULL`,
  )
})

async function insertTulips(): Promise<{ bug: TestBug; reader: TestPerson }> {
  const reader = await insertPerson({ realName: WORD })
  const bug = await insertBug({ assignee: reader, summary: WORD })
  await updateBugRow(bug.id, { whiteboard: WORD, url: `https://${WORD}.test/` })
  return { bug, reader }
}

/** Makes a row of each kind that cannot be completed where everything fails; returns its ID. */
const MAKERS: Readonly<Record<OutboxKind, () => Promise<number>>> = {
  notice: async () => {
    const { bug } = await insertTulips()
    const id = await insertNotice(bug, bug.reporter)
    await insertComment(bug, bug.reporter, { noticeId: id, body: WORD })
    return id
  },
  reminder: async () => {
    const { bug, reader } = await insertTulips()
    return insertReminder(bug, reader, { note: WORD })
  },
  push: async () => {
    const { bug } = await insertTulips()
    // too long for a comment
    return insertPush(bug, await insertBot(), { comment: WORD.repeat(20_000) })
  },
  webhook: async () => {
    const { bug, reader } = await insertTulips()
    const { url } = openReceiver('fails')
    const hook = await insertWebhook(
      reader,
      { url: `${url}${WORD}` },
      {
        name: WORD,
        headerName: 'X-Key',
        headerSealed: await seal(WORD, env.SECRETS_KEY),
      },
    )
    const noticeId = await insertNotice(bug, reader, { kind: 'created', doneAt: NOW })
    const id = await insertWork('webhook', bug, reader)
    await execute(
      sql`UPDATE webhook_deliveries SET webhook_id = ${hook.id}, event = 'create', notice_id = ${noticeId}
        WHERE id = ${id}`,
    )
    return id
  },
  key: async () => {
    const { bug, reader } = await insertTulips()
    const id = await insertWork('key', bug, reader)
    await execute(
      sql`UPDATE api_keys SET expires_at = mail.expires_at, description = ${WORD}
        FROM api_key_mails mail WHERE mail.id = ${id} AND api_keys.id = mail.key_id`,
    )
    return id
  },
  account: async () => {
    const { bug, reader } = await insertTulips()
    return insertWork('account', bug, reader)
  },
}

/** The lines about the outcome of work, whose facts are kind, row and attempt. */
function listOutcomes(): Record<string, unknown>[] {
  return lines.map((line) => JSON.parse(line)).filter(({ event }) => event.startsWith('work '))
}

function expectNoSecrets(): void {
  expect(lines).not.toEqual([])
  for (const line of lines) {
    expect(line.toLowerCase()).not.toContain(WORD)
    expect(line).not.toMatch(/@|whsec_|127\.0\.0\.1/)
  }
}

const quote = ({ to, subject, text }: SentMail) => `${WORD} ${to} ${subject} ${text}`

const FAILURES: readonly [
  name: string,
  bindings: () => object,
  answer: (mail: SentMail) => void,
][] = [
  [
    'quote the mail that they are about',
    () => ({}),
    (mail) => {
      throw new Error(quote(mail))
    },
  ],
  [
    'are for good',
    () => ({}),
    (mail) => {
      throw Object.assign(buildMailRefusal('E_RECIPIENT_SUPPRESSED'), { message: quote(mail) })
    },
  ],
  [
    'are those of a mail server',
    () => ({ SMTP_URL: `smtp://${WORD}:${WORD}@127.0.0.1:1` }),
    () => {},
  ],
]

describe.each(OUTBOX_KINDS)('the log of work of the kind %s', (kind) => {
  test.each(FAILURES)(
    'names row and attempt, and no address, text or secret, when failures %s',
    async (_, bindings, answer) => {
      const id = await MAKERS[kind]()
      const { EVENTS } = recordingQueue()
      const { env: own } = buildMailService({ ...PRIVATE_TARGETS, EVENTS, ...bindings() }, answer)
      await consume(LIVE, [{ kind, id }], own)
      expect(listOutcomes()).toContainEqual(
        expect.objectContaining({ id, attempts: 1, table: expect.any(String) }),
      )
      expectNoSecrets()
    },
  )

  test('names only rows when the database fails with an error that quotes values', async () => {
    const session = {
      prepare: () => ({ bind: () => ({}) }),
      batch: () => Promise.reject(new Error(`D1_TYPE_ERROR: not supported for value '${WORD}@x'`)),
      getBookmark: () => null,
    }
    const DB = { withSession: () => session }
    await consume(LIVE, [{ kind, id: 7 }], { ...env, DB } as unknown as Env)
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ event: 'messages failed', kind, ids: [7] }),
    )
    expectNoSecrets()
  })

  test('names the messages that are dropped without what else is in them', async () => {
    await consume(LIVE, [
      { kind, id: 7, text: WORD },
      { kind: WORD, id: 7 },
    ])
    await consume(DEAD, [
      { kind, id: 7 },
      { kind, id: 8, text: WORD },
    ])
    expect(lines).toHaveLength(3)
    expectNoSecrets()
  })
})
