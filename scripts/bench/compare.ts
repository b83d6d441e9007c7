import { withServer } from './data-set.ts'
import {
  computeQuotient,
  listCases,
  type Quotient,
  runClosedLoop,
  type Samples,
  summarizeSamples,
} from './loop.ts'
import { findListener } from './process.ts'
import { startServer } from './servers.ts'
import { type Columns, formatTable } from './table.ts'

/** The samples of a case on this checkout and on the other. */
type Comparison = { name: string; here: Samples; there: Samples }

/**
 * Measures the cases of some scenarios, or of all, on two servers that alternate in short blocks, with one
 * connection. `other` is the address that `--serve` of another checkout printed: its user name and password are
 * the API keys of the developer and of the bot there. Both must have generated a tracker of the same size.
 */
export function compareServers(
  other: URL,
  { bugs, seconds, only }: { bugs: number; seconds: number; only?: string | undefined },
): Promise<string> {
  return withServer(bugs, startServer, async (server, data) => {
    const keys = { developer: other.username, bot: other.password }
    const elsewhere = { origin: other.origin, pid: findListener(other.origin) }
    const cases = listCases({ ...data, keys }, elsewhere, only)
    const comparisons: Comparison[] = []
    for (const [n, own] of listCases(data, server, only).entries()) {
      // an older checkout does not print the key of the bot
      if (keys.bot === '' && own.scenario.request(data.landmarks, 0).event !== undefined) {
        process.stderr.write(`${own.name}: left out, because the URL has no password\n`)
        continue
      }
      const runners = [own, cases[n] ?? own]
      const [here, there] = await runClosedLoop(runners, { connections: 1, seconds })
      if (here !== undefined && there !== undefined) {
        comparisons.push({ name: own.name, here, there })
      }
      process.stderr.write(`${formatTable(comparisons.slice(-1), COLUMNS)}\n`)
    }
    return formatTable(comparisons, COLUMNS)
  })
}

/** The p50, and the CPU time of the server per request. */
const COLUMNS: Columns<Comparison> = {
  scenario: ({ name }) => name,
  'p50 here, ms': ({ here }) => summarizeSamples(here).p50,
  there: ({ there }) => summarizeSamples(there).p50,
  quotient: ({ here, there }) => formatQuotient(computeQuotient(here.blocks, there.blocks)),
  'CPU here, ms': ({ here }) => computeMean(here.cpu),
  'CPU there': ({ there }) => computeMean(there.cpu),
  'CPU quotient': ({ here, there }) => formatQuotient(computeQuotient(here.cpu, there.cpu)),
}

function formatQuotient({ median, error }: Quotient): string {
  return Number.isNaN(error) ? '–' : `${median.toFixed(3)} ± ${error.toFixed(3)}`
}

function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
