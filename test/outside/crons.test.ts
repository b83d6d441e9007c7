import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { convertV4MiniflareOptions, Miniflare, Response } from 'miniflare'
import { expect, test, vi } from 'vitest'
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

test('a run that the end of the server cuts off is no failure to report', async () => {
  const begun = new EventEmitter()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: `export default { scheduled: (_, { HANG }) => HANG.fetch('http://hang') }`,
      serviceBindings: {
        HANG: () => {
          begun.emit('run')
          return new Promise<Response>(() => {})
        },
      },
    }),
  )
  await miniflare.ready
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const stop = scheduleCrons({ miniflare, crons: [EACH_SECOND] })
  await once(begun, 'run')
  stop()
  await miniflare.dispose()
  // the failure of the call arrives behind the end of the runtime
  await new Promise((resolve) => setImmediate(resolve))
  expect(written.mock.calls.flat().filter((text) => String(text).includes('scheduled'))).toEqual([])
  written.mockRestore()
})

/** The only runtime that this process has started. */
function killRuntime(): void {
  execFileSync('pkill', ['-KILL', '-P', String(process.pid), 'workerd'])
}
