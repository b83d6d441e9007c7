/** `npm run bench`: see HELP. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { ask, closedLoop } from './bench/closed-loop.ts'
import { dataSet, discard } from './bench/data-set.ts'
import { measureGrowth } from './bench/growth.ts'
import { selfTimes } from './bench/inspector.ts'
import { CONNECTIONS, measureAll } from './bench/measure.ts'
import { peakMemory } from './bench/memory.ts'
import { page } from './bench/page.ts'
import { progress } from './bench/progress.ts'
import { describe, type Floor, type Memory, machine, type Report } from './bench/report.ts'
import { SCENARIOS } from './bench/scenarios.ts'
import { limitHeap, type Served, serve } from './bench/serve.ts'
import { formatTable } from './bench/table.ts'
import { startYardstick, YARDSTICKS } from './bench/yardsticks.ts'
import { bundleWorker } from './bundle.ts'
import { runCommand } from './complaint.ts'
import { readFlags, refuse } from './flags.ts'

const HELP = `Measures Lacewing on this computer.

npm run bench -- [--bugs N] [--seconds S] [--growth | --profile NAME] [--out DIR]

  --bugs N      size of the generated tracker (20000)
  --seconds S   how long each figure is measured (2)
  --growth      measure how the reads grow from 1,000 to 100,000 bugs, and nothing else
  --profile NAME
                run one scenario under the profiler, and nothing else
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
  const floors = await measureFloors(seconds)
  const data = await dataSet(bugs)
  const began = performance.now()
  const server = await serve(data.folder)
  const open = performance.now() - began
  try {
    const firstAnswer = await firstAnswerOf(server.origin)
    const idle = await memoryOf(server)
    const measured = await measureAll(server, data.at, data.apiKey, seconds)
    const end = await memoryOf(server)
    return {
      bugs,
      databaseMegabytes: data.databaseBytes / 1_048_576,
      machine: machine(),
      bundle: await bundleSize(),
      start: { open, firstAnswer },
      memory: { idle, end },
      floors,
      measured,
      growth: [],
    }
  } finally {
    await server.stop()
    discard(data)
  }
}

async function growthReport(seconds: number): Promise<Report> {
  return {
    bugs: 100_000,
    databaseMegabytes: 0,
    machine: machine(),
    bundle: await bundleSize(),
    start: null,
    memory: null,
    floors: [],
    measured: [],
    growth: await measureGrowth(seconds),
  }
}

async function measureFloors(seconds: number): Promise<Floor[]> {
  limitHeap()
  const floors: Floor[] = []
  for (const yardstick of YARDSTICKS) {
    const { origin, stop } = await startYardstick(yardstick)
    const bar = progress(`yardstick: ${yardstick.name}`)
    for (const connections of CONNECTIONS) {
      const next = () => ({ method: 'GET', path: '/' }) as const
      const timing = await closedLoop({ origin, headers: {} }, next, { connections, seconds })
      floors.push({ name: yardstick.name, connections, ...timing, peak: peakMemory() })
    }
    bar.end()
    await stop()
  }
  return floors
}

async function memoryOf({ inspector }: Served): Promise<Memory> {
  return { heap: await inspector.heap(), peak: peakMemory() }
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
  const server = await serve(data.folder)
  try {
    const headers = { authorization: `Bearer ${data.apiKey}` }
    let sent = 0
    const next = () => {
      sent += 1
      return scenario.request(data.at, sent)
    }
    const target = { origin: server.origin, headers }
    await closedLoop(target, next, { connections: 1, seconds: 1 })
    await server.inspector.startProfile()
    await closedLoop(target, next, { connections: 1, seconds })
    const profile = await server.inspector.stopProfile()
    const file = join(out, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`)
    writeFileSync(file, JSON.stringify(profile))
    const rows = selfTimes(profile)
      .slice(0, 30)
      .map(({ place, ms, share }) => [place, ms.toFixed(0), (share * 100).toFixed(1)])
    process.stdout.write(`${formatTable(['function', 'ms', '%'], rows)}\n\nWritten to ${file}\n`)
  } finally {
    await server.stop()
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
