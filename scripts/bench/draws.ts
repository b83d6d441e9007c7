import { CommandError } from '../command.ts'
import { createRandom } from '../generator/random.ts'
import { authorize, withServer } from './data-set.ts'
import { drawSearch } from './draw-search.ts'
import { measurePace } from './pace.ts'
import { readCpuTime } from './process.ts'
import { ask, get, post, REPORTS_COSTS } from './request.ts'
import { quantile } from './statistics.ts'
import { type Columns, countEach, formatTable } from './table.ts'

/** What no search may exceed: milliseconds of CPU time, and of a statement; five rows for each of 200,000 bugs. */
const MOST = { cpu: 1000, statement: 300, rows: 1_000_000 }
/** Found, refused as too costly, as unreadable or too large, for a field or a person that is none. */
const EXPECTED = ['200', '1001', '32000', '108', '304', '1000', '51', '53', '5', '52']
const SHOWN = 5
/** Longer searches are sent in a body. */
const MOST_IN_PATH = 8000
/** A progress is told after so many. */
const TOLD = 500

const MEASURES = ['cpu', 'statement', 'rows', 'allRows'] as const

type Drawn = Record<(typeof MEASURES)[number], number> & {
  seed: number
  query: string
  answer: string
}

/**
 * Sends drawn searches one after another, half of them without credentials. Prints the costliest; throws a CommandError
 * with those that exceed what a search may cost, with more time on a slow computer, or are answered with an error.
 */
export async function measureDraws(
  count: number,
  { bugs, seed: first }: { bugs: number; seed: number },
): Promise<void> {
  const pace = await measurePace()
  const drawn: Drawn[] = []
  await withServer(bugs, { vars: REPORTS_COSTS }, async ({ origin, pid }, data) => {
    for (let seed = first; seed < first + count; seed += 1) {
      const search = drawSearch(createRandom(seed, 7))
      const query = `${search}`
      const call = { jsonrpc: '2.0', id: 1, method: 'Bug.search' }
      const body = { ...call, params: Object.fromEntries(search) }
      const request =
        query.length < MOST_IN_PATH
          ? get(`/rest/bug?${query}`, seed % 2 === 0 ? {} : authorize(data))
          : post('/jsonrpc.cgi', body, authorize(data))
      const before = readCpuTime(pid)
      const { status, fault, cost } = await ask(origin, request)
      const { statement, most: rows, read: allRows } = cost
      const cpu = readCpuTime(pid) - before
      drawn.push({ seed, query, answer: fault ?? `${status}`, cpu, statement, rows, allRows })
      if (drawn.length % TOLD === 0) {
        process.stderr.write(`${drawn.length} searches\n`)
      }
    }
  })
  process.stdout.write(`\n${summarize(drawn)}\n`)
  const failures = drawn.filter(
    ({ cpu, statement, rows, answer }) =>
      cpu > MOST.cpu * pace ||
      // a busy computer lengthens a statement, but not the time that it takes of a processor
      Math.min(statement, cpu) > MOST.statement * pace ||
      rows > MOST.rows ||
      !EXPECTED.includes(answer),
  )
  if (failures.length > 0) {
    throw new CommandError(failures.map(describe).join('\n'))
  }
}

function describe({ seed, answer, cpu, statement, rows, query }: Drawn): string {
  const figures = `${Math.round(cpu)} ms of CPU, a statement of ${Math.round(statement)} ms, of ${rows} rows`
  return `seed ${seed}: ${answer}, ${figures}: ${query.slice(0, 600)}`
}

function summarize(drawn: readonly Drawn[]): string {
  const answers = countEach(drawn.map(({ answer }) => answer))
  const figures = MEASURES.map((name) => ({ name, all: drawn.map((each) => each[name]) }))
  const table = formatTable(figures, {
    measure: ({ name }) => name,
    p50: ({ all }) => Math.round(quantile(all, 0.5)),
    p99: ({ all }) => Math.round(quantile(all, 0.99)),
    most: ({ all }) => Math.round(quantile(all, 1)),
  })
  const worst = MEASURES.flatMap((name) =>
    drawn.toSorted((a, b) => b[name] - a[name]).slice(0, SHOWN),
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
