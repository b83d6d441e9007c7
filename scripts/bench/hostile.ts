import { DatabaseSync } from 'node:sqlite'
import type { Answer, Attack, Target } from './attacks/attack.ts'
import { editAttacks, FLAG_TYPE, keywordNames } from './attacks/edits.ts'
import { requestAttacks } from './attacks/requests.ts'
import { unreadAttacks } from './attacks/unread.ts'
import { startBystander } from './bystander.ts'
import { type DataSet, deleteDataSet, findDatabaseFile, prepareDataSet } from './data-set.ts'
import { readMemory, resetPeak } from './process/memory.ts'
import { readCpuTime, waitUntilIdle } from './process/process-cpu.ts'
import { quantile } from './quantile.ts'
import { formatTable } from './report/table.ts'
import { type BenchServer, startServer } from './server.ts'

const ATTACKS: readonly Attack[] = [...editAttacks, ...requestAttacks, ...unreadAttacks]

/** What the others wait without any attack is measured for so long. */
const ALONE_MS = 500

/** What an attack cost. Times are in milliseconds, `grown` is in MB. */
type Measured = {
  readonly attack: Attack
  readonly cpu: number | null
  readonly p99Alone: number
  readonly p99: number
  readonly grown: number | null
  readonly answers: readonly Answer[]
}

/**
 * Runs every attack against one server while somebody else asks for its version, and returns a table of
 * processor time, the p99 of the others and the growth of memory, with what is wrong: attacks over budget,
 * and attacks that were answered otherwise than they have to be.
 */
export async function measureAttacks(
  bugs: number,
  only: string | undefined,
): Promise<{ table: string; failures: string[] }> {
  const chosen = ATTACKS.filter(({ name }) => only === undefined || name.includes(only))
  if (chosen.length === 0) {
    const names = ATTACKS.map(({ name }) => `\n  ${name}`)
    return { table: '', failures: [`--only must be in one of${names.join('')}`] }
  }
  const data = await prepareDataSet(bugs)
  addNames(data)
  const server = await startServer(data.folder)
  try {
    const target = await findTarget(server.origin, data)
    const measured: Measured[] = []
    for (const attack of chosen) {
      process.stderr.write(`${attack.name}\n`)
      measured.push(await measureAttack(attack, target, server))
    }
    const budgets = ['CPU ms', 'at most', 'p99 of others', 'at most', 'alone', 'MB', 'at most']
    return {
      table: formatTable(['attack', ...budgets, 'answers'], measured.map(formatRow)),
      failures: measured.flatMap(listFailures),
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
  if (pid !== null) {
    await waitUntilIdle(pid)
  }
  const nobody = await startBystander(origin)
  await new Promise((resolve) => setTimeout(resolve, ALONE_MS))
  const alone = await nobody.stop()
  resetPeak(pid)
  const memory = readMemory(pid)?.now ?? null
  const bystander = await startBystander(origin)
  const before = pid === null ? null : readCpuTime(pid)
  const answers = await attempt()
  const after = pid === null ? null : readCpuTime(pid)
  const peak = readMemory(pid)?.peak ?? null
  const times = await bystander.stop()
  return {
    attack,
    cpu: before === null || after === null ? null : (after - before) / attack.requests,
    p99Alone: quantile(alone, 0.99),
    p99: quantile(times, 0.99),
    grown: memory === null || peak === null ? null : peak - memory,
    answers,
  }
}

async function findTarget(origin: string, { folder, apiKey, landmarks }: DataSet): Promise<Target> {
  const query = new URLSearchParams({
    product: landmarks.product,
    limit: '500',
    include_fields: 'id',
  })
  const answer = await fetch(`${origin}/rest/bug?${query}`, {
    headers: { 'x-tracker-api-key': apiKey },
  })
  const { bugs } = (await answer.json()) as { bugs: { id: number }[] }
  const database = new DatabaseSync(findDatabaseFile(folder), { readOnly: true })
  const people = database.prepare('SELECT login FROM users ORDER BY id DESC LIMIT 100').all()
  database.close()
  const logins = people.map(({ login }) => String(login))
  return { origin, apiKey, bugs: bugs.map(({ id }) => id), logins }
}

/** Adds the keywords and the type of flags that edits name. */
function addNames({ folder }: DataSet): void {
  const database = new DatabaseSync(findDatabaseFile(folder))
  database.exec('BEGIN')
  const insertKeyword = database.prepare(
    "INSERT INTO keywords (name, name_fold, description) VALUES (?1, ?1, 'Many')",
  )
  for (const name of keywordNames) {
    insertKeyword.run(name)
  }
  const { lastInsertRowid } = database
    .prepare("INSERT INTO flag_types (name, description, target) VALUES (?, 'Many', 'bug')")
    .run(FLAG_TYPE)
  database
    .prepare('INSERT INTO flag_type_scopes (flag_type_id, is_exclusion) VALUES (?, 0)')
    .run(lastInsertRowid)
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

function listFailures({ attack, cpu, p99, grown, answers }: Measured): string[] {
  const { name, most, statuses } = attack
  const wrong = answers.find(({ status }) => !statuses.includes(status))
  const answer = wrong ?? (answers.some(({ status }) => status === statuses[0]) ? null : answers[0])
  return [
    ...((cpu ?? 0) > most.cpu ? [`${name}: too much CPU`] : []),
    ...(p99 > most.p99 ? [`${name}: others wait too long`] : []),
    ...((grown ?? 0) > most.megabytes ? [`${name}: too much memory`] : []),
    ...(answer ? [`${name}: answered with ${answer.status}: ${answer.text ?? ''}`] : []),
  ]
}

function formatRow({ attack, cpu, p99, p99Alone, grown, answers }: Measured): string[] {
  const show = (value: number | null | undefined) => value?.toFixed(0) ?? ''
  const { most } = attack
  return [
    attack.name,
    show(cpu),
    show(most.cpu),
    show(p99),
    show(most.p99),
    show(p99Alone),
    show(grown),
    show(most.megabytes),
    formatAnswers(answers),
  ]
}

/** How often each status was answered. */
function formatAnswers(answers: readonly Answer[]): string {
  return [...Map.groupBy(answers, ({ status }) => status)]
    .map(([status, all]) => `${all.length} x ${status}`)
    .join(', ')
}
