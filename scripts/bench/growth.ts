import { openDatabase, withServer } from './data-set.ts'
import { listGrowthSearches } from './growth-searches.ts'
import { listCases, measureCost, type Runner } from './loop.ts'
import { identify } from './measure.ts'
import { readCpuTime, waitUntilIdle } from './process.ts'
import { startInspectedServer } from './servers.ts'
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
export async function measureGrowth(sizes: readonly number[], only = ''): Promise<Growth[]> {
  const growth: Growth[] = []
  for (const bugs of sizes) {
    await withServer(bugs, startInspectedServer, async (inspected, data) => {
      const bar = startProgress(`requests at ${bugs.toLocaleString('en')} bugs`)
      const headers = { authorization: `Bearer ${data.keys.developer}` }
      const database = openDatabase(data.folder)
      const searches = listGrowthSearches(database, data.landmarks)
      database.close()
      const cases = listCases(data, inspected).filter(({ who }) => who !== 'anyone')
      const all = [
        ...searches.map(({ name, path, changes }) => ({
          ...{ name, changes },
          next: () => ({ method: 'GET', path, headers }) as const,
        })),
        ...cases.map(({ scenario, next }) => ({ name: scenario.name, changes: 0, next })),
      ]
      await identify(inspected, data)
      for (const { name, changes, next } of all.filter((one) => one.name.includes(only))) {
        const { read, cpu, refusal } = await measureRequest({ ...inspected, next })
        const least =
          growth.find((row) => row.scenario === name && row.refusal === null)?.read ?? read
        const listed = LISTED_ROWS + changes * ROWS_OF_CHANGE
        const grows = read > Math.max(least * TOLERANCE, listed)
        growth.push({ scenario: name, bugs, read, cpu, refusal, grows })
        bar.update(name)
      }
      bar.end()
    })
  }
  return growth
}

/** The rows of one request, and the CPU time of some more. NaN, and the reason, where the service refuses it. */
export async function measureRequest(runner: Pick<Runner, 'origin' | 'pid' | 'next'>) {
  try {
    const { read, written } = await measureCost(runner)
    await waitUntilIdle(runner.pid)
    const before = readCpuTime(runner.pid)
    const started = performance.now()
    let sent = 0
    while (sent < REPEATS && performance.now() - started < MOST_MS) {
      await measureCost(runner)
      sent += 1
    }
    return { read, written, cpu: (readCpuTime(runner.pid) - before) / sent, refusal: null }
  } catch (error) {
    if (error instanceof Error && / 400 /.test(error.message)) {
      const none = Number.NaN
      return { read: none, written: none, cpu: none, refusal: error.message }
    }
    throw error
  }
}
