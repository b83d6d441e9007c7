import { withDataSet } from './data-set.ts'
import {
  computeQuotient,
  createRunner,
  createSamples,
  listCases,
  nameCase,
  type Quotient,
  runClosedLoop,
  summarizeSamples,
} from './loop.ts'
import { findListener } from './process.ts'
import { startServer } from './servers.ts'
import { type Columns, formatTable, startProgress } from './table.ts'

/** A case on this checkout and on the other: the p50, and the CPU time of the server per request, in ms. */
type Comparison = { name: string; time: Compared; cpu: Compared }

type Compared = { own: number; other: number; quotient: Quotient }

/**
 * Measures the cases of some scenarios, or of all, on two servers that alternate in short blocks, with one
 * connection. `other` is the address that `--serve` of another checkout printed: its user name and password are
 * the API keys of the developer and of the bot there. Both must have generated a tracker of the same size.
 */
export async function compareServers(
  other: URL,
  { bugs, seconds, only }: { bugs: number; seconds: number; only?: string | undefined },
): Promise<string> {
  const comparisons = await withDataSet(bugs, async (data) => {
    const own = await startServer(data.folder)
    const keys = { developer: other.username, bot: other.password }
    const there = { origin: other.origin, pid: findListener(other.origin) }
    const cases = listCases(data, only)
    // a checkout from before the password was printed
    const chosen = cases.filter(({ scenario }) => {
      return keys.bot !== '' || scenario.request(data.landmarks, 0).event === undefined
    })
    const left = cases.filter((one) => !chosen.includes(one)).map(nameCase)
    const notice = `Left out, because the URL has no key of a code host: ${left.join('; ')}\n`
    process.stderr.write(left.length > 0 ? notice : '')
    const all: Comparison[] = []
    try {
      for (const one of chosen) {
        const bar = startProgress(nameCase(one))
        const runners = [createRunner(one, own, data), createRunner(one, there, { ...data, keys })]
        const samples = await runClosedLoop(runners, { connections: 1, seconds })
        const [ours = createSamples(), theirs = createSamples()] = samples
        bar.end()
        all.push({
          name: nameCase(one),
          time: {
            own: summarizeSamples(ours).p50,
            other: summarizeSamples(theirs).p50,
            quotient: computeQuotient(ours.blocks, theirs.blocks),
          },
          cpu: {
            own: computeMean(ours.cpu),
            other: computeMean(theirs.cpu),
            quotient: computeQuotient(ours.cpu, theirs.cpu),
          },
        })
        process.stderr.write(`${formatTable(all.slice(-1), COLUMNS)}\n`)
      }
    } finally {
      await own.stop()
    }
    return all
  })
  return formatTable(comparisons, COLUMNS)
}

const COLUMNS: Columns<Comparison> = {
  scenario: ({ name }) => name,
  'p50 here, ms': ({ time }) => known(time.own),
  there: ({ time }) => known(time.other),
  quotient: ({ time }) => formatQuotient(time.quotient),
  'CPU here, ms': ({ cpu }) => known(cpu.own),
  'CPU there': ({ cpu }) => known(cpu.other),
  'CPU quotient': ({ cpu }) => formatQuotient(cpu.quotient),
}

/** Null for what the system does not count. */
function known(figure: number): number | null {
  return Number.isNaN(figure) ? null : figure
}

function formatQuotient({ median, error }: Quotient): string {
  return Number.isNaN(error) ? '–' : `${median.toFixed(3)} ± ${error.toFixed(3)}`
}

function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
