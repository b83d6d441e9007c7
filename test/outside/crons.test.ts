import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { convertV4MiniflareOptions, Miniflare, Response } from 'miniflare'
import { expect, test } from 'vitest'
import { scheduleCrons } from '../../scripts/local/crons.ts'

const EACH_SECOND = '* * * * * *'

test('the schedule goes on in the runtime that replaces a killed one', async () => {
  const runs = new EventEmitter()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: `export default { scheduled: (_, { TELL }) => TELL.fetch('http://tell') }`,
      serviceBindings: {
        TELL: () => {
          runs.emit('run')
          return new Response()
        },
      },
    }),
  )
  await miniflare.ready
  const stop = scheduleCrons({ miniflare, crons: [EACH_SECOND] })
  await once(runs, 'run')
  killRuntime()
  expect(await once(runs, 'run')).toEqual([])
  stop()
  await miniflare.dispose()
})

/** The only runtime that this process has started. */
function killRuntime(): void {
  execFileSync('pkill', ['-KILL', '-P', String(process.pid), 'workerd'])
}
