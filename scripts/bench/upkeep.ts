import { timeOthers } from './bystander.ts'
import { authorize, withDatabase, withDataSet } from './data-set.ts'
import { listCases } from './loop.ts'
import { readCpuTime, readMemory } from './process.ts'
import { askWell, get } from './request.ts'
import { startServer } from './servers.ts'
import { quantile } from './statistics.ts'
import { formatTable } from './table.ts'

const FILED = 200
/** The newest comments, whose words the cron has to find once more. They are known, so that this changes little. */
const WAITING = 20_000
const LET_WAIT = `UPDATE comment_word_range SET newest_comment_id = max(after_comment_id, newest_comment_id - ${WAITING})`
/** Bugs that are read at once, with all that they have. */
const EXPORTED = 1000
const EXPORT = `/rest/bug?status=RESOLVED&limit=${EXPORTED}&include_fields=_all,comments,history,attachments`
/** Indexes that take longest to be made, as a migration makes one. */
const SHOWN = 3

/** `waits` are the milliseconds that each waits who does what is named first. */
type Upkeep = { what: string; seconds: number; waits: number[]; cpu: number; megabytes: number }

/** Measures a start, filings without and beside the work of the cron, a large answer, and how long an index takes. */
export function measureUpkeep(bugs: number): Promise<void> {
  return withDataSet(bugs, async (data) => {
    await withDatabase(data.folder, (database) => database.exec(LET_WAIT))
    const started = performance.now()
    const server = await startServer(data.folder)
    const { origin, pid, runCrons } = server
    const start = { what: 'start', seconds: secondsSince(started), waits: [] }
    const rows: Upkeep[] = [{ ...start, cpu: Number.NaN, megabytes: Number.NaN }]
    const measure = async (what: string, action: () => Promise<number[]>) => {
      const [begun, before] = [performance.now(), readCpuTime(pid)]
      const waits = await action()
      const [seconds, cpu] = [secondsSince(begun), (readCpuTime(pid) - before) / 1000]
      rows.push({ what, seconds, waits, cpu, megabytes: Math.round(readMemory(pid).peak) })
    }
    const [filing] = listCases(data, server, 'POST bug')
    /** Sends filings one after another and returns the milliseconds of each. */
    const file = async (isOver: (sent: number) => boolean) => {
      const waits: number[] = []
      while (filing !== undefined && !isOver(waits.length)) {
        waits.push((await askWell(origin, filing.next())).ms)
      }
      return waits
    }
    const fileSome = () => file((sent) => sent === FILED)
    try {
      // the first requests of a runtime are slower
      await fileSome()
      await measure('POST bug', fileSome)
      await measure('POST bug beside the cron', async () => {
        let isOver = false
        // the first run has the comments that wait, the second what is left
        const jobs = runCrons()
          .then(runCrons)
          .finally(() => {
            isOver = true
          })
        const waits = await file(() => isOver)
        await jobs
        return waits
      })
      await measure(`GET bug while somebody reads ${EXPORTED} bugs`, () =>
        timeOthers(origin, get('/rest/bug/1'), async () => {
          const { bytes } = await askWell(origin, get(EXPORT, authorize(data)))
          process.stderr.write(`${JSON.parse(String(bytes)).bugs.length} bugs read\n`)
        }),
      )
    } finally {
      await server.stop()
    }
    process.stdout.write(`\n${describe(rows, bugs)}\n\n${await describeIndexes(data.folder)}\n`)
  })
}

function describe(rows: readonly Upkeep[], bugs: number): string {
  return formatTable(rows, {
    [`${bugs.toLocaleString('en')} bugs`]: ({ what }) => what,
    s: ({ seconds }) => seconds,
    requests: ({ waits }) => waits.length,
    'p50, ms': ({ waits }) => quantile(waits, 0.5),
    'p99, ms': ({ waits }) => quantile(waits, 0.99),
    'most, ms': ({ waits }) => quantile(waits, 1),
    'CPU s': ({ cpu }) => cpu,
    'MB of the runtime': ({ megabytes }) => megabytes,
  })
}

/** How long each index takes to be made anew, which no statement of a migration exceeds by much. */
function describeIndexes(folder: string): Promise<string> {
  return withDatabase(folder, (database) => {
    const indexes = database.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    )
    const timed = indexes.all().map(({ name }) => {
      const started = performance.now()
      database.exec(`REINDEX ${name}`)
      return { name: String(name), seconds: secondsSince(started) }
    })
    const longest = timed.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN)
    return formatTable(longest, {
      [`longest of ${timed.length} indexes`]: ({ name }) => name,
      s: ({ seconds }) => seconds,
    })
  })
}

const secondsSince = (started: number) => (performance.now() - started) / 1000
