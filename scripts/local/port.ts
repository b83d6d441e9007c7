import { createServer } from 'node:net'
import { CommandError } from '../command.ts'
import { errorCode } from './file-errors.ts'

export type PortReservation = {
  /** Gives the port to whoever listens next. */
  release(): Promise<void>
}

/** Listens on an address until the runtime does. Throws a CommandError for one that cannot be used. */
export function reservePort(host: string, port: number): Promise<PortReservation> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((reserved, failed) => {
    server.once('error', (error) => failed(explainAddressError(error, host, port)))
    server.listen({ host, port, exclusive: true }, () => {
      reserved({ release: () => new Promise((released) => server.close(() => released())) })
    })
  })
}

const REMEDIES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use by another program: end it, or choose another port with --port.`,
  EACCES: (_, port) =>
    `Port ${port} may not be used by this user: choose one above 1023 with --port.`,
  EADDRNOTAVAIL: (host) => `This computer has no address ${host}: choose another one with --host.`,
  ENOTFOUND: (host) => `The host name ${host} is unknown: choose another one with --host.`,
  EAI_AGAIN: (host) => `The host name ${host} is unknown: choose another one with --host.`,
  EINVAL: (host) => `${host} is no address to listen on: choose another one with --host.`,
}

function explainAddressError(error: Error, host: string, port: number): Error {
  const describe = REMEDIES[errorCode(error)]
  return describe === undefined ? error : new CommandError(describe(host, port))
}
