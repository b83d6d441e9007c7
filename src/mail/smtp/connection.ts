import net from 'node:net'
import tls from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpServer } from '../../lib/smtp-url.ts'
import type { Message } from './message.ts'

/** A session with a mail server. */
export type SmtpConnection = {
  /** Throws what the server refused, or that the connection broke. */
  send(message: Message): Promise<void>
  /** Prepares for the next message after one that was refused; false when the connection is of no use any more. */
  recover(): Promise<boolean>
  close(): Promise<void>
}

/** The time for one step: connecting, a login, a message. */
const STEP_MS = 60_000

const CLOSE_MS = 2_000

/** The commands whose refusal is about one message. That of the sender or of a login is about the settings. */
const COMMANDS_OF_MESSAGE = ['RCPT TO', 'DATA']

type Done = (error?: Error | null) => void

/**
 * Opens a session under the name `clientName`. A login is sent over TLS alone; without a login, and unless the
 * server expects TLS from the first byte, the session is in the clear, as relays of the own network expect.
 */
export async function openSmtpConnection(
  server: SmtpServer,
  clientName: string,
): Promise<SmtpConnection> {
  const { host, port, isImplicitTls, credentials } = server
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
    ignoreTLS: !isImplicitTls && credentials === null,
    name: clientName,
    socketCloseTimeout: 0,
  })
  // an error also ends the step at hand; between two steps nobody waits for it
  connection.on('error', () => {})
  await runStep(connection, (done) => connection.connect(done))
  if (credentials !== null) {
    await runStep(connection, (done) => connection.login({ credentials }, done))
  }
  return {
    send: ({ from, to, bytes }) =>
      runStep(connection, (done) =>
        connection.send({ from, to: [to], size: bytes.length }, bytes, done),
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

/** Whether no retry can cure the failure of a message: the server refuses it or its recipient for good. */
export function isPermanentFailure(error: unknown): boolean {
  const { code, command, responseCode } = describeFailure(error)
  if (responseCode !== undefined) {
    return responseCode >= 500 && responseCode < 600 && COMMANDS_OF_MESSAGE.includes(command ?? '')
  }
  // found by nodemailer itself: an address that cannot be sent, or a message larger than the server takes
  return code === 'EENVELOPE' || code === 'EMESSAGE'
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
