import type { Ctx } from '../../context.ts'
import type { DbSession } from '../../db/session.ts'
import { perObject } from '../../lib/isolate.ts'
import { log } from '../../lib/log.ts'
import type { SmtpServer } from '../../lib/smtp-url.ts'
import type { MailOutcome } from '../outcome.ts'
import {
  describeFailure,
  isPermanentFailure,
  openSmtpConnection,
  type SmtpConnection,
} from './connection.ts'
import { composeMessage, InvalidAddressError, type SmtpContent } from './message.ts'

type WaitingMessage = {
  readonly content: SmtpContent
  readonly settle: (outcome: MailOutcome) => void
  readonly record: () => Promise<void>
}

/** A connection that broke is replaced so often, so that one fatal message does not hold up the others. */
const MAX_BROKEN_CONNECTIONS = 4

/** All messages of one invocation together take less time than it may. */
const MAX_RUN_MS = 5 * 60_000

/** How long an idle connection waits for the next notice of the same batch. */
const LINGER_MS = 50

type MessageQueue = { readonly waiting: WaitingMessage[]; isRunning: boolean }

/** The messages that wait in an invocation. */
const queueOf = perObject((_: DbSession): MessageQueue => ({ waiting: [], isRunning: false }))

/**
 * Sends a message to a mail server, and returns what became of it. All messages of one invocation share a
 * connection and go one after the other, each after `record` has recorded that the one before was accepted; meanwhile
 * the server hears of the next.
 */
export function sendBySmtp(
  ctx: Ctx,
  server: SmtpServer,
  clientName: string,
  content: SmtpContent,
  record: () => Promise<void>,
): Promise<MailOutcome> {
  return new Promise((settle) => {
    const queue = queueOf(ctx.session)
    queue.waiting.push({ content, settle, record })
    if (!queue.isRunning) {
      const run = runQueue(queue, () => openSmtpConnection(server, clientName))
      // the connection is closed after the last message was settled
      ctx.defer(() => run)
    }
  })
}

async function runQueue(queue: MessageQueue, open: () => Promise<SmtpConnection>): Promise<void> {
  const { waiting } = queue
  const endsAt = Date.now() + MAX_RUN_MS
  let broken = 0
  queue.isRunning = true
  try {
    while (waiting.length > 0 && broken < MAX_BROKEN_CONNECTIONS && Date.now() < endsAt) {
      const connection = await tryOpen(open)
      if (connection === null) {
        return
      }
      const isUsable = await sendOverConnection(waiting, connection, endsAt)
      broken += isUsable ? 0 : 1
      await connection.close()
    }
  } finally {
    queue.isRunning = false
    for (const { settle } of waiting.splice(0)) {
      settle('unsent')
    }
  }
}

async function tryOpen(open: () => Promise<SmtpConnection>): Promise<SmtpConnection | null> {
  try {
    return await open()
  } catch (error) {
    log('warn', 'mail server not usable', describeFailure(error))
    return null
  }
}

/** Sends until nothing waits any more, or the time is over. Returns false as soon as the connection broke. */
async function sendOverConnection(
  waiting: WaitingMessage[],
  connection: SmtpConnection,
  endsAt: number,
): Promise<boolean> {
  let isRecorded = Promise.resolve()
  while (Date.now() < endsAt) {
    const next = waiting.shift()
    if (next === undefined) {
      await isRecorded
      await new Promise((wake) => setTimeout(wake, LINGER_MS))
      if (waiting.length === 0) {
        return true
      }
      continue
    }
    try {
      await connection.send(await composeMessage(next.content), isRecorded)
    } catch (error) {
      const isFinal = error instanceof InvalidAddressError || isPermanentFailure(error)
      log(isFinal ? 'error' : 'warn', 'mail not accepted', { ...describeFailure(error), isFinal })
      next.settle(isFinal ? 'refused' : 'unsent')
      await isRecorded
      if (!(await connection.recover())) {
        return false
      }
      continue
    }
    isRecorded = next.record().then(() => next.settle('accepted'))
  }
  return true
}
