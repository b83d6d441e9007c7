/** `npm run bench`: see HELP. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureAttachments } from './bench/attachments.ts'
import { measureBytes } from './bench/bytes.ts'
import { compareServers } from './bench/compare.ts'
import { measureMonth } from './bench/cost.ts'
import { generateDataSet, withServer } from './bench/data-set.ts'
import { measureDraws } from './bench/draws.ts'
import { measureDuplicates } from './bench/duplicates.ts'
import { measureGrowth } from './bench/growth.ts'
import { measureHostile } from './bench/hostile.ts'
import { computeSelfTimes } from './bench/inspector.ts'
import { listCases, runClosedLoop } from './bench/loop.ts'
import { measureAll } from './bench/measure.ts'
import { measureMoves } from './bench/moves.ts'
import { createReport, formatReport, renderReport } from './bench/report.ts'
import { SCENARIOS } from './bench/scenarios.ts'
import { startInspectedServer, startServer } from './bench/servers.ts'
import { formatTable } from './bench/table.ts'
import { measureUpkeep } from './bench/upkeep.ts'
import { runCommand } from './command.ts'
import { exitWithUsage, parseFlags } from './flags.ts'

const HELP = `Measures Lacewing on this computer.

npm run bench -- [--bugs N] [--seconds S] [--out DIR] [--only NAME]
  [--generate DIR | --growth | --bytes | --duplicates | --cost | --profile NAME | --serve | --against URL | --hostile [--before COMMIT] | --draws N | --attachment MB | --moves | --upkeep]

  --bugs N         size of the generated tracker (20000)
  --seconds S      duration of each measurement, three times that for scenarios with a goal (2)
  --generate DIR   only generate the tracker, into a new folder
  --growth         measure only rows and CPU time of each request in a tracker of each of the --sizes
  --sizes N,N      (10000,100000)
  --bytes          print the bytes of each table and index
  --data DIR       of the tracker in this folder, which nothing changes
  --duplicates     print how often possible_duplicates finds the original of a duplicate
  --cost           print rows, CPU time and the price of a month of two trackers
  --reads N        or of another one that stores --bugs, with so many reads
  --writes N       and so many writes (0)
  --profile NAME   run only one scenario, under the profiler, with readable names
  --serve          only serve the tracker, for --against of another checkout, and print its URL
  --against URL    compare every scenario with the server of another checkout, in turns
  --hostile        run what one caller may do to cost all others much, against the budget of each
  --floods         of these, only the requests that are sent 64 times at once
  --before COMMIT  compare these with the code of an earlier commit
  --draws N        send as many drawn searches, each as costly as somebody can think of, against the limits of one
  --seed N         the first of these (1)
  --moves          measure an export and an import of the whole tracker
  --upkeep         measure a start, filings beside the work of the cron, a large answer, and the longest index to make
  --attachment MB  measure the memory of sending, reading and downloading an attachment of this size
  --only NAME      only the scenarios or attacks with these words in their name
  --out DIR        folder of report.json and report.html (.wrangler/bench/report)

The tracker is generated once per size and cached in .wrangler/bench.
`

runCommand(async () => {
  const { bugs, seconds, only, out, ...mode } = readArguments()
  if (mode.generate !== undefined) {
    return generateDataSet(bugs, mode.generate)
  }
  if (mode.bytes) {
    return measureBytes(bugs, mode.data)
  }
  if (mode.duplicates) {
    return measureDuplicates(bugs)
  }
  if (mode.cost) {
    const { reads, writes } = mode
    const own = { name: 'a month', reads: Number(reads), writes: Number(writes), bugs }
    return measureMonth(bugs, reads === undefined ? undefined : own)
  }
  if (mode.serve) {
    return serveDataSet(bugs)
  }
  if (mode.against !== undefined) {
    const table = await compareServers(mode.against, { bugs, seconds, only })
    process.stdout.write(`\n${table}\n`)
    return
  }
  if (mode.draws !== undefined) {
    return measureDraws(bugs, mode.draws, mode.seed)
  }
  if (mode.hostile) {
    const { before, floods } = mode
    return measureHostile({ bugs, out, only, before, floods })
  }
  if (mode.moves) {
    return measureMoves(bugs)
  }
  if (mode.upkeep) {
    return measureUpkeep(bugs)
  }
  if (mode.attachment !== undefined) {
    return measureAttachments(mode.attachment)
  }
  mkdirSync(out, { recursive: true })
  if (mode.profile !== undefined) {
    return profileScenario(mode.profile, { bugs, seconds, out })
  }
  const report = mode.growth
    ? await createReport(bugs, null, await measureGrowth(mode.sizes, only))
    : await createReport(bugs, await measureAll(bugs, seconds, only), [])
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(out, 'report.html'), renderReport(report))
  const written = `Written to ${out}/report.json and report.html`
  process.stdout.write(`\n${formatReport(report)}\n\n${written}\n`)
})

/** Serves a tracker until the process is told to end. The URL carries the keys of its developer and its bot. */
function serveDataSet(bugs: number): Promise<void> {
  return withServer(bugs, startServer, async ({ origin }, { keys }) => {
    const url = Object.assign(new URL(origin), { username: keys.developer, password: keys.bot })
    process.stdout.write(`${url}\n`)
    await new Promise((resolve) => {
      process.once('SIGINT', resolve)
      process.once('SIGTERM', resolve)
    })
  })
}

/** Runs one scenario under the profiler, prints the self times and writes the profile. */
function profileScenario(
  name: string,
  { bugs, seconds, out }: { bugs: number; seconds: number; out: string },
): Promise<void> {
  const startReadable = (folder: string) => startInspectedServer(folder, { minified: false })
  return withServer(bugs, startReadable, async (server, data) => {
    const found = listCases(data, server).filter(({ scenario }) => scenario.name === name)
    const runners = found.slice(-1)
    await runClosedLoop(runners, { connections: 1, seconds: 1 })
    const run = () => runClosedLoop(runners, { connections: 1, seconds })
    const profile = await server.inspector.profile(run)
    const file = join(out, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`)
    writeFileSync(file, JSON.stringify(profile))
    const table = formatTable(computeSelfTimes(profile).slice(0, 30), {
      function: ({ place }) => place,
      ms: ({ ms }) => Math.round(ms),
      '%': ({ share }) => share * 100,
    })
    process.stdout.write(`${table}\n\nWritten to ${file}\n`)
  })
}

function readArguments() {
  const flags = parseFlags(HELP, {
    bugs: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '2' },
    generate: { type: 'string' },
    growth: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '10000,100000' },
    reads: { type: 'string' },
    writes: { type: 'string', default: '0' },
    bytes: { type: 'boolean', default: false },
    data: { type: 'string' },
    duplicates: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
    profile: { type: 'string' },
    serve: { type: 'boolean', default: false },
    against: { type: 'string' },
    hostile: { type: 'boolean', default: false },
    floods: { type: 'boolean', default: false },
    before: { type: 'string' },
    draws: { type: 'string' },
    seed: { type: 'string', default: '1' },
    moves: { type: 'boolean', default: false },
    upkeep: { type: 'boolean', default: false },
    attachment: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string', default: '.wrangler/bench/report' },
  })
  const sizes = flags.sizes.split(',').map(Number)
  const [bugs, seconds] = [Number(flags.bugs), Number(flags.seconds)]
  const attachment = flags.attachment === undefined ? undefined : Number(flags.attachment)
  const draws = flags.draws === undefined ? undefined : Number(flags.draws)
  const against = flags.against === undefined ? undefined : URL.parse(flags.against)
  const names = SCENARIOS.map(({ name }) => name)
  if ([bugs, ...sizes].some((size) => !Number.isInteger(size) || size < 1000)) {
    exitWithUsage('--bugs and --sizes must be whole numbers from 1000.', HELP)
  }
  if (!Number.isInteger(draws ?? 1) || !((draws ?? 1) > 0)) {
    exitWithUsage('--draws must be a whole number above 0.', HELP)
  }
  if (!(seconds > 0) || !((attachment ?? 1) > 0)) {
    exitWithUsage('--seconds and --attachment must be numbers above 0.', HELP)
  }
  if (against === null) {
    exitWithUsage('--against must be the URL that --serve printed.', HELP)
  }
  if (flags.profile !== undefined && !names.includes(flags.profile)) {
    exitWithUsage(`--profile must be one of\n  ${names.join('\n  ')}`, HELP)
  }
  return {
    ...flags,
    bugs,
    sizes,
    seconds,
    attachment,
    draws,
    seed: Number(flags.seed),
    against: against ?? undefined,
  }
}
