import { CommandError } from '../command.ts'
import { createRandom } from '../generator/random.ts'
import { withServer } from './data-set.ts'
import { drawSearch } from './draw-search.ts'
import { quantile } from './loop.ts'
import { readCpuTime } from './process.ts'
import { startServer } from './servers.ts'
import { type Columns, countEach, formatTable } from './table.ts'

/** What no search may exceed: milliseconds of CPU time, and of a statement; five rows for each of 200,000 bugs. */
const MOST = { cpu: 1000, statement: 300, rows: 1_000_000 }
/** Found, refused as too costly, as unreadable or too large, for a field or a person that is none. */
const EXPECTED = ['200', '1001', '32000', '108', '304', '1000', '51', '53', '5', '52']
const SHOWN = 10

type Drawn = {
  readonly seed: number
  readonly query: string
  readonly answer: string
  readonly cpu: number
  readonly statement: number
  readonly rows: number
  readonly allRows: number
}

/**
 * Sends drawn searches one after another, half of them without credentials. Prints the costliest; throws a CommandError
 * with those that exceed what a search may cost, or are answered with an error.
 */
export async function measureDraws(bugs: number, count: number, first: number): Promise<void> {
  const startTiming = (folder: string) => startServer(folder, { vars: { SERVER_TIMING: 'on' } })
  const drawn = await withServer(bugs, startTiming, async ({ origin, pid }, { keys }) => {
    const all: Drawn[] = []
    for (let seed = first; seed < first + count; seed += 1) {
      const query = `${drawSearch(createRandom(seed, 7))}`
      const headers = { 'x-tracker-api-key': keys.developer, 'content-type': 'application/json' }
      const body = JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'Bug.search' },
        params: Object.fromEntries(new URLSearchParams(query)),
      })
      const before = readCpuTime(pid)
      const response =
        query.length < 8000
          ? await fetch(`${origin}/rest/bug?${query}`, seed % 2 === 0 ? {} : { headers })
          : await fetch(`${origin}/jsonrpc.cgi`, { method: 'POST', headers, body })
      const text = await response.text()
      const cpu = readCpuTime(pid) - before
      const timing = response.headers.get('server-timing') ?? ''
      const [, allRows, statement, rows] =
        /(\d+) read.*statement;dur=([\d.]+);desc="at most (\d+) read/.exec(timing) ?? []
      const [, code] = /"code":\s*(-?\d+)/.exec(text.slice(0, 500)) ?? []
      const answer = code ?? `${response.status}`
      all.push({
        ...{ seed, query, answer, cpu },
        ...{
          statement: Number(statement ?? 0),
          rows: Number(rows ?? 0),
          allRows: Number(allRows ?? 0),
        },
      })
      if (all.length % 500 === 0) {
        process.stderr.write(`${all.length} searches\n`)
      }
    }
    return all
  })
  process.stdout.write(`\n${summarize(drawn)}\n`)
  const failures = drawn.filter(
    ({ cpu, statement, rows, answer }) =>
      cpu > MOST.cpu ||
      // a busy computer lengthens a statement, but not the time that it takes of a processor
      Math.min(statement, cpu) > MOST.statement ||
      rows > MOST.rows ||
      !EXPECTED.includes(answer),
  )
  if (failures.length > 0) {
    throw new CommandError(failures.map(describe).join('\n'))
  }
}

function describe({ seed, answer, cpu, statement, rows, query }: Drawn): string {
  return `seed ${seed}: ${answer}, ${Math.round(cpu)} ms of CPU, a statement of ${Math.round(statement)} ms, of ${rows} rows: ${query.slice(0, 600)}`
}

function summarize(drawn: readonly Drawn[]): string {
  const answers = countEach(drawn.map(({ answer }) => answer))
  const measures = ['cpu', 'statement', 'rows', 'allRows'] as const
  const table = formatTable(
    measures.map((name) => ({ name, all: drawn.map((each) => each[name]) })),
    {
      measure: ({ name }) => name,
      p50: ({ all }) => Math.round(quantile(all, 0.5)),
      p99: ({ all }) => Math.round(quantile(all, 0.99)),
      most: ({ all }) => Math.round(quantile(all, 1)),
    },
  )
  const worst = measures.flatMap((name) =>
    drawn.toSorted((a, b) => b[name] - a[name]).slice(0, SHOWN / 2),
  )
  return `${drawn.length} searches: ${answers}\n\n${table}\n\n${formatTable([...new Set(worst)], COLUMNS)}`
}

const COLUMNS: Columns<Drawn> = {
  seed: ({ seed }) => seed,
  answer: ({ answer }) => answer,
  'CPU ms': ({ cpu }) => Math.round(cpu),
  statement: ({ statement }) => Math.round(statement),
  'rows of it': ({ rows }) => rows,
  'all rows': ({ allRows }) => allRows,
  query: ({ query }) => query.slice(0, 150),
}
