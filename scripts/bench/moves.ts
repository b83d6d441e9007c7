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
import { quantile } from './loop.ts'
import { findListener, readMemory } from './process.ts'
import { startServer } from './servers.ts'
import { formatTable } from './table.ts'

type Move = {
  what: string
  seconds: number
  requests: number
  trips: number
  /** MB of the runtime at most. */
  runtime: number
  /** Milliseconds that others wait for a bug meanwhile. */
  p99: number
}

/** Measures how long a tracker takes out and in, and what that costs the tracker and others. */
export function measureMoves(bugs: number): Promise<void> {
  return withDataSet(bugs, async ({ folder }) => {
    const place = mkdtempSync(join(tmpdir(), 'moves-'))
    const archive = join(place, 'archive')
    const fresh = join(place, 'state')
    try {
      const out = await measure('export', folder, (tracker) =>
        exportTracker(tracker, archive, 'bench', { since: null, withCredentials: true }),
      )
      await (await startServer(fresh)).stop()
      const checked = performance.now()
      const added = await findMissingLines(archive)
      await withArchive(archive, async (one) => {
        const problems = await validateArchive(one, added)
        if (problems.length > 0) {
          throw new Error(`The archive is not sound: ${JSON.stringify(problems[0])}`)
        }
      })
      const check = (performance.now() - checked) / 1000
      const moved = await measure('import', fresh, (tracker) =>
        withArchive(archive, (one) => importArchive(tracker, one, added)),
      )
      const nothing = { requests: Number.NaN, trips: Number.NaN, runtime: Number.NaN }
      const rows = [out, { what: 'check', seconds: check, ...nothing, p99: Number.NaN }, moved]
      process.stdout.write(`\n${describeMoves(rows, bugs)}\n`)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
}

function describeMoves(rows: readonly Move[], bugs: number): string {
  return formatTable(rows, {
    [`${bugs.toLocaleString('en')} bugs`]: ({ what }) => what,
    s: ({ seconds }) => seconds,
    'requests for 1,000 bugs': ({ requests }) => (requests / bugs) * 1000,
    trips: ({ trips }) => (trips / bugs) * 1000,
    'MB of the runtime': ({ runtime }) => Math.round(runtime),
    'p99 of others, ms': ({ p99 }) => p99,
  })
}

async function measure(
  what: string,
  persistTo: string,
  action: (tracker: Tracker) => Promise<unknown>,
): Promise<Move> {
  const vars = { SERVER_TIMING: 'on' }
  return withTracker({ url: undefined, key: undefined, persistTo, vars }, async (tracker) => {
    const counted = { requests: 0, trips: 0 }
    const counting: Tracker = {
      ...tracker,
      async request(...sent) {
        const response = await tracker.request(...sent)
        const timing = response.headers.get('server-timing') ?? ''
        counted.requests += 1
        counted.trips += Number(/(\d+) trips/.exec(timing)?.[1] ?? 0)
        return response
      },
    }
    const pid = findListener(tracker.url)
    let seconds = Number.NaN
    const waits = await timeOthers(`${tracker.url}/rest/bug/1`, {}, async () => {
      const started = performance.now()
      await action(counting)
      seconds = (performance.now() - started) / 1000
    })
    const runtime = readMemory(pid).peak
    return { what, seconds, ...counted, runtime, p99: quantile(waits, 0.99) }
  })
}
