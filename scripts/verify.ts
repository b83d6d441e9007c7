/** Runs all checks, the fastest first. CI runs exactly this. */
import { spawnSync } from 'node:child_process'

type Step = [name: string, command: string, ...args: string[]]

const steps: Step[] = [
  [
    'binding types are current',
    'wrangler',
    'types',
    '--include-runtime=false',
    '--strict-vars=false',
    '--check',
  ],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['types', 'tsc', '--noEmit', '-p', '.'],
  ['schema.sql is current', 'node', 'scripts/schema.ts', '--check'],
  ['migrations are sound', 'drizzle-kit', 'check'],
  ['tests', 'vitest', 'run'],
]

const env = { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
const before = readTreeState()

for (const [name, command, ...args] of steps) {
  process.stdout.write(`\n== ${name}\n`)
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (status !== 0) {
    process.stderr.write(`\nfailed: ${name}\n`)
    process.exit(1)
  }
}

if (readTreeState() !== before) {
  process.stderr.write('\nfailed: the tests changed the working tree\n')
  process.exit(1)
}
process.stdout.write('\nall checks pass\n')

/** The changes of the working tree according to git. The tests must not add any. */
function readTreeState(): string {
  return spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout
}
