import { type Case, createRunner, listCases } from './cases.ts'
import { computeMultiple, createSamples, runClosedLoop, summarizeSamples } from './closed-loop.ts'
import type { DataSet } from './data-set.ts'
import { startProgress } from './progress.ts'
import { formatTable } from './table.ts'

/** A case on this checkout and on the other: p50 in ms, and the quotient of the two. */
export type Comparison = {
  scenario: string
  who: Case['who']
  own: number
  other: number
  /** The median over pairs of blocks that ran within the same half second. */
  quotient: number
}

/**
 * Measures every case on two servers that alternate in short blocks, with one connection. `other` is the
 * address that `--serve` of another checkout printed: its user name is an API key there. Both must have
 * generated a tracker of the same size.
 */
export async function compareServers(
  origin: string,
  data: DataSet,
  other: URL,
  seconds: number,
): Promise<Comparison[]> {
  const otherData = { ...data, apiKey: other.username }
  const otherCases = listCases(otherData)
  const comparisons: Comparison[] = []
  for (const [n, own] of listCases(data).entries()) {
    const bar = startProgress(`${own.scenario.name}, ${own.who}`)
    const samples = await runClosedLoop(
      [
        createRunner(own, origin, data),
        createRunner(otherCases[n] ?? own, other.origin, otherData),
      ],
      { connections: 1, seconds },
    )
    bar.end()
    const [ours = createSamples(), theirs = createSamples()] = samples
    comparisons.push({
      scenario: own.scenario.name,
      who: own.who,
      own: summarizeSamples(ours).p50,
      other: summarizeSamples(theirs).p50,
      quotient: computeMultiple(ours, theirs),
    })
  }
  return comparisons
}

/** The comparisons as a table of text. */
export function formatComparisons(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ scenario, who, own, other, quotient }) => [
    `${scenario}, ${who}`,
    own.toFixed(2),
    other.toFixed(2),
    quotient.toFixed(3),
  ])
  return formatTable(['scenario', 'here, ms', 'there, ms', 'here / there'], rows)
}
