import { DatabaseSync } from 'node:sqlite'
import { ATTACKS, type Attack, type Target } from './attacks.ts'
import { type DataSet, deleteDataSet, findDatabaseFile, prepareDataSet } from './data-set.ts'
import { readMemory, resetPeak } from './memory.ts'
import { readCpuTime } from './process-cpu.ts'
import { quantile } from './quantile.ts'
import { type BenchServer, startServer } from './server.ts'
import { formatTable } from './table.ts'

/** Milliseconds between two requests of the bystander. */
const BYSTANDER_PAUSE_MS = 10

/** More than one list of keywords may name. */
const KEYWORDS = 2000

/** What an attack cost. Times are in milliseconds, `grown` is in MB. */
type Measured = {
  readonly attack: Attack
  readonly cpu: number | null
  readonly p99: number
  readonly grown: number | null
  readonly answers: string
}

/**
 * Runs every attack against one server while somebody else asks for its version, and returns a table of
 * processor time, the p99 of the others and the growth of memory, with the names of attacks over budget.
 */
export async function measureAttacks(
  bugs: number,
  only: string | undefined,
): Promise<{ table: string; failed: string[] }> {
  const data = await prepareDataSet(bugs)
  addKeywords(data)
  const server = await startServer(data.folder)
  try {
    const target = await findTarget(server.origin, data)
    const measured: Measured[] = []
    for (const attack of ATTACKS.filter(({ name }) => only === undefined || name === only)) {
      measured.push(await measureAttack(attack, target, server))
    }
    return {
      table: formatTable(
        ['attack', 'CPU ms', 'at most', 'p99 of others', 'at most', 'MB', 'at most', 'answers'],
        measured.map(formatRow),
      ),
      failed: measured.filter(isOverBudget).map(({ attack }) => attack.name),
    }
  } finally {
    await server.stop()
    deleteDataSet(data)
  }
}

async function measureAttack(
  attack: Attack,
  target: Target,
  { origin, pid }: BenchServer,
): Promise<Measured> {
  const attempt = await attack.prepare(target)
  resetPeak(pid)
  const memory = readMemory(pid)?.now ?? null
  const bystander = startBystander(origin)
  const before = pid === null ? null : readCpuTime(pid)
  const statuses = await attempt()
  const after = pid === null ? null : readCpuTime(pid)
  const peak = readMemory(pid)?.peak ?? null
  const times = await bystander.stop()
  return {
    attack,
    cpu: before === null || after === null ? null : (after - before) / attack.requests,
    p99: quantile(times, 0.99),
    grown: memory === null || peak === null ? null : peak - memory,
    answers: formatStatuses(statuses),
  }
}

/** Asks for the version again and again. */
function startBystander(origin: string): { stop(): Promise<number[]> } {
  const times: number[] = []
  let isDone = false
  const running = (async () => {
    while (!isDone) {
      const started = performance.now()
      await fetch(`${origin}/rest/version`).then((answer) => answer.text())
      times.push(performance.now() - started)
      await new Promise((resolve) => setTimeout(resolve, BYSTANDER_PAUSE_MS))
    }
  })()
  return {
    async stop() {
      isDone = true
      await running
      return times
    },
  }
}

async function findTarget(origin: string, { apiKey, landmarks }: DataSet): Promise<Target> {
  const query = new URLSearchParams({
    product: landmarks.product,
    limit: '500',
    include_fields: 'id',
  })
  const answer = await fetch(`${origin}/rest/bug?${query}`, {
    headers: { 'x-tracker-api-key': apiKey },
  })
  const { bugs } = (await answer.json()) as { bugs: { id: number }[] }
  return { origin, apiKey, bugs: bugs.map(({ id }) => id) }
}

function addKeywords({ folder }: DataSet): void {
  const database = new DatabaseSync(findDatabaseFile(folder))
  const insert = database.prepare(
    "INSERT INTO keywords (name, name_fold, description) VALUES (?1, ?1, 'Many')",
  )
  database.exec('BEGIN')
  for (let n = 0; n < KEYWORDS; n += 1) {
    insert.run(`many${n}`)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

function isOverBudget({ attack: { most }, cpu, p99, grown }: Measured): boolean {
  return (
    (cpu ?? 0) > (most.cpu ?? Number.POSITIVE_INFINITY) ||
    p99 > (most.p99 ?? Number.POSITIVE_INFINITY) ||
    (grown ?? 0) > (most.megabytes ?? Number.POSITIVE_INFINITY)
  )
}

function formatRow({ attack, cpu, p99, grown, answers }: Measured): string[] {
  const show = (value: number | null | undefined) => value?.toFixed(0) ?? ''
  const { most } = attack
  return [
    attack.name,
    show(cpu),
    show(most.cpu),
    show(p99),
    show(most.p99),
    show(grown),
    show(most.megabytes),
    answers,
  ]
}

/** How often each status was answered. */
function formatStatuses(statuses: readonly (number | string)[]): string {
  return [...Map.groupBy(statuses, (status) => status)]
    .map(([status, all]) => `${all.length} x ${status}`)
    .join(', ')
}
