import { join } from 'node:path'
import {
  expectEqual,
  expectText,
  fileBug,
  findFreePort,
  KEY,
  send,
  startProcess,
  waitUntil,
  within,
} from './server.ts'
import type { Trial } from './trial.ts'

/** What a user sees who types the commands of the README, or nearly so. */
export const commandTrials: Trial[] = [
  {
    title: 'npm start takes a flag without --, says where it is first, and logs no debugging',
    isLong: true,
    async run(folder) {
      const port = await findFreePort()
      const state = join(folder, 'state')
      const server = startProcess(
        'npm',
        ['start', '--port', String(port), '--', '--persist-to', state],
        {
          ADMIN_API_KEY: KEY,
        },
      )
      await waitUntil(
        'the server is ready',
        () => server.printed().includes('Documentation') || !server.isRunning(),
      )
      const lines = server.printed().split('\n')
      const first = lines.findIndex((line) => line.startsWith('Lacewing'))
      expectText(lines[first] ?? '', `http://127.0.0.1:${port}`)
      expectText(lines[first + 1] ?? '', /^Data +.*state/)
      expectText(lines[first + 2] ?? '', /^Sign in +admin@example\.com/)
      expectText(server.printed(), /^Documentation +http.*\/docs$/m)
      expectEqual('status of a new bug', (await fileBug(port)).status, 200)
      // the queue delivers within a second or two
      await new Promise((wake) => setTimeout(wake, 3000))
      expectEqual('version', typeof (await send(port, 'version')).body.version, 'string')
      expectEqual('debugging', server.printed().includes('"level":"debug"'), false)
      server.kill('SIGTERM')
      await within(server.ended)
    },
  },
  {
    title: 'npm start explains several flags without --',
    async run(folder) {
      const state = join(folder, 'state')
      const server = startProcess('npm', ['start', '--port', '0', '--persist-to', state], {})
      expectEqual('exit code', await within(server.ended), 2)
      expectText(server.printed(), 'write -- before the flags')
    },
  },
]
