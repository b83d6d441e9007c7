import { timeOthers } from './bystander.ts'
import { type DataSet, openDatabase, withDataSet } from './data-set.ts'
import { listCases, quantile, type Runner } from './loop.ts'
import { readCpuTime, readMemory } from './process.ts'
import { type BenchServer, startServer } from './servers.ts'
import { formatTable } from './table.ts'

const FILED = 200
/** The newest comments, whose words the cron has to find once more. */
const WAITING = 20_000
/** Bugs that are read at once, with all that they have. */
const EXPORTED = 1000
/** Indexes that take longest to be made, as a migration makes one. */
const SHOWN = 3

type Upkeep = {
  what: string
  seconds: number
  /** Milliseconds that each waits who does what is named first. */
  waits: readonly number[]
  cpu: number
  megabytes: number
}

/** Measures a start, filings without and beside the work of the cron, a large answer, and how long an index takes. */
export function measureUpkeep(bugs: number): Promise<void> {
  return withDataSet(bugs, async (data) => {
    letCommentsWait(data)
    const started = performance.now()
    const server = await startServer(data.folder)
    const seconds = (performance.now() - started) / 1000
    const rows: Upkeep[] = [
      { what: 'start', seconds, waits: [], cpu: Number.NaN, megabytes: Number.NaN },
    ]
    try {
      const [filing] = listCases(data, server, 'POST bug')
      if (filing === undefined) {
        throw new Error('There is no scenario of a filing')
      }
      // the first requests of a runtime are slower
      await send(filing, FILED)
      rows.push(await measure('POST bug', server, () => send(filing, FILED)))
      rows.push(await measure('POST bug beside the cron', server, () => besideCron(server, filing)))
      rows.push(
        await measure(`GET bug while somebody reads ${EXPORTED} bugs`, server, () =>
          timeOthers(`${server.origin}/rest/bug/1`, {}, () => exportBugs(server, data)),
        ),
      )
    } finally {
      await server.stop()
    }
    process.stdout.write(`\n${describe(rows, bugs)}\n\n${describeIndexes(data)}\n`)
  })
}

/** The words of these comments are known, so that finding them once more changes little. */
function letCommentsWait({ folder }: DataSet): void {
  const database = openDatabase(folder)
  database.exec(`UPDATE comment_word_range SET newest_comment_id =
    max(after_comment_id, newest_comment_id - ${WAITING})`)
  database.close()
}

async function measure(
  what: string,
  { pid }: BenchServer,
  action: () => Promise<number[]>,
): Promise<Upkeep> {
  const [started, before] = [performance.now(), readCpuTime(pid)]
  const waits = await action()
  const seconds = (performance.now() - started) / 1000
  const cpu = (readCpuTime(pid) - before) / 1000
  return { what, seconds, waits, cpu, megabytes: Math.round(readMemory(pid).peak) }
}

/** Sends so many requests one after another and returns the milliseconds of each. */
async function send({ origin, next }: Runner, most: number, isOver = () => false) {
  const waits: number[] = []
  while (waits.length < most && !isOver()) {
    const { path, method, body, headers } = next()
    const sent = performance.now()
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
    if (!response.ok) {
      throw new Error(`${method} ${path} was answered with ${response.status}`)
    }
    waits.push(performance.now() - sent)
  }
  return waits
}

/** Filings until two runs of all jobs have ended: the first has the comments that wait, the second what is left. */
async function besideCron(
  { runCrons }: Awaited<ReturnType<typeof startServer>>,
  filing: Runner,
): Promise<number[]> {
  let isOver = false
  const jobs = runCrons()
    .then(runCrons)
    .finally(() => {
      isOver = true
    })
  const waits = await send(filing, Number.POSITIVE_INFINITY, () => isOver)
  await jobs
  return waits
}

async function exportBugs({ origin }: BenchServer, { keys }: DataSet): Promise<void> {
  const fields = 'include_fields=_all,comments,history,attachments'
  const response = await fetch(`${origin}/rest/bug?status=RESOLVED&limit=${EXPORTED}&${fields}`, {
    headers: { authorization: `Bearer ${keys.developer}` },
  })
  const { bugs } = (await response.json()) as { bugs: unknown[] }
  process.stderr.write(`${bugs.length} bugs read\n`)
}

function describe(rows: readonly Upkeep[], bugs: number): string {
  return formatTable(rows, {
    [`${bugs.toLocaleString('en')} bugs`]: ({ what }) => what,
    s: ({ seconds }) => seconds,
    requests: ({ waits }) => waits.length,
    'p50, ms': ({ waits }) => quantile(waits, 0.5),
    'p99, ms': ({ waits }) => quantile(waits, 0.99),
    'most, ms': ({ waits }) => (waits.length === 0 ? Number.NaN : Math.max(...waits)),
    'CPU s': ({ cpu }) => cpu,
    'MB of the runtime': ({ megabytes }) => megabytes,
  })
}

/** How long each index takes to be made anew, which no statement of a migration exceeds by much. */
function describeIndexes({ folder }: DataSet): string {
  const database = openDatabase(folder)
  const named = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    .all() as { name: string }[]
  const timed = named.map(({ name }) => {
    const started = performance.now()
    database.exec(`REINDEX ${name}`)
    return { name, seconds: (performance.now() - started) / 1000 }
  })
  database.close()
  const longest = timed.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN)
  return formatTable(longest, {
    [`longest of ${timed.length} indexes`]: ({ name }) => name,
    s: ({ seconds }) => seconds,
  })
}
