import { Cron } from 'croner'
import type { LocalServer } from './server.ts'

const MINUTE_MS = 60_000

/** The cron whose runs see to what a crash left behind. */
export const EVERY_MINUTE = '* * * * *'

/**
 * Runs the scheduled handler of the Worker when a cron of wrangler.toml is due, in UTC, until the returned
 * function is called; that of every minute also at once. A failed run is logged. Crons must name weekdays: Sunday is 1
 * for Cloudflare, 0 here.
 */
export function scheduleCrons({
  miniflare,
  crons,
}: Pick<LocalServer, 'miniflare' | 'crons'>): () => void {
  const jobs = crons.map(
    (cron) =>
      new Cron(cron, { timezone: 'UTC' }, async (job: Cron) => {
        try {
          const scheduledTime = new Date(Math.round(Date.now() / MINUTE_MS) * MINUTE_MS)
          // one of a runtime that has been killed reaches nothing
          const worker = await miniflare.getWorker()
          const { outcome } = await worker.scheduled({ cron, scheduledTime })
          if (outcome !== 'ok') {
            process.stderr.write(`The scheduled run of "${cron}" ended with: ${outcome}\n`)
          }
        } catch (error) {
          // the next start makes up for a run that ends with the runtime
          if (!job.isStopped()) {
            process.stderr.write(`The scheduled run of "${cron}" failed: ${error}\n`)
          }
        }
      }),
  )
  void jobs[crons.indexOf(EVERY_MINUTE)]?.trigger()
  return () => {
    for (const job of jobs) {
      job.stop()
    }
  }
}
