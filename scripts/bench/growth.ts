import { casesOf, runnerOf } from './cases.ts'
import { closedLoop, noSamples, timingOf } from './closed-loop.ts'
import { dataSet, discard } from './data-set.ts'
import { progress } from './progress.ts'
import { serve, serveWatched } from './serve.ts'
import { costsOf } from './weigh.ts'

/** What a read costs in a tracker of so many bugs. */
export type Growth = {
  scenario: string
  bugs: number
  read: number
  bytes: number
  p50: number
  /** Whether it reads noticeably more rows than in the smallest tracker. */
  grows: boolean
}

export const SIZES = [1000, 10_000, 100_000]

/** What differs between the bugs answered, though they are drawn alike: some have one more CC. */
const TOLERANCE = 1.25

/** The reads of the scenarios by somebody with a key, in trackers of each size. */
export async function measureGrowth(seconds: number): Promise<Growth[]> {
  const grown: Growth[] = []
  for (const bugs of SIZES) {
    const data = await dataSet(bugs)
    const bar = progress(`reads at ${bugs.toLocaleString('en')} bugs`)
    const reads = casesOf(data).filter(({ who, writes }) => who === 'with a key' && !writes)
    const teller = await serveWatched(data.folder, 'deployed')
    const costs = await costsOf(teller.origin, data, reads)
    await teller.stop()
    const server = await serve(data.folder)
    for (const { cost, ...one } of costs) {
      const scenario = one.scenario.name
      const runner = runnerOf(one, server.origin, data)
      const [samples = noSamples()] = await closedLoop([runner], { connections: 1, seconds })
      const { read, bytes } = cost
      const least = grown.find((row) => row.scenario === scenario)?.read ?? read
      const grows = read > least * TOLERANCE
      grown.push({ scenario, bugs, read, bytes, p50: timingOf(samples).p50, grows })
      bar.tell(scenario)
    }
    bar.end()
    await server.stop()
    discard(data)
  }
  return grown
}
