import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../command.ts'
import { ROOT } from '../wrangler.ts'
import type { Attack, Outcome, Target } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { timeOthers } from './bystander.ts'
import { type DataSet, withDatabase, withDataSet } from './data-set.ts'
import { FLOODS } from './floods.ts'
import { measurePace } from './pace.ts'
import { readCpuTime, readMemory, resetPeak, waitUntilIdle } from './process.ts'
import { ask, get, REPORTS_COSTS } from './request.ts'
import { startServer } from './servers.ts'
import { quantile } from './statistics.ts'
import { type Columns, countEach, formatTable } from './table.ts'

/** What the others wait without any attack is measured for so long. */
const ALONE_MS = 500

type Flags = {
  bugs: number
  only: string
  /** Folder of floods.json. */
  out: string
  /** A commit to measure the floods of, too. */
  before?: string | undefined
  /** Only what is sent 64 times at once. */
  floods: boolean
}

/** What an attack cost: milliseconds, and MB of the process; NaN where it is not known. */
type Figures = {
  name: string
  most: Attack['most']
  /** Of one request, with its longest statement and its answer where one was sent alone. */
  cpu: number
  statement: number
  answer: string
  /** What others wait without the attack, and beside it. */
  alone: { p50: number; p99: number }
  beside: { p50: number; p99: number }
  /** Before, at its peak and when it is idle again. */
  memory: { before: number; peak: number; after: number }
  answers: { p50: number; longest: number; statuses: string }
  failures: string[]
}

/**
 * Runs every attack against a server of its own while somebody else asks for something small. Prints a table of
 * processor time, the waiting of the others and memory. Throws a CommandError that lists attacks over budget, which has
 * more time on a slow computer, and attacks that were answered otherwise than they have to be.
 */
export async function measureHostile(flags: Flags): Promise<void> {
  const { bugs, only, out, before, floods: isFloods } = flags
  const names = [...FLOODS, ...ATTACKS].map(({ name }) => name)
  if (!names.some((name) => name.includes(only))) {
    throw new CommandError(['--only is in none of', ...names].join('\n  '))
  }
  const pace = await measurePace()
  const floods = await measureAttacks(FLOODS, { bugs, only, pace })
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'floods.json'), JSON.stringify(floods))
  if (before !== undefined) {
    const earlier = measureBefore(before, bugs, only)
    process.stdout.write(`\n${formatTable(earlier, COLUMNS)}\n\n${compare(earlier, floods)}\n`)
  }
  // an earlier commit may fail in them, and that is no failure of the run
  if (isFloods) {
    return
  }
  const attacks = await measureAttacks(ATTACKS, { bugs, only, pace })
  const failures = [...floods, ...attacks].flatMap((figures) => figures.failures)
  if (failures.length > 0) {
    throw new CommandError(failures.join('\n'))
  }
}

/** Measures and prints some attacks. One that ends the server is the worst that can happen. */
async function measureAttacks(
  attacks: readonly Attack[],
  { bugs, only, pace }: Pick<Flags, 'bugs' | 'only'> & { pace: number },
) {
  const chosen = attacks.filter(({ name }) => name.includes(only))
  if (chosen.length === 0) {
    return []
  }
  const measured = await withDataSet(bugs, async (data) => {
    const all: Figures[] = []
    for (const attack of chosen) {
      process.stderr.write(`${attack.name}\n`)
      const target = await withDatabase(data.folder, (database) => {
        const found = findTarget(database, data)
        database.exec('BEGIN')
        attack.change?.(database, found)
        database.exec('COMMIT')
        return found
      })
      const server = await startServer(data.folder, { vars: REPORTS_COSTS })
      try {
        const here = { ...target, origin: server.origin }
        const { outcomes, ...figures } = await measureAttack(attack, here, server.pid)
        const failures = listFailures(figures, { outcomes, statuses: attack.statuses, pace })
        all.push({ ...figures, failures })
      } catch (error) {
        const ended = `${attack.name}: the server ended: ${error}`
        all.push({ ...UNKNOWN, name: attack.name, most: attack.most, failures: [ended] })
      } finally {
        await server.stop()
      }
    }
    return all
  })
  process.stdout.write(`\n${formatTable(measured, COLUMNS)}\n`)
  return measured
}

const NONE = { p50: Number.NaN, p99: Number.NaN }
const UNKNOWN = {
  ...{ cpu: Number.NaN, statement: Number.NaN, answer: '', alone: NONE, beside: NONE },
  memory: { before: Number.NaN, peak: Number.NaN, after: Number.NaN },
  answers: { p50: Number.NaN, longest: Number.NaN, statuses: 'the server ended' },
}

async function measureAttack(attack: Attack, target: Target, pid: number | null) {
  const { origin } = target
  const attempt = await attack.prepare(target)
  const watched = attack.watched?.(target) ?? get('/rest/version')
  const alone = await timeOthers(origin, watched, () => pause(ALONE_MS))
  await waitUntilIdle(pid)
  const before = readMemory(pid).now
  resetPeak(pid)
  let spent = readCpuTime(pid)
  const first = attack.alone && (await ask(origin, attack.alone(target)))
  let cpu = readCpuTime(pid) - spent
  await waitUntilIdle(pid)
  let outcomes: Outcome[] = []
  let { peak } = readMemory(pid)
  const beside = await timeOthers(origin, watched, async () => {
    spent = readCpuTime(pid)
    outcomes = await attempt()
    cpu = first === undefined ? (readCpuTime(pid) - spent) / outcomes.length : cpu
    peak = readMemory(pid).peak
  })
  await waitUntilIdle(pid)
  const times = outcomes.map(({ ms }) => ms)
  return {
    ...{ name: attack.name, most: attack.most, cpu, outcomes },
    statement: first?.cost.statement ?? Number.NaN,
    answer: first === undefined ? '' : describe(first),
    alone: { p50: quantile(alone, 0.5), p99: quantile(alone, 0.99) },
    beside: { p50: quantile(beside, 0.5), p99: quantile(beside, 0.99) },
    memory: { before, peak, after: readMemory(pid).now },
    answers: {
      ...{ p50: quantile(times, 0.5), longest: quantile(times, 1) },
      statuses: countEach(outcomes.map(describe)),
    },
  }
}

function listFailures(
  { name, most, cpu, statement, beside, memory }: Omit<Figures, 'failures'>,
  {
    outcomes,
    statuses,
    pace,
  }: { outcomes: readonly Outcome[]; statuses: Attack['statuses']; pace: number },
): string[] {
  const wrong = outcomes.find(({ status }) => statuses !== undefined && !statuses.includes(status))
  const isExpected = !statuses || outcomes.some(({ status }) => status === statuses[0])
  const answer = wrong ?? (isExpected ? null : outcomes[0])
  const { grown = Number.POSITIVE_INFINITY, remains = Number.POSITIVE_INFINITY } = most
  return [
    ...(cpu > most.cpu * pace ? ['a request takes too much CPU'] : []),
    ...(statement > (most.statement ?? statement) * pace ? ['a statement takes too long'] : []),
    ...(beside.p99 > most.p99 * pace ? ['others wait too long'] : []),
    ...(memory.peak - memory.before > grown ? ['too much memory'] : []),
    ...(memory.after - memory.before > remains ? ['memory remains'] : []),
    ...(answer ? [`answered with ${answer.status}: ${answer.text}`] : []),
  ].map((failure) => `${name}: ${failure}`)
}

/** A status, or a fault, which the protocols of calls answer with status 200. */
function describe({ status, fault }: Pick<Outcome, 'status' | 'fault'>): string {
  return fault === null ? String(status) : `fault ${fault}`
}

function findTarget(database: DatabaseSync, { keys, landmarks }: DataSet): Target {
  const bugs = database.prepare(
    `SELECT b.id FROM bugs b JOIN products p ON p.id = b.product_id
      WHERE p.name = ? AND b.group_count = 0 ORDER BY b.id LIMIT 500`,
  )
  const people = database.prepare('SELECT login FROM users ORDER BY id DESC LIMIT 100').all()
  return {
    origin: '',
    longBug: landmarks.longBug,
    bugs: bugs.all(landmarks.product).map(({ id }) => Number(id)),
    logins: people.map(({ login }) => String(login)),
    headers: { 'x-tracker-api-key': keys.developer },
  }
}

const COLUMNS: Columns<Figures> = {
  attack: ({ name }) => name,
  'CPU ms of one': ({ cpu }) => Math.round(cpu),
  'at most': ({ most }) => most.cpu ?? Number.NaN,
  'longest statement': ({ statement }) => Math.round(statement),
  answer: ({ answer }) => answer,
  'others alone: p50': ({ alone }) => alone.p50,
  p99: ({ alone }) => alone.p99,
  'beside: p50': ({ beside }) => beside.p50,
  'p99 ': ({ beside }) => beside.p99,
  'at most ': ({ most }) => most.p99,
  'MB before': ({ memory }) => Math.round(memory.before),
  peak: ({ memory }) => Math.round(memory.peak),
  after: ({ memory }) => Math.round(memory.after),
  'more at most': ({ most }) => most.grown ?? most.remains ?? Number.NaN,
  'answer ms': ({ answers }) => Math.round(answers.p50),
  longest: ({ answers }) => Math.round(answers.longest),
  answers: ({ answers }) => answers.statuses,
}

/** Measures the same floods on the code of an earlier commit, in a work tree that goes when it has ended. */
function measureBefore(commit: string, bugs: number, only: string): Figures[] {
  const folder = join(ROOT, '.wrangler/bench/before')
  const git = (...given: string[]) => execFileSync('git', given, { cwd: ROOT, stdio: 'inherit' })
  if (existsSync(folder)) {
    git('worktree', 'remove', '--force', folder)
  }
  git('worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    // what is sent and how it is measured is that of this commit
    rmSync(join(folder, 'scripts'), { recursive: true })
    cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const flags = ['--hostile', '--floods', '--bugs', `${bugs}`, '--only', only, '--out', folder]
    execFileSync(process.execPath, [join(folder, 'scripts/run.js'), 'bench', ...flags], {
      ...{ cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
    })
    return JSON.parse(readFileSync(join(folder, 'floods.json'), 'utf8'))
  } finally {
    git('worktree', 'remove', '--force', folder)
  }
}

/** Two measurements of the same floods, in seconds, as rows of Markdown. */
function compare(before: readonly Figures[], now: readonly Figures[]): string {
  const show = (ms: number) => (Number.isFinite(ms) ? (ms / 1000).toFixed(2) : 'ends')
  const rows = now.map(({ name, cpu, beside }) => {
    const earlier = before.find((figures) => figures.name === name) ?? UNKNOWN
    const cells = [earlier.cpu, cpu, earlier.beside.p99, beside.p99].map(show)
    return `| ${[name, ...cells].join(' | ')} |`
  })
  const head = '| Request | CPU before | now | p99 of others before | now |\n|---|---|---|---|---|'
  return [head, ...rows].join('\n')
}
