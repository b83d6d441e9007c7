import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = {
  from: string
  to: string[]
  raw: Buffer
  /** Which connection brought it. */
  connection: string
  isEncrypted: boolean
}

/** What the server does instead of accepting everything; may be changed at any time. */
export type MailServerRules = {
  /** The refusal of a recipient, such as `550 no such user`. */
  refuseRecipient?: (address: string) => string | null
  /** The refusal of a message, that the connection is to break while it arrives, or that it is never answered. */
  refuseData?: (to: string[]) => string | 'drop' | 'hang' | null
  /** Milliseconds until a message that has arrived is accepted. */
  acceptAfterMs?: number
  acceptLogin?: (user: string, password: string) => boolean
}

export type MailServer = {
  port: number
  rules: MailServerRules
  received: ReceivedMail[]
  /** The passwords that were sent. */
  passwords: string[]
  connections(): number
  stop(): Promise<void>
}

/** Starts a mail server on a free port, or on the port of one that has stopped. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  port = 0,
): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const passwords: string[] = []
  const rules: MailServerRules = {}
  let connections = 0
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    ...options,
    onConnect(_, done) {
      connections += 1
      done()
    },
    onAuth({ username, password }, _, done) {
      passwords.push(password ?? '')
      if (rules.acceptLogin?.(username ?? '', password ?? '') ?? true) {
        done(null, { user: username })
      } else {
        done(refusal('535 authentication failed'))
      }
    },
    onRcptTo({ address }, _, done) {
      const refused = rules.refuseRecipient?.(address) ?? null
      done(refused === null ? null : refusal(refused))
    },
    onData(stream, session, done) {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const refused = rules.refuseData?.(to) ?? null
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (refused === 'drop') {
          for (const connection of server.connections) {
            connection.close()
          }
        }
      })
      stream.on('end', () => {
        if (refused === 'drop') {
          return
        }
        if (refused !== null && refused !== 'hang') {
          done(refusal(refused))
          return
        }
        const { mailFrom } = session.envelope
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to,
          raw: Buffer.concat(chunks),
          connection: session.id,
          isEncrypted: session.secure,
        })
        if (refused === null) {
          setTimeout(done, rules.acceptAfterMs ?? 0)
        }
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return {
    port: (server.server.address() as AddressInfo).port,
    rules,
    received,
    passwords,
    connections: () => connections,
    stop: () => new Promise((stopped) => server.close(() => stopped())),
  }
}

function refusal(text: string): Error {
  const [code = '', ...words] = text.split(' ')
  return Object.assign(new Error(words.join(' ')), { responseCode: Number(code) })
}
