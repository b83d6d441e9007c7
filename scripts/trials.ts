/** `npm run trials`: see HELP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseFlags } from './flags.ts'
import { folderTrials } from './trials/folders.ts'
import { killTrials } from './trials/kills.ts'
import { processTrials } from './trials/processes.ts'
import { killAll } from './trials/trial.ts'

const HELP = `Tries the promises of npm start with real processes, again and again: one server for a folder of
data, no process and no lock after a kill, refusals in one sentence, full and read-only disks, and
nothing lost, doubled or out of order when it is killed under load: 30 times by
npm run trials -- --count 5 --only "under load"

npm run trials -- [--count N] [--only WORDS]

  --count N      rounds (50); one takes about two minutes
  --only WORDS   only the trials with these words in their title
`

runCommand(async () => {
  const flags = parseFlags(HELP, {
    count: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
  })
  const count = Number(flags.count)
  if (!Number.isInteger(count) || count < 1) {
    exitWithUsage('--count must be a whole number from 1.', HELP)
  }
  const chosen = [...processTrials, ...folderTrials, ...killTrials].filter(({ title }) =>
    title.includes(flags.only),
  )
  const failures = new Map(chosen.map(({ title }) => [title, 0]))
  for (let round = 1; round <= count; round += 1) {
    for (const trial of chosen) {
      const folder = mkdtempSync(join(tmpdir(), 'lacewing-trial-'))
      try {
        await trial.run(folder)
      } catch (error) {
        failures.set(trial.title, (failures.get(trial.title) ?? 0) + 1)
        process.stderr.write(`round ${round}: ${trial.title}\n${error}\n`)
      } finally {
        killAll()
        rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
      }
    }
    process.stderr.write(`${round} of ${count} rounds\n`)
  }
  for (const [title, failed] of failures) {
    process.stdout.write(`${count - failed} of ${count}: ${title}\n`)
  }
  if ([...failures.values()].some((failed) => failed > 0)) {
    throw new CommandError('Some trials failed.')
  }
})
