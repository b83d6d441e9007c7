/**
 * The process that runs Miniflare for `npm start`. It does what `host-process.ts` tells it over the channel
 * between them, and ends with that channel: when the command is killed, nothing of it goes on.
 */

import type { AdministratorChoice } from '../administrator/first-administrator.ts'
import { CommandError, formatError, outliveReaders } from '../command.ts'
import { scheduleCrons } from './crons.ts'
import { NO_RATE_LIMITS } from './no-rate-limits.ts'
import { type LocalOptions, startLocalServer } from './server.ts'

/** `vars` come before the environment of the process. */
export type HostOptions = Omit<
  LocalOptions,
  'vars' | 'localVars' | 'onCreated' | 'onLost' | 'inspectorPort'
> & {
  vars?: Record<string, string>
}

export type HostMessage =
  | { event: 'created'; administrator: AdministratorChoice }
  | { event: 'ready'; url: string; baseUrl: string; administrators: string[] }
  | { event: 'failed'; message: string }

let stopServer: (() => Promise<void>) | null = null

outliveReaders()
process.once('disconnect', () => {
  // no answer can be sent any more; the runtime ends with this process
  process.exit(1)
})
process.on('message', (message: 'stop' | HostOptions) => {
  if (message === 'stop') {
    void stop()
  } else {
    void start(message)
  }
})

async function start(options: HostOptions): Promise<void> {
  try {
    const server = await startLocalServer({
      ...options,
      checksLater: true,
      vars: { ...process.env, ...options.vars },
      // any client could send the header of the platform
      localVars: { CLIENT_ADDRESS_HEADER: '', ...NO_RATE_LIMITS },
      onCreated: (administrator) => report({ event: 'created', administrator }),
      onLost: () => process.exit(1),
    })
    const { url, baseUrl, administrators } = server
    report({ event: 'ready', url: url.origin, baseUrl, administrators })
    const stopCrons = scheduleCrons(server)
    stopServer = () => {
      stopCrons()
      return server.stop()
    }
  } catch (error) {
    const message = error instanceof CommandError ? error.message : formatError(error)
    report({ event: 'failed', message })
    process.exitCode = 1
    process.disconnect()
  }
}

async function stop(): Promise<void> {
  await stopServer?.()
  process.exit(0)
}

function report(message: HostMessage): void {
  process.send?.(message)
}
