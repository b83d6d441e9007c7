import { authorize, withDatabase, withServer } from './data-set.ts'
import { listGrowthSearches } from './growth-searches.ts'
import { listCases, type Runner } from './loop.ts'
import { readCpuTime, waitUntilIdle } from './process.ts'
import { askWell, get, REPORTS_COSTS } from './request.ts'
import { startProgress } from './table.ts'

/** The cost of a request in a tracker with the given number of bugs; NaN for one that is refused. */
export type Growth = {
  scenario: string
  bugs: number
  read: number
  /** Milliseconds of the CPU. */
  cpu: number
  /** Why the service refuses it. */
  refusal: string | null
  /** Whether it reads clearly more rows than in the smallest tracker, lists of candidates apart. */
  grows: boolean
}

/** Allows for differences between bugs that are drawn alike: some have one more person on CC. */
const TOLERANCE = 1.25
/**
 * Two lists of up to 2,000 candidates may be read and counted for a page, before a walk through bugs: with fewer
 * matches, rows grow up to here.
 */
const LISTED_ROWS = 10_000
/** What a change adds that is found, sorted and read. */
const ROWS_OF_CHANGE = 9

/** How often a request is sent to measure its CPU time, and milliseconds after which no more. */
const [REPEATS, MOST_MS] = [6, 3000]

/** Measures all scenarios with an API key, and searches by each criterion, in a tracker of each size. */
export async function measureGrowth(sizes: readonly number[], only: string): Promise<Growth[]> {
  const growth: Growth[] = []
  for (const bugs of sizes) {
    await withServer(bugs, { vars: REPORTS_COSTS }, async (server, data) => {
      const bar = startProgress(`requests at ${bugs.toLocaleString('en')} bugs`)
      const searches = await withDatabase(data.folder, (database) =>
        listGrowthSearches(database, data.landmarks),
      )
      const cases = listCases(data, server).filter(({ who }) => who !== 'anyone')
      const all = [
        ...searches.map(({ path, ...search }) => ({
          ...search,
          next: () => get(path, authorize(data)),
        })),
        ...cases.map(({ scenario, next }) => ({ name: scenario.name, changes: 0, next })),
      ]
      for (const { name, changes, next } of all.filter((one) => one.name.includes(only))) {
        const { read, cpu, refusal } = await measureRequest({ ...server, next })
        const earlier = growth.find((row) => row.scenario === name && row.refusal === null)
        const listed = LISTED_ROWS + changes * ROWS_OF_CHANGE
        const grows = read > Math.max((earlier?.read ?? read) * TOLERANCE, listed)
        growth.push({ scenario: name, bugs, read, cpu, refusal, grows })
        bar.update(name)
      }
      bar.end()
    })
  }
  return growth
}

/** The rows of one request, and the CPU time of some more. NaN, and the reason, where the service refuses it. */
export async function measureRequest({ origin, pid, next }: Runner) {
  try {
    const { cost } = await askWell(origin, next())
    await waitUntilIdle(pid)
    const before = readCpuTime(pid)
    const started = performance.now()
    let sent = 0
    while (sent < REPEATS && performance.now() - started < MOST_MS) {
      await askWell(origin, next())
      sent += 1
    }
    return { ...cost, cpu: (readCpuTime(pid) - before) / sent, refusal: null }
  } catch (error) {
    if (error instanceof Error && / 400 /.test(error.message)) {
      return { read: Number.NaN, written: Number.NaN, cpu: Number.NaN, refusal: error.message }
    }
    throw error
  }
}
