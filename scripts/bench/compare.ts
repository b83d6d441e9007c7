import { withServer } from './data-set.ts'
import { listCases, runClosedLoop, type Samples, summarizeSamples } from './loop.ts'
import { findListener } from './process.ts'
import { computeQuotient, sum } from './statistics.ts'
import { type Columns, formatTable } from './table.ts'

/** The samples of a case on this checkout and on the other. */
type Comparison = { name: string; here: Samples; there: Samples }

/** Serves a tracker until the process is told to end. The URL carries the keys of its developer and its bot. */
export function serveDataSet(bugs: number): Promise<void> {
  return withServer(bugs, {}, async ({ origin }, { keys }) => {
    const url = Object.assign(new URL(origin), { username: keys.developer, password: keys.bot })
    process.stdout.write(`${url}\n`)
    await new Promise((resolve) => {
      process.once('SIGINT', resolve)
      process.once('SIGTERM', resolve)
    })
  })
}

/**
 * Measures the cases of some scenarios, or of all, on two servers that alternate in short blocks, with one
 * connection. `other` is the address that `--serve` of another checkout printed: its user name and password are
 * the API keys of the developer and of the bot there. Both must have generated a tracker of the same size.
 */
export function compareServers(
  other: URL,
  { bugs, seconds, only }: { bugs: number; seconds: number; only: string },
): Promise<void> {
  return withServer(bugs, {}, async (server, data) => {
    const keys = { developer: other.username, bot: other.password }
    const elsewhere = { origin: other.origin, pid: findListener(other.origin) }
    const cases = listCases({ ...data, keys }, elsewhere, only)
    const comparisons: Comparison[] = []
    for (const [n, own] of listCases(data, server, only).entries()) {
      const runners = [own, cases[n] ?? own]
      const [here, there] = await runClosedLoop(runners, { connections: 1, seconds })
      if (here !== undefined && there !== undefined) {
        comparisons.push({ name: own.name, here, there })
      }
      process.stderr.write(`${formatTable(comparisons.slice(-1), COLUMNS)}\n`)
    }
    process.stdout.write(`\n${formatTable(comparisons, COLUMNS)}\n`)
  })
}

/** The p50, and the CPU time of the server per request. */
const COLUMNS: Columns<Comparison> = {
  scenario: ({ name }) => name,
  'p50 here, ms': ({ here }) => summarizeSamples(here).p50,
  there: ({ there }) => summarizeSamples(there).p50,
  quotient: ({ here, there }) => formatQuotient(here.blocks, there.blocks),
  'CPU here, ms': ({ here }) => sum(here.cpu) / here.cpu.length,
  'CPU there': ({ there }) => sum(there.cpu) / there.cpu.length,
  'CPU quotient': ({ here, there }) => formatQuotient(here.cpu, there.cpu),
}

function formatQuotient(here: readonly number[], there: readonly number[]): string {
  const { median, error } = computeQuotient(here, there)
  return Number.isNaN(error) ? '–' : `${median.toFixed(3)} ± ${error.toFixed(3)}`
}
