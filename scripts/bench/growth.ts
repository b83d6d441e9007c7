import { createRunner, listCases } from './cases.ts'
import { createSamples, runClosedLoop, summarizeSamples } from './closed-loop.ts'
import { measureCaseCosts } from './costs.ts'
import { measureCriteria } from './criteria.ts'
import { deleteDataSet, prepareDataSet } from './data-set.ts'
import { startProgress } from './report/progress.ts'
import { startInspectedServer, startServer } from './server.ts'

/** The cost of a read in a tracker with the given number of bugs. */
export type Growth = {
  scenario: string
  bugs: number
  read: number
  bytes: number
  /** Null for what is not timed. */
  p50: number | null
  /** Whether it reads clearly more rows than in the smallest tracker, lists of candidates apart. */
  grows: boolean
}

export const SIZES = [1000, 10_000, 100_000]

/** Allows for differences between bugs that are drawn alike: some have one more person on CC. */
const TOLERANCE = 1.25
/**
 * Two lists of up to 2,000 candidates may be read and counted for a page, before a walk through bugs: with fewer
 * matches, rows grow up to here.
 */
const LISTED_ROWS = 10_000

/** Measures the reads with an API key in a tracker of each size, and the rows of searches by each criterion. */
export async function measureGrowth(seconds: number, only?: string): Promise<Growth[]> {
  const growth: Growth[] = []
  for (const bugs of SIZES) {
    const data = await prepareDataSet(bugs)
    const bar = startProgress(`reads at ${bugs.toLocaleString('en')} bugs`)
    const reads = listCases(data, only).filter(({ who, writes }) => who === 'with a key' && !writes)
    const inspected = await startInspectedServer(data.folder, 'deployed')
    const costs = await measureCaseCosts(inspected.origin, data, reads)
    const criteria = await measureCriteria(inspected.origin, data, only)
    await inspected.stop()
    growth.push(
      ...criteria.map(({ name, read, bytes }) => ({
        ...{ scenario: name, bugs, read, bytes, p50: null },
        grows: hasGrown(growth, name, read),
      })),
    )
    const server = await startServer(data.folder)
    for (const { cost, ...one } of costs) {
      const scenario = one.scenario.name
      const runner = createRunner(one, server.origin, data)
      const [samples = createSamples()] = await runClosedLoop([runner], { connections: 1, seconds })
      const { read, bytes } = cost
      const grows = hasGrown(growth, scenario, read)
      growth.push({ scenario, bugs, read, bytes, p50: summarizeSamples(samples).p50, grows })
      bar.update(scenario)
    }
    bar.end()
    await server.stop()
    deleteDataSet(data)
  }
  return growth
}

/** Whether it reads clearly more rows than in the smallest tracker, and more than lists of candidates have. */
function hasGrown(growth: readonly Growth[], scenario: string, read: number): boolean {
  const least = growth.find((row) => row.scenario === scenario)?.read ?? read
  return read > Math.max(least * TOLERANCE, LISTED_ROWS)
}
