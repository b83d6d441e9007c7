import { type Case, createRunner, listCases } from './cases.ts'
import {
  computeQuotient,
  createSamples,
  type Quotient,
  runClosedLoop,
  type Samples,
  summarizeSamples,
} from './closed-loop.ts'
import type { DataSet } from './data-set.ts'
import { findListener } from './process/process-cpu.ts'
import { startProgress } from './report/progress.ts'
import { formatTable } from './report/table.ts'

/** A case on this checkout and on the other. */
export type Comparison = {
  scenario: string
  who: Case['who']
  /** The p50 in ms. */
  time: Compared
  /** CPU time of the server per request in ms; null where the system does not count it. */
  cpu: Compared | null
}

type Compared = { own: number; other: number; quotient: Quotient }

/**
 * Measures the cases of some scenarios, or of all, on two servers that alternate in short blocks, with one
 * connection. `other` is the address that `--serve` of another checkout printed: its user name is an API
 * key there. Both must have generated a tracker of the same size.
 */
export async function compareServers(
  { origin, data }: { origin: string; data: DataSet },
  other: URL,
  seconds: number,
  only?: string,
): Promise<Comparison[]> {
  const otherData = { ...data, apiKey: other.username }
  const otherCases = listCases(otherData, only)
  const [pid, otherPid] = [findListener(origin), findListener(other.origin)]
  const comparisons: Comparison[] = []
  for (const [n, own] of listCases(data, only).entries()) {
    const bar = startProgress(`${own.scenario.name}, ${own.who}`)
    const samples = await runClosedLoop(
      [
        createRunner(own, origin, data, pid),
        createRunner(otherCases[n] ?? own, other.origin, otherData, otherPid),
      ],
      { connections: 1, seconds },
    )
    bar.end()
    const [ours = createSamples(), theirs = createSamples()] = samples
    const comparison = {
      scenario: own.scenario.name,
      who: own.who,
      time: {
        own: summarizeSamples(ours).p50,
        other: summarizeSamples(theirs).p50,
        quotient: computeQuotient(ours.blocks, theirs.blocks),
      },
      cpu: compareCpu(ours, theirs),
    }
    comparisons.push(comparison)
    process.stderr.write(`  ${formatCells(comparison).slice(1).join('  ')}\n`)
  }
  return comparisons
}

function compareCpu({ cpu: own }: Samples, { cpu: other }: Samples): Compared | null {
  if (own.length === 0 || other.length === 0) {
    return null
  }
  const quotient = computeQuotient(own, other)
  return { own: computeMean(own), other: computeMean(other), quotient }
}

function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The comparisons as a table of text. */
export function formatComparisons(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(formatCells)
  const heads = ['p50 here, ms', 'there', 'quotient', 'CPU here, ms', 'there', 'quotient']
  return formatTable(['scenario', ...heads], rows)
}

function formatCells({ scenario, who, time, cpu }: Comparison): string[] {
  return [`${scenario}, ${who}`, ...formatCompared(time), ...formatCompared(cpu)]
}

function formatCompared(compared: Compared | null): string[] {
  if (compared === null) {
    return ['–', '–', '–']
  }
  const { own, other, quotient } = compared
  const { median, error } = quotient
  return [own.toFixed(2), other.toFixed(2), `${median.toFixed(3)} ± ${error.toFixed(3)}`]
}
