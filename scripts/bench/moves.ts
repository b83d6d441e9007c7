import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportTracker } from '../archive/export-parts.ts'
import { findMissingLines } from '../archive/first-start.ts'
import { withArchive } from '../archive/folder.ts'
import { importArchive } from '../archive/import-parts.ts'
import { type Tracker, withTracker } from '../archive/tracker.ts'
import { validateArchive } from '../archive/validate.ts'
import { timeOthers } from './bystander.ts'
import { withDataSet } from './data-set.ts'
import { findListener, readMemory } from './process.ts'
import { get, REPORTS_COSTS, readCost } from './request.ts'
import { startServer } from './servers.ts'
import { quantile } from './statistics.ts'
import { formatTable } from './table.ts'

/** MB of the runtime at most, and the milliseconds that others wait for a bug meanwhile, in 99 of 100 cases. */
type Move = {
  what: string
  seconds: number
  requests: number
  trips: number
  runtime: number
  p99: number
}

/** Measures how long a tracker takes out and in, and what that costs the tracker and others. */
export function measureMoves(bugs: number): Promise<void> {
  return withDataSet(bugs, async ({ folder }) => {
    const place = mkdtempSync(join(tmpdir(), 'moves-'))
    const [archive, fresh] = [join(place, 'archive'), join(place, 'state')]
    try {
      const out = await measure('export', folder, (tracker) =>
        exportTracker(tracker, archive, 'bench', { since: null, withCredentials: true }),
      )
      await (await startServer(fresh)).stop()
      const started = performance.now()
      const added = await findMissingLines(archive)
      const problems = await withArchive(archive, (one) => validateArchive(one, added))
      if (problems.length > 0) {
        throw new Error(`The archive is not sound: ${JSON.stringify(problems[0])}`)
      }
      const seconds = (performance.now() - started) / 1000
      const unknown = { requests: Number.NaN, trips: Number.NaN, runtime: Number.NaN }
      const check = { what: 'check', seconds, ...unknown, p99: Number.NaN }
      const moved = await measure('import', fresh, (tracker) =>
        withArchive(archive, (one) => importArchive(tracker, one, added)),
      )
      const table = formatTable([out, check, moved], {
        [`${bugs.toLocaleString('en')} bugs`]: ({ what }) => what,
        s: (move) => move.seconds,
        'requests for 1,000 bugs': ({ requests }) => (requests / bugs) * 1000,
        trips: ({ trips }) => (trips / bugs) * 1000,
        'MB of the runtime': ({ runtime }) => Math.round(runtime),
        'p99 of others, ms': ({ p99 }) => p99,
      })
      process.stdout.write(`\n${table}\n`)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
}

async function measure(
  what: string,
  persistTo: string,
  action: (tracker: Tracker) => Promise<unknown>,
): Promise<Move> {
  const form = { url: undefined, key: undefined, persistTo, vars: REPORTS_COSTS }
  return withTracker(form, async (tracker) => {
    let [requests, trips, seconds] = [0, 0, Number.NaN]
    const request: Tracker['request'] = async (...sent) => {
      const response = await tracker.request(...sent)
      requests += 1
      trips += readCost(response.headers).trips
      return response
    }
    const pid = findListener(tracker.url)
    const waits = await timeOthers(tracker.url, get('/rest/bug/1'), async () => {
      const started = performance.now()
      await action({ ...tracker, request })
      seconds = (performance.now() - started) / 1000
    })
    const runtime = readMemory(pid).peak
    return { what, seconds, requests, trips, runtime, p99: quantile(waits, 0.99) }
  })
}
