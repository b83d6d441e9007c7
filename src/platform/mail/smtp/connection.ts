import net from 'node:net'
import { Readable } from 'node:stream'
import tls from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { log } from '../../lib/log.ts'
import type { SmtpServer } from '../../lib/smtp-url.ts'
import type { Message } from './message.ts'

/** A session with a mail server. */
export type SmtpConnection = {
  /**
   * Throws what the server refused, or that the connection broke. The text leaves after `isDue`; sender and recipient
   * are agreed on meanwhile.
   */
  send(message: Message, isDue: Promise<void>): Promise<void>
  /**
   * Prepares for the next message after one that was refused; false when the connection is of no use any
   * more.
   */
  recover(): Promise<boolean>
  close(): Promise<void>
}

/** The time for one step: connecting, a login, a message. */
const STEP_MS = 60_000

const CLOSE_MS = 2_000

/**
 * The commands whose refusal is about one message. That of the sender or of a login is about the settings.
 */
const COMMANDS_OF_MESSAGE = ['RCPT TO', 'DATA']

type Done = (error?: Error | null) => void

/**
 * Opens a session under the name `clientName`. A login is sent over TLS alone. Without a login TLS is used where
 * the server offers it; where its certificate is not trusted, as with relays of the own network, another session
 * is opened in the clear.
 */
export async function openSmtpConnection(
  server: SmtpServer,
  clientName: string,
): Promise<SmtpConnection> {
  try {
    return await openSession(server, clientName, { ignoresTls: false })
  } catch (error) {
    if (describeFailure(error).code !== 'ETLS' || server.credentials !== null) {
      throw error
    }
    log('info', 'no trusted TLS with the mail server', { port: server.port })
    return openSession(server, clientName, { ignoresTls: true })
  }
}

async function openSession(
  { host, port, isImplicitTls, credentials }: SmtpServer,
  clientName: string,
  { ignoresTls }: { readonly ignoresTls: boolean },
): Promise<SmtpConnection> {
  // the runtime looks up the host: nodemailer would ask a public DNS service, which knows no local names
  const socket = isImplicitTls
    ? tls.connect({ host, port, servername: host })
    : net.connect({ host, port })
  const connection = new SMTPConnection({
    host,
    port,
    connection: socket,
    secure: isImplicitTls,
    secured: isImplicitTls,
    requireTLS: !isImplicitTls && credentials !== null,
    ignoreTLS: ignoresTls,
    name: clientName,
    socketCloseTimeout: 0,
  })
  // an error also ends the current step; between two steps nothing waits
  connection.on('error', () => {})
  try {
    await runStep(connection, (done) => connection.connect(done))
  } catch (error) {
    // the runtime reports a certificate that it does not trust as a broken connection
    throw connection.upgrading === true ? new TlsError() : error
  }
  if (credentials !== null) {
    try {
      await runStep(connection, (done) => connection.login({ credentials }, done))
    } catch (error) {
      connection.close()
      throw error
    }
  }
  return {
    send: ({ from, to, bytes }, isDue) =>
      runStep(connection, (done) =>
        connection.send({ from, to: [to], size: bytes.length }, readAfter(isDue, bytes), done),
      ),
    recover: async () => {
      if (connection.destroyed) {
        return false
      }
      try {
        await runStep(connection, (done) => connection.reset(done))
        return true
      } catch {
        connection.close()
        return false
      }
    },
    close: () => quit(connection),
  }
}

function readAfter(isDue: Promise<void>, bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      await isDue
      yield bytes
    })(),
  )
}

/** Whether no retry can cure the failure of a message: the server refuses it or its recipient for good. */
export function isPermanentFailure(error: unknown): boolean {
  const { code, command, responseCode } = describeFailure(error)
  if (responseCode !== undefined) {
    return responseCode >= 500 && responseCode < 600 && COMMANDS_OF_MESSAGE.includes(command ?? '')
  }
  // found by nodemailer itself: an address that cannot be sent, or a message larger than the server takes
  return (
    (code === 'EENVELOPE' && command === 'API') || (code === 'EMESSAGE' && command === 'MAIL FROM')
  )
}

/** What may be logged of a failure; its message quotes addresses and answers of the server. */
export function describeFailure(error: unknown): {
  code?: string
  command?: string
  responseCode?: number
} {
  const { code, command, responseCode } = error as Record<string, unknown>
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof command === 'string' && { command }),
    ...(typeof responseCode === 'number' && { responseCode }),
  }
}

/** Thrown when no TLS session came about after the server had offered one; its code is that of nodemailer. */
class TlsError extends Error {
  override readonly name = 'TlsError'
  readonly code = 'ETLS'
}

/** Not every callback of nodemailer is called when the connection breaks, so its events end a step too. */
function runStep(connection: SMTPConnection, start: (done: Done) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle(Object.assign(new Error('the mail server is too slow'), { code: 'ETIMEDOUT' }))
      connection.close()
    }, STEP_MS)
    const onEnd = () =>
      settle(Object.assign(new Error('the connection ended'), { code: 'ECONNECTION' }))
    const settle: Done = (error) => {
      clearTimeout(timer)
      connection.off('error', settle)
      connection.off('end', onEnd)
      if (error) {
        reject(error)
      } else {
        resolve()
      }
    }
    connection.once('error', settle)
    connection.once('end', onEnd)
    start(settle)
  })
}

async function quit(connection: SMTPConnection): Promise<void> {
  if (connection.destroyed) {
    return
  }
  await new Promise<void>((ended) => {
    const timer = setTimeout(ended, CLOSE_MS)
    connection.once('end', () => {
      clearTimeout(timer)
      ended()
    })
    connection.quit()
  })
  connection.close()
}
