import { createRunner, listCases } from './cases.ts'
import { createSamples, runClosedLoop, summarizeSamples } from './closed-loop.ts'
import { measureCaseCosts } from './costs.ts'
import { deleteDataSet, prepareDataSet } from './data-set.ts'
import { startProgress } from './progress.ts'
import { startInspectedServer, startServer } from './server.ts'

/** The cost of a read in a tracker with the given number of bugs. */
export type Growth = {
  scenario: string
  bugs: number
  read: number
  bytes: number
  p50: number
  /** Whether it reads clearly more rows than in the smallest tracker. */
  grows: boolean
}

export const SIZES = [1000, 10_000, 100_000]

/** Allows for differences between bugs that are drawn alike: some have one more person on CC. */
const TOLERANCE = 1.25

/** Measures the reads with an API key in a tracker of each size. */
export async function measureGrowth(seconds: number): Promise<Growth[]> {
  const growth: Growth[] = []
  for (const bugs of SIZES) {
    const data = await prepareDataSet(bugs)
    const bar = startProgress(`reads at ${bugs.toLocaleString('en')} bugs`)
    const reads = listCases(data).filter(({ who, writes }) => who === 'with a key' && !writes)
    const inspected = await startInspectedServer(data.folder, 'deployed')
    const costs = await measureCaseCosts(inspected.origin, data, reads)
    await inspected.stop()
    const server = await startServer(data.folder)
    for (const { cost, ...one } of costs) {
      const scenario = one.scenario.name
      const runner = createRunner(one, server.origin, data)
      const [samples = createSamples()] = await runClosedLoop([runner], { connections: 1, seconds })
      const { read, bytes } = cost
      const least = growth.find((row) => row.scenario === scenario)?.read ?? read
      const grows = read > least * TOLERANCE
      growth.push({ scenario, bugs, read, bytes, p50: summarizeSamples(samples).p50, grows })
      bar.update(scenario)
    }
    bar.end()
    await server.stop()
    deleteDataSet(data)
  }
  return growth
}
