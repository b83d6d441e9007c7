import { type DataSet, deleteDataSet, prepareDataSet } from './data-set.ts'
import { quantile } from './quantile.ts'
import { formatTable } from './report/table.ts'
import { startServer } from './server.ts'

/** Searches that no index serves and that find too little to end early. */
const SCANS = [
  'longdesc=zq&longdesc_type=substring',
  'f1=longdesc&o1=notsubstring&v1=e',
  'f1=longdesc&o1=regexp&v1=zq[0-9]',
]
const SEARCHERS = 8
const BYSTANDER_PAUSE_MS = 10
/** Milliseconds that the p99 of reading a bug may take meanwhile. */
const MAX_P99 = 1000

/**
 * Measures how long GET bug takes alone and beside eight clients that run scanning searches all the time. Returns
 * a table, and whether the p99 is within its limit.
 */
export async function measureScans(
  bugs: number,
  seconds: number,
): Promise<{ table: string; isMet: boolean }> {
  const data = await prepareDataSet(bugs)
  const server = await startServer(data.folder)
  try {
    const alone = await readBug(server.origin, data, seconds)
    const search = startSearches(server.origin, data)
    const beside = await readBug(server.origin, data, seconds)
    const scans = await search.stop()
    const rows = [
      ['alone', alone],
      ['beside eight scans', beside],
    ] as const
    const table = formatTable(
      ['GET bug', 'requests', 'p50 ms', 'p99 ms'],
      rows.map(([name, times]) => [
        name,
        `${times.length}`,
        quantile(times, 0.5).toFixed(1),
        quantile(times, 0.99).toFixed(1),
      ]),
    )
    const duration = `${quantile(scans, 0.5).toFixed(0)} ms (p50), ${quantile(scans, 1).toFixed(0)} ms at most`
    return {
      table: `${table}\n\n${scans.length} scans, each ${duration}`,
      isMet: quantile(beside, 0.99) <= MAX_P99,
    }
  } finally {
    await server.stop()
    deleteDataSet(data)
  }
}

async function readBug(origin: string, data: DataSet, seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    times.push(await timeRequest(`${origin}/rest/bug/${data.landmarks.bug}`, data, [200]))
    await new Promise((resolve) => setTimeout(resolve, BYSTANDER_PAUSE_MS))
  }
  return times
}

/** Each client begins a search when its last has ended, until it is told to stop; returns their times. */
function startSearches(origin: string, data: DataSet): { stop(): Promise<number[]> } {
  const times: number[] = []
  let isDone = false
  const searchers = Array.from({ length: SEARCHERS }, async (_, n) => {
    while (!isDone) {
      const query = SCANS[(n + times.length) % SCANS.length]
      // a scan may end in the refusal of what would take too long
      times.push(await timeRequest(`${origin}/rest/bug?limit=20&${query}`, data, [200, 400]))
    }
  })
  return {
    async stop() {
      isDone = true
      await Promise.all(searchers)
      return times
    },
  }
}

async function timeRequest(
  url: string,
  { apiKey }: DataSet,
  statuses: readonly number[],
): Promise<number> {
  const started = performance.now()
  const answer = await fetch(url, { headers: { 'x-tracker-api-key': apiKey } })
  const text = await answer.text()
  if (!statuses.includes(answer.status)) {
    throw new Error(`${url} answers ${answer.status}: ${text.slice(0, 200)}`)
  }
  return performance.now() - started
}
