import { closedLoop, type Target } from './closed-loop.ts'
import { dataSet, discard } from './data-set.ts'
import { costOf } from './measure.ts'
import { progress } from './progress.ts'
import { SCENARIOS } from './scenarios.ts'
import { serve } from './serve.ts'

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
    const server = await serve(data.folder)
    const target: Target = {
      origin: server.origin,
      headers: { authorization: `Bearer ${data.apiKey}` },
    }
    const bar = progress(`reads at ${bugs.toLocaleString('en')} bugs`)
    for (const { name, request } of SCENARIOS) {
      if (request(data.at, 0).method === 'GET') {
        const next = () => request(data.at, 1)
        const { p50 } = await closedLoop(target, next, { connections: 1, seconds })
        const { read, bytes } = await costOf(target, next())
        const least = grown.find((row) => row.scenario === name)?.read ?? read
        grown.push({
          scenario: name,
          bugs,
          read,
          bytes,
          p50,
          grows: read > least * TOLERANCE,
        })
        bar.tell(name)
      }
    }
    bar.end()
    await server.stop()
    discard(data)
  }
  return grown
}
