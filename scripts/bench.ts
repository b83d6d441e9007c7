/** `npm run bench`: see HELP. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { BASELINES, startBaseline } from './bench/baselines.ts'
import { createRunner, listCases } from './bench/cases.ts'
import { runClosedLoop, sendRequest } from './bench/closed-loop.ts'
import { compareServers, formatComparisons } from './bench/compare.ts'
import { measureCosts } from './bench/costs.ts'
import { deleteDataSet, prepareDataSet } from './bench/data-set.ts'
import { measureGrowth } from './bench/growth.ts'
import { measureAttacks } from './bench/hostile.ts'
import { measureAll } from './bench/measure.ts'
import { computeSelfTimes } from './bench/process/inspector.ts'
import { renderPage } from './bench/report/html-report.ts'
import { describeMachine, formatReport, type Report } from './bench/report/report.ts'
import { formatTable } from './bench/report/table.ts'
import { measureScans } from './bench/scans.ts'
import { type BaselineName, SCENARIOS } from './bench/scenarios.ts'
import { type BenchServer, startInspectedServer, startServer } from './bench/server.ts'
import { type BundledFile, bundleWorker, toModules } from './bundle.ts'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseFlags } from './flags.ts'

const HELP = `Measures Lacewing on this computer.

npm run bench -- [--bugs N] [--seconds S] [--out DIR] [--only NAME] [--growth | --profile NAME | --serve | --against URL | --hostile | --scans]

  --bugs N      size of the generated tracker (20000)
  --seconds S   duration of each measurement, three times that for scenarios with a goal (2)
  --growth      measure only how the reads grow from 1,000 to 100,000 bugs
  --profile NAME
                run only one scenario, under the profiler, with readable names
  --serve       only serve the tracker, for --against of another checkout, and print its URL
  --against URL
                compare every scenario with the server of another checkout, in turns
  --hostile     run what one caller may do to cost all others much, against the budget of each
  --scans       read a bug beside eight clients whose searches look at every comment
  --only NAME   only the scenarios or attacks with these words in their name
  --out DIR     folder of report.json and report.html (.wrangler/bench/report)

The tracker is generated once per size and cached in .wrangler/bench.
`

runCommand(async () => {
  const { bugs, seconds, growth, profile, serve, against, hostile, scans, only, out } =
    readArguments()
  if (serve) {
    return serveDataSet(bugs)
  }
  if (against !== undefined) {
    return compareWith(against, { bugs, seconds, only })
  }
  if (hostile) {
    return runAttacks(bugs, only)
  }
  if (scans) {
    return runScans(bugs, seconds)
  }
  mkdirSync(out, { recursive: true })
  if (profile !== undefined) {
    return profileScenario(profile, { bugs, seconds, out })
  }
  const report = growth
    ? await createGrowthReport(seconds, only)
    : await createFullReport(bugs, seconds, only)
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(out, 'report.html'), renderPage(report))
  process.stdout.write(`\n${formatReport(report)}\nWritten to ${out}/report.json and report.html\n`)
})

async function runAttacks(bugs: number, only: string | undefined): Promise<void> {
  const { table, failures } = await measureAttacks(bugs, only)
  process.stdout.write(`\n${table}\n`)
  if (failures.length > 0) {
    throw new CommandError(failures.join('\n'))
  }
}

async function runScans(bugs: number, seconds: number): Promise<void> {
  const { table, isMet } = await measureScans(bugs, seconds)
  process.stdout.write(`\n${table}\n`)
  if (!isMet) {
    throw new CommandError('Reading a bug takes too long beside the scans')
  }
}

async function createFullReport(
  bugs: number,
  seconds: number,
  only: string | undefined,
): Promise<Report> {
  const { idleHeap, caseCosts } = await measureCosts(bugs, seconds, only)
  const data = await prepareDataSet(bugs)
  const started = performance.now()
  const service = await startServer(data.folder)
  const open = performance.now() - started
  const baselines = new Map<BaselineName, BenchServer>()
  try {
    const firstAnswer = await measureFirstAnswer(service.origin)
    for (const baseline of BASELINES) {
      baselines.set(baseline.name, await startBaseline(baseline))
    }
    const servers = { service, baselines }
    const { idle, measured, floors } = await measureAll(
      servers,
      data,
      { cases: listCases(data, only), caseCosts },
      seconds,
    )
    return {
      bugs,
      databaseMegabytes: data.databaseBytes / 1_048_576,
      machine: describeMachine(),
      bundle: await measureBundle(),
      start: { open, firstAnswer },
      idle: { heap: idleHeap, runtime: idle },
      floors,
      measured,
      growth: [],
    }
  } finally {
    for (const { stop } of [service, ...baselines.values()]) {
      await stop()
    }
    deleteDataSet(data)
  }
}

async function createGrowthReport(seconds: number, only: string | undefined): Promise<Report> {
  const growth = await measureGrowth(seconds, only)
  return {
    bugs: 100_000,
    databaseMegabytes: 0,
    machine: describeMachine(),
    bundle: await measureBundle(),
    start: null,
    idle: null,
    floors: [],
    measured: [],
    growth,
  }
}

/** Serves a tracker until the process is told to end. */
async function serveDataSet(bugs: number): Promise<void> {
  const data = await prepareDataSet(bugs)
  const { origin, stop } = await startServer(data.folder)
  const url = new URL(origin)
  url.username = data.apiKey
  process.stdout.write(`${url}\n`)
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await stop()
  deleteDataSet(data)
}

async function compareWith(
  against: URL,
  { bugs, seconds, only }: { bugs: number; seconds: number; only: string | undefined },
): Promise<void> {
  const data = await prepareDataSet(bugs)
  const { origin, stop } = await startServer(data.folder)
  try {
    const comparisons = await compareServers({ origin, data }, against, seconds, only)
    process.stdout.write(`\n${formatComparisons(comparisons)}\n`)
  } finally {
    await stop()
    deleteDataSet(data)
  }
}

/** Runs one scenario under the profiler, prints the self times and writes the profile. */
async function profileScenario(
  name: string,
  { bugs, seconds, out }: { bugs: number; seconds: number; out: string },
): Promise<void> {
  const scenario = SCENARIOS.find((one) => one.name === name)
  if (scenario === undefined) {
    const names = SCENARIOS.map((one) => `  ${one.name}`).join('\n')
    return exitWithUsage(`--profile must be one of\n${names}`, HELP)
  }
  const data = await prepareDataSet(bugs)
  const { origin, inspector, stop } = await startInspectedServer(data.folder, 'readable')
  try {
    const found = listCases(data).find((one) => one.scenario === scenario && one.who !== 'anyone')
    const runners = found === undefined ? [] : [createRunner(found, origin, data)]
    await runClosedLoop(runners, { connections: 1, seconds: 1 })
    await inspector.startProfile()
    await runClosedLoop(runners, { connections: 1, seconds })
    const profile = await inspector.stopProfile()
    const file = join(out, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`)
    writeFileSync(file, JSON.stringify(profile))
    const rows = computeSelfTimes(profile)
      .slice(0, 30)
      .map(({ place, ms, share }) => [place, ms.toFixed(0), (share * 100).toFixed(1)])
    process.stdout.write(`${formatTable(['function', 'ms', '%'], rows)}\n\nWritten to ${file}\n`)
  } finally {
    await stop()
    deleteDataSet(data)
  }
}

async function measureFirstAnswer(origin: string): Promise<number> {
  const pool = new Pool(origin)
  const started = performance.now()
  await sendRequest(pool, { origin, headers: {} }, { method: 'GET', path: '/rest/version' })
  const duration = performance.now() - started
  await pool.close()
  return duration
}

async function measureBundle(): Promise<Report['bundle']> {
  const files = await bundleWorker('deployed')
  const join = (some: readonly BundledFile[]) =>
    Buffer.concat(toModules(some).map(({ contents }) => contents))
  const all = join(files)
  const atStart = join(files.filter(({ isNeededAtStart }) => isNeededAtStart))
  return {
    kilobytes: all.length / 1024,
    gzipKilobytes: gzipSync(all).length / 1024,
    startGzipKilobytes: gzipSync(atStart).length / 1024,
  }
}

function readArguments() {
  const flags = parseFlags(HELP, {
    bugs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '2' },
    growth: { type: 'boolean', default: false },
    profile: { type: 'string' },
    serve: { type: 'boolean', default: false },
    against: { type: 'string' },
    hostile: { type: 'boolean', default: false },
    scans: { type: 'boolean', default: false },
    only: { type: 'string' },
    out: { type: 'string', default: '.wrangler/bench/report' },
  })
  const bugs = Number(flags.bugs)
  const seconds = Number(flags.seconds)
  if (!Number.isInteger(bugs) || bugs < 1000) {
    exitWithUsage('--bugs must be a whole number from 1000.', HELP)
  }
  if (!(seconds > 0)) {
    exitWithUsage('--seconds must be a number above 0.', HELP)
  }
  const against = flags.against === undefined ? undefined : URL.parse(flags.against)
  if (against === null) {
    exitWithUsage('--against must be the URL that --serve printed.', HELP)
  }
  return { ...flags, bugs, seconds, against: against ?? undefined }
}
