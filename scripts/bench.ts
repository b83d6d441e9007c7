/** `npm run bench`: see HELP. */
import { z } from 'zod'
import { measureAttachments } from './bench/attachments.ts'
import { measureBytes } from './bench/bytes.ts'
import { compareServers, serveDataSet } from './bench/compare.ts'
import { measureMonth } from './bench/cost.ts'
import { generateDataSet } from './bench/data-set.ts'
import { measureDraws } from './bench/draws.ts'
import { measureDuplicates } from './bench/duplicates.ts'
import { measureHostile } from './bench/hostile.ts'
import { measureMoves } from './bench/moves.ts'
import { profileScenario } from './bench/profile.ts'
import { reportFigures, reportGrowth } from './bench/report.ts'
import { SCENARIOS } from './bench/scenarios.ts'
import { measureUpkeep } from './bench/upkeep.ts'
import { runCommand } from './command.ts'
import { exitWithUsage, parseFlags } from './flags.ts'

const NAMES = SCENARIOS.map(({ name }) => name)
const isOn = z.boolean().default(false)
const text = z.string()
const above0 = z.coerce.number().refine((value) => value > 0, 'must be a number above 0')
const wholeFrom = (least: number) => {
  const isWhole = (value: number) => Number.isInteger(value) && value >= least
  return z.coerce.number().refine(isWhole, `must be a whole number from ${least}`)
}
const sizes = z.preprocess((given) => String(given).split(','), z.array(wholeFrom(1000)))
const url = text.refine(URL.canParse, 'must be the URL that --serve printed')

/** The flags with their values and what they say. */
const FLAGS = z.object({
  bugs: wholeFrom(1000).default(20_000).describe('N: size of the generated tracker (20000)'),
  seconds: above0
    .default(2)
    .describe('S: duration of each measurement, three times that for scenarios with a goal (2)'),
  generate: text.optional().describe('DIR: only generate the tracker, into a new folder'),
  growth: isOn.describe(
    'measure only rows and CPU time of each request in trackers of several sizes',
  ),
  sizes: sizes.default([10_000, 100_000]).describe('N,N: of these (10000,100000)'),
  bytes: isOn.describe('print the bytes of each table and index'),
  data: text.optional().describe('DIR: of the tracker in this folder, which nothing changes'),
  duplicates: isOn.describe(
    'print how often possible_duplicates finds the original of a duplicate',
  ),
  cost: isOn.describe('print rows, CPU time and the price of a month of two trackers'),
  reads: wholeFrom(0)
    .optional()
    .describe('N: or of another one that stores --bugs, with so many reads'),
  writes: wholeFrom(0).default(0).describe('N: and so many writes (0)'),
  profile: z
    .enum(NAMES, `must be one of\n  ${NAMES.join('\n  ')}`)
    .optional()
    .describe('NAME: run only one scenario, under the profiler, with readable names'),
  serve: isOn.describe(
    'only serve the tracker, for --against of another checkout, and print its URL',
  ),
  against: url
    .transform((address) => new URL(address))
    .optional()
    .describe('URL: compare every scenario with the server of another checkout, in turns'),
  hostile: isOn.describe('run what one caller may do to cost all others much, against budgets'),
  floods: isOn.describe('of these, only the requests that are sent 64 times at once'),
  before: text.optional().describe('COMMIT: compare these with the code of an earlier commit'),
  draws: wholeFrom(1)
    .optional()
    .describe('N: send so many costly searches that are drawn, against limits'),
  seed: wholeFrom(0).default(1).describe('N: the first of these (1)'),
  moves: isOn.describe('measure an export and an import of the whole tracker'),
  upkeep: isOn.describe(
    'measure a start, filings beside the cron, a large answer, the longest index',
  ),
  attachment: above0.optional().describe('MB: measure the memory of an attachment of this size'),
  only: text.default('').describe('NAME: only scenarios or attacks with these words in their name'),
  out: text
    .default('.wrangler/bench/report')
    .describe('DIR: of the report (.wrangler/bench/report)'),
})

type Flags = z.infer<typeof FLAGS>

/** What is measured instead of all scenarios, by the flag that says so. */
const MODES: {
  [Name in keyof Flags]?: (value: NonNullable<Flags[Name]>, flags: Flags) => Promise<void>
} = {
  generate: (folder, { bugs }) => generateDataSet(bugs, folder),
  growth: (_, flags) => reportGrowth(flags),
  bytes: (_, { bugs, data }) => measureBytes(bugs, data),
  duplicates: (_, { bugs }) => measureDuplicates(bugs),
  cost: (_, flags) => measureMonth(flags),
  profile: profileScenario,
  serve: (_, { bugs }) => serveDataSet(bugs),
  against: compareServers,
  hostile: (_, flags) => measureHostile(flags),
  draws: measureDraws,
  moves: (_, { bugs }) => measureMoves(bugs),
  upkeep: (_, { bugs }) => measureUpkeep(bugs),
  attachment: measureAttachments,
}

const DESCRIBED = Object.entries(FLAGS.shape).map(([name, { description = '' }]) => {
  const [, value = '', help = ''] = /^(?:([A-Z,]+): )?(.*)$/.exec(description) ?? []
  return { name, value, flag: `--${name} ${value}`.trim(), help }
})

const HELP = `Measures Lacewing on this computer.

npm run bench -- [--bugs N] [--seconds S] [--out DIR] [--only NAME]
  [${DESCRIBED.flatMap(({ name, flag }) => (name in MODES ? [flag] : [])).join(' | ')}]

${DESCRIBED.map(({ flag, help }) => `  ${flag.padEnd(17)}${help}`).join('\n')}

The tracker is generated once per size and cached in .wrangler/bench.
`

runCommand(async () => {
  const types = DESCRIBED.map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' }])
  const { data: flags, error } = FLAGS.safeParse(parseFlags(HELP, Object.fromEntries(types)))
  if (flags === undefined) {
    const wrong = error.issues.map(({ path, message }) => `--${String(path[0])} ${message}.`)
    return exitWithUsage(wrong.join('\n'), HELP)
  }
  const modes = Object.keys(MODES) as (keyof typeof MODES)[]
  const chosen = modes.find((name) => flags[name] !== undefined && flags[name] !== false)
  return chosen === undefined
    ? reportFigures(flags)
    : MODES[chosen]?.(flags[chosen] as never, flags)
})
