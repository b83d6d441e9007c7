import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withServer } from './data-set.ts'
import { computeSelfTimes } from './inspector.ts'
import { listCases, runClosedLoop } from './loop.ts'
import { formatTable } from './table.ts'

const SHOWN = 30

/** Runs one scenario under the profiler, prints the self times and writes the profile. */
export function profileScenario(
  name: string,
  { bugs, seconds, out }: { bugs: number; seconds: number; out: string },
): Promise<void> {
  return withServer(bugs, { minified: false, isInspected: true }, async (server, data) => {
    const found = listCases(data, server).filter(({ scenario }) => scenario.name === name)
    const runners = found.slice(-1)
    const inspector = await server.inspect()
    await runClosedLoop(runners, { connections: 1, seconds: 1 })
    const run = () => runClosedLoop(runners, { connections: 1, seconds })
    const profile = await inspector.profile(run)
    const file = join(out, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`)
    mkdirSync(out, { recursive: true })
    writeFileSync(file, JSON.stringify(profile))
    const table = formatTable(computeSelfTimes(profile).slice(0, SHOWN), {
      function: ({ place }) => place,
      ms: ({ ms }) => Math.round(ms),
      '%': ({ share }) => share * 100,
    })
    process.stdout.write(`${table}\n\nWritten to ${file}\n`)
  })
}
