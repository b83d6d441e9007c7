/** `npm run trials`: see HELP. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { exitWithUsage, parseFlags } from './flags.ts'
import { ROOT } from './wrangler.ts'

const HELP = `Tries the promises of npm start with real processes, again and again: one server for a folder of
data, no process and no lock after a kill, full and read-only disks, and nothing lost, doubled or out of
order when it is killed under load: 30 times by npm run trials -- --count 5 --only "under load"

npm run trials -- [--count N] [--only WORDS]

  --count N      rounds (50); one takes about two minutes
  --only WORDS   only the trials with these words in their title
`

const { count, only } = parseFlags(HELP, {
  count: { type: 'string', default: '50' },
  only: { type: 'string', default: '' },
})
if (!Number.isInteger(Number(count)) || Number(count) < 1) {
  exitWithUsage('--count must be a whole number from 1.', HELP)
}
const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
const files = ['trials', 'kills-under-load'].map((name) => `test/outside/${name}.test.ts`)
const chosen = ['--project', 'rehearsals', '--no-file-parallelism', ...files, '-t', only]
const { status } = spawnSync(process.execPath, [vitest, 'run', ...chosen], {
  ...{ cwd: ROOT, stdio: 'inherit', env: { ...process.env, TRIALS: count } },
})
process.exitCode = status ?? 1
