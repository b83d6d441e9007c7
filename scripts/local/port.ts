import { createServer } from 'node:net'
import { CommandError } from '../command.ts'
import { errorCode } from './file-errors.ts'

/**
 * Listens on an address for a moment, because the runtime tells too late that it cannot. Throws a CommandError
 * for an address that cannot be used.
 */
export function assertUsableAddress(host: string, port: number): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((usable, failed) => {
    server.once('error', (error) => failed(explainAddressError(error, host, port)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => usable()))
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
