/** `npm run bench`: see HELP. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { casesOf, runnerOf } from './bench/cases.ts'
import { ask, closedLoop } from './bench/closed-loop.ts'
import { dataSet, discard } from './bench/data-set.ts'
import { measureGrowth } from './bench/growth.ts'
import { selfTimes } from './bench/inspector.ts'
import { measureAll } from './bench/measure.ts'
import { page } from './bench/page.ts'
import { describe, machine, type Report } from './bench/report.ts'
import { SCENARIOS, type YardstickName } from './bench/scenarios.ts'
import { type Served, serve, serveWatched } from './bench/serve.ts'
import { formatTable } from './bench/table.ts'
import { weighAll } from './bench/weigh.ts'
import { startYardstick, YARDSTICKS } from './bench/yardsticks.ts'
import { bundleWorker } from './bundle.ts'
import { runCommand } from './complaint.ts'
import { readFlags, refuse } from './flags.ts'

const HELP = `Measures Lacewing on this computer.

npm run bench -- [--bugs N] [--seconds S] [--growth | --profile NAME] [--out DIR]

  --bugs N      size of the generated tracker (20000)
  --seconds S   how long each figure is measured, three times that if it has a goal (2)
  --growth      measure how the reads grow from 1,000 to 100,000 bugs, and nothing else
  --profile NAME
                run one scenario under the profiler, with readable names, and nothing else
  --out DIR     where report.json and report.html go (.wrangler/bench/report)

The tracker is generated once for each size and kept in .wrangler/bench.
`

runCommand(async () => {
  const { bugs, seconds, growth, profile, out } = readArguments()
  mkdirSync(out, { recursive: true })
  if (profile !== undefined) {
    return profileScenario(profile, { bugs, seconds, out })
  }
  const report = growth ? await growthReport(seconds) : await fullReport(bugs, seconds)
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(out, 'report.html'), page(report))
  process.stdout.write(`\n${describe(report)}\nWritten to ${out}/report.json and report.html\n`)
})

async function fullReport(bugs: number, seconds: number): Promise<Report> {
  const { idleHeap, weighed } = await weighAll(bugs, seconds)
  const data = await dataSet(bugs)
  const began = performance.now()
  const service = await serve(data.folder)
  const open = performance.now() - began
  const yardsticks = new Map<YardstickName, Served>()
  try {
    const firstAnswer = await firstAnswerOf(service.origin)
    for (const yardstick of YARDSTICKS) {
      yardsticks.set(yardstick.name, await startYardstick(yardstick))
    }
    const servers = { service, yardsticks }
    const { idle, measured, floors } = await measureAll(servers, data, weighed, seconds)
    return {
      bugs,
      databaseMegabytes: data.databaseBytes / 1_048_576,
      machine: machine(),
      bundle: await bundleSize(),
      start: { open, firstAnswer },
      idle: { heap: idleHeap, runtime: idle },
      floors,
      measured,
      growth: [],
    }
  } finally {
    for (const { stop } of [service, ...yardsticks.values()]) {
      await stop()
    }
    discard(data)
  }
}

async function growthReport(seconds: number): Promise<Report> {
  const growth = await measureGrowth(seconds)
  return {
    bugs: 100_000,
    databaseMegabytes: 0,
    machine: machine(),
    bundle: await bundleSize(),
    start: null,
    idle: null,
    floors: [],
    measured: [],
    growth,
  }
}

/** Runs one scenario under the profiler: prints where the time goes, and writes the profile. */
async function profileScenario(
  name: string,
  { bugs, seconds, out }: { bugs: number; seconds: number; out: string },
): Promise<void> {
  const scenario = SCENARIOS.find((one) => one.name === name)
  if (scenario === undefined) {
    const names = SCENARIOS.map((one) => `  ${one.name}`).join('\n')
    return refuse(`--profile must be one of\n${names}`, HELP)
  }
  const data = await dataSet(bugs)
  const { origin, inspector, stop } = await serveWatched(data.folder, 'readable')
  try {
    const keyed = casesOf(data).find((one) => one.scenario === scenario && one.who !== 'anyone')
    const runners = keyed === undefined ? [] : [runnerOf(keyed, origin, data)]
    await closedLoop(runners, { connections: 1, seconds: 1 })
    await inspector.startProfile()
    await closedLoop(runners, { connections: 1, seconds })
    const profile = await inspector.stopProfile()
    const file = join(out, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`)
    writeFileSync(file, JSON.stringify(profile))
    const rows = selfTimes(profile)
      .slice(0, 30)
      .map(({ place, ms, share }) => [place, ms.toFixed(0), (share * 100).toFixed(1)])
    process.stdout.write(`${formatTable(['function', 'ms', '%'], rows)}\n\nWritten to ${file}\n`)
  } finally {
    await stop()
    discard(data)
  }
}

async function firstAnswerOf(origin: string): Promise<number> {
  const pool = new Pool(origin)
  const began = performance.now()
  await ask(pool, { origin, headers: {} }, { method: 'GET', path: '/rest/version' })
  const took = performance.now() - began
  await pool.close()
  return took
}

async function bundleSize(): Promise<Report['bundle']> {
  const files = await bundleWorker('deployed')
  const scripts = files.filter(({ name }) => name.endsWith('.js'))
  const bytes = Buffer.concat(scripts.map(({ contents }) => contents))
  return { kilobytes: bytes.length / 1024, gzipKilobytes: gzipSync(bytes).length / 1024 }
}

function readArguments() {
  const flags = readFlags(HELP, {
    bugs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '2' },
    growth: { type: 'boolean', default: false },
    profile: { type: 'string' },
    out: { type: 'string', default: '.wrangler/bench/report' },
  })
  const bugs = Number(flags.bugs)
  const seconds = Number(flags.seconds)
  if (!Number.isInteger(bugs) || bugs < 1000) {
    refuse('--bugs must be a whole number from 1000.', HELP)
  }
  if (!(seconds > 0)) {
    refuse('--seconds must be a number above 0.', HELP)
  }
  return { bugs, seconds, growth: flags.growth, profile: flags.profile, out: flags.out }
}
