import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../command.ts'
import { type Answer, ATTACKS, type Attack, FLAG_TYPE, KEYWORDS, type Target } from './attacks.ts'
import { measureFloodsOf } from './before.ts'
import { timeOthers } from './bystander.ts'
import { type DataSet, openDatabase, withDataSet } from './data-set.ts'
import { FLOODS } from './floods.ts'
import { quantile } from './loop.ts'
import {
  compareFloods,
  findTarget,
  formatFloods,
  listFloodFailures,
  measureFloods,
} from './measure-floods.ts'
import { readCpuTime, readMemory, resetPeak, waitUntilIdle } from './process.ts'
import { type BenchServer, startServer } from './servers.ts'
import { type Columns, countEach, formatTable } from './table.ts'

/** What the others wait without any attack is measured for so long. */
const ALONE_MS = 500

type HostileRun = {
  readonly bugs: number
  /** Folder of floods.json. */
  readonly out: string
  readonly only?: string | undefined
  /** A commit to measure the floods of, too. */
  readonly before?: string | undefined
  /** Only what is sent 64 times at once. */
  readonly floods: boolean
}

/** What an attack cost. Times are in milliseconds, `grown` is in MB. */
type Measured = Awaited<ReturnType<typeof measureAttack>>

/**
 * Runs every attack against one server while somebody else asks for something small. Prints a table of processor
 * time, the waiting of the others and the growth of memory. Throws a CommandError that lists attacks over budget,
 * and attacks that were answered otherwise than they have to be.
 */
export async function measureHostile({ bugs, out, ...given }: HostileRun): Promise<void> {
  const { only = '', before, floods: isFloods } = given
  const names = [...FLOODS, ...ATTACKS].map(({ name }) => name)
  if (!names.some((name) => name.includes(only))) {
    throw new CommandError(['--only is in none of', ...names].join('\n  '))
  }
  const floods = await measureFloods(bugs, only)
  process.stdout.write(`\n${formatFloods(floods)}\n`)
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'floods.json'), JSON.stringify(floods))
  if (before !== undefined) {
    const earlier = measureFloodsOf(before, bugs, only)
    process.stdout.write(`\n${formatFloods(earlier)}\n\n${compareFloods(earlier, floods)}\n`)
  }
  // an earlier commit may fail in them, and that is no failure of the run
  const failures = isFloods
    ? []
    : [...floods.flatMap(listFloodFailures), ...(await measureAttacks(bugs, only))]
  if (failures.length > 0) {
    throw new CommandError(failures.join('\n'))
  }
}

async function measureAttacks(bugs: number, only: string): Promise<string[]> {
  const chosen = ATTACKS.filter(({ name }) => name.includes(only))
  if (chosen.length === 0) {
    return []
  }
  const measured = await withDataSet(bugs, async (data) => {
    const logins = prepareNames(data)
    const server = await startServer(data.folder)
    try {
      const target = { ...findTarget(data), origin: server.origin, logins }
      const all: Measured[] = []
      for (const attack of chosen) {
        process.stderr.write(`${attack.name}\n`)
        all.push(await measureAttack(attack, target, server))
      }
      return all
    } finally {
      await server.stop()
    }
  })
  process.stdout.write(`\n${formatTable(measured, COLUMNS)}\n`)
  return measured.flatMap(listFailures)
}

async function measureAttack(attack: Attack, target: Target, { pid }: BenchServer) {
  const attempt = await attack.prepare(target)
  await waitUntilIdle(pid)
  const path = attack.watched?.(target)
  const url = `${target.origin}/rest${path ?? '/version'}`
  const headers = path === undefined ? {} : target.headers
  const alone = await timeOthers(url, headers, () => pause(ALONE_MS))
  resetPeak(pid)
  const memory = readMemory(pid).now
  let [answers, cpu, grown]: [Answer[], number, number] = [[], 0, 0]
  const beside = await timeOthers(url, headers, async () => {
    const before = readCpuTime(pid)
    answers = await attempt()
    cpu = (readCpuTime(pid) - before) / answers.length
    grown = readMemory(pid).peak - memory
  })
  return { attack, answers, cpu, grown, alone, beside }
}

/** Adds the keywords and the type of flags that edits name, and returns the logins that they may name. */
function prepareNames({ folder }: DataSet): string[] {
  const database = openDatabase(folder)
  database
    .prepare(
      `INSERT INTO keywords (name, name_fold, description)
        SELECT value, value, 'Many' FROM json_each(?)`,
    )
    .run(JSON.stringify(KEYWORDS))
  const { lastInsertRowid } = database
    .prepare("INSERT INTO flag_types (name, description, target) VALUES (?, 'Many', 'bug')")
    .run(FLAG_TYPE)
  database
    .prepare('INSERT INTO flag_type_scopes (flag_type_id, is_exclusion) VALUES (?, 0)')
    .run(lastInsertRowid)
  const people = database.prepare('SELECT login FROM users ORDER BY id DESC LIMIT 100').all()
  database.close()
  return people.map(({ login }) => String(login))
}

function listFailures({ attack, cpu, beside, grown, answers }: Measured): string[] {
  const { name, most, statuses } = attack
  const wrong = answers.find(({ status }) => !statuses.includes(status))
  const isExpected = answers.some(({ status }) => status === statuses[0])
  const answer = wrong ?? (isExpected ? null : answers[0])
  return [
    ...(cpu > most.cpu ? [`${name}: too much CPU`] : []),
    ...(quantile(beside, 0.99) > most.p99 ? [`${name}: others wait too long`] : []),
    ...(grown > most.megabytes ? [`${name}: too much memory`] : []),
    ...(answer ? [`${name}: answered with ${answer.status}: ${answer.text ?? ''}`] : []),
  ]
}

const COLUMNS: Columns<Measured> = {
  attack: ({ attack }) => attack.name,
  'CPU ms': ({ cpu }) => Math.round(cpu),
  'at most': ({ attack }) => attack.most.cpu,
  'others alone: p50': ({ alone }) => quantile(alone, 0.5),
  p99: ({ alone }) => quantile(alone, 0.99),
  'beside: p50': ({ beside }) => quantile(beside, 0.5),
  'p99 ': ({ beside }) => quantile(beside, 0.99),
  'at most ': ({ attack }) => attack.most.p99,
  MB: ({ grown }) => Math.round(grown),
  'at most  ': ({ attack }) => attack.most.megabytes,
  'answer ms': ({ answers }) => timeOfAnswers(answers, 0.5),
  longest: ({ answers }) => timeOfAnswers(answers, 1),
  answers: ({ answers }) => countEach(answers.map(({ status }) => status)),
}

function timeOfAnswers(answers: readonly Answer[], share: number): number {
  const times = answers.map(({ ms }) => ms)
  return Math.round(quantile(times, share))
}
