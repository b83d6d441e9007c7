import type { Ctx } from '../../context.ts'
import type { DbSession } from '../../db/session.ts'
import { log } from '../../lib/log.ts'
import type { SmtpServer } from '../../lib/smtp-url.ts'
import {
  describeFailure,
  isPermanentFailure,
  openSmtpConnection,
  type SmtpConnection,
} from './connection.ts'
import { composeMessage, InvalidAddressError, type MessageContent } from './message.ts'

/** A message that waits for the connection; `settle` takes whether it needs no retry. */
type WaitingMessage = {
  readonly content: MessageContent
  readonly settle: (isFinished: boolean) => void
}

/** How often a connection that broke is replaced, so that one fatal message does not hold up the others. */
const MAX_CONNECTIONS = 4

/** All messages together take less time than the lease of their outbox rows. */
const MAX_RUN_MS = 5 * 60_000

/** How long an idle connection waits for the next notice of the same batch. */
const LINGER_MS = 50

/** The messages that wait, for each invocation that sends some now. */
const queues = new WeakMap<DbSession, WaitingMessage[]>()

/**
 * Sends a message to a mail server. Returns whether it needs no retry: it was accepted, or refused for good, which
 * is logged. All messages of one invocation share a connection and go one after the other.
 */
export function sendBySmtp(
  ctx: Ctx,
  server: SmtpServer,
  clientName: string,
  content: MessageContent,
): Promise<boolean> {
  return new Promise((settle) => {
    const queue = queues.get(ctx.session)
    if (queue !== undefined) {
      queue.push({ content, settle })
      return
    }
    const waiting = [{ content, settle }]
    queues.set(ctx.session, waiting)
    const run = sendWaiting(waiting, () => openSmtpConnection(server, clientName)).finally(() => {
      queues.delete(ctx.session)
      for (const message of waiting.splice(0)) {
        message.settle(false)
      }
    })
    // the connection is closed after the last message was settled
    ctx.defer(() => run)
  })
}

async function sendWaiting(
  waiting: WaitingMessage[],
  open: () => Promise<SmtpConnection>,
): Promise<void> {
  const endsAt = Date.now() + MAX_RUN_MS
  for (let opened = 0; waiting.length > 0 && opened < MAX_CONNECTIONS; opened += 1) {
    const connection = await tryOpen(open)
    if (connection === null) {
      return
    }
    await sendOverConnection(waiting, connection, endsAt)
    await connection.close()
    if (Date.now() >= endsAt) {
      return
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

/** Returns when nothing waits any more, when the connection broke, or when the time is over. */
async function sendOverConnection(
  waiting: WaitingMessage[],
  connection: SmtpConnection,
  endsAt: number,
): Promise<void> {
  for (let isUsable = true; isUsable && Date.now() < endsAt; ) {
    const next = waiting.shift()
    if (next === undefined) {
      await new Promise((wake) => setTimeout(wake, LINGER_MS))
      if (waiting.length === 0) {
        return
      }
      continue
    }
    try {
      await connection.send(await composeMessage(next.content))
      next.settle(true)
    } catch (error) {
      const isFinal = error instanceof InvalidAddressError || isPermanentFailure(error)
      log(isFinal ? 'error' : 'warn', 'mail not accepted', { ...describeFailure(error), isFinal })
      next.settle(isFinal)
      isUsable = await connection.recover()
    }
  }
}
