import { Cron } from 'croner'
import type { LocalServer } from './server.ts'

const MINUTE_MS = 60_000

/**
 * Runs the scheduled handler of the Worker when a cron of wrangler.toml is due, in UTC, until the returned
 * function is called. A failed run is logged. Crons must name weekdays: Sunday is 1 for Cloudflare, 0 here.
 */
export async function scheduleCrons({ miniflare, crons }: LocalServer): Promise<() => void> {
  const worker = await miniflare.getWorker()
  const jobs = crons.map(
    (cron) =>
      new Cron(cron, { timezone: 'UTC' }, async () => {
        try {
          const scheduledTime = new Date(Math.round(Date.now() / MINUTE_MS) * MINUTE_MS)
          const { outcome } = await worker.scheduled({ cron, scheduledTime })
          if (outcome !== 'ok') {
            process.stderr.write(`The scheduled run of "${cron}" ended with: ${outcome}\n`)
          }
        } catch (error) {
          process.stderr.write(`The scheduled run of "${cron}" failed: ${error}\n`)
        }
      }),
  )
  return () => {
    for (const job of jobs) {
      job.stop()
    }
  }
}
