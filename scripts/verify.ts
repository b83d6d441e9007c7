/**
 * Runs all checks: the static ones side by side, then the tests. CI runs exactly this. With `--quick` without the
 * tests that start programs for minutes.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './wrangler.ts'

type Step = [name: string, command: string, ...args: string[]]

const checks: Step[] = [
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
  ['schema.sql is current', 'node', 'scripts/run.js', 'schema', '--check'],
  ['descriptions.json is current', 'node', 'scripts/run.js', 'api-descriptions', '--check'],
  ['migrations are sound', 'drizzle-kit', 'check'],
]
const QUICK = ['worker', 'alone', 'moves', 'plans', 'search', 'outside']
const projects = process.argv.includes('--quick')
  ? QUICK.flatMap((project) => ['--project', project])
  : []
const tests: Step = ['tests', 'vitest', 'run', ...projects]

const env = { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
const before = readTreeState()

if (!existsSync(join(ROOT, 'node_modules/typescript'))) {
  process.stderr.write(
    'This command needs packages that npm ci --omit=dev leaves out. Run npm ci.\n',
  )
  process.exit(1)
}

const running = checks.map((step) => ({ name: step[0], result: runCaptured(step) }))
const failures: string[] = []
for (const { name, result } of running) {
  const { succeeded, output } = await result
  process.stdout.write(`\n== ${name}\n${output}`)
  if (!succeeded) {
    failures.push(name)
  }
}
exitOnFailure(failures)

const [name, command, ...args] = tests
process.stdout.write(`\n== ${name}\n`)
const { status } = spawnSync(command, args, { stdio: 'inherit', env })
exitOnFailure(status === 0 ? [] : [name])
exitOnFailure(readTreeState() === before ? [] : ['the tests changed the working tree'])
process.stdout.write('\nall checks pass\n')

/** Runs a step beside others; its output is kept so that the outputs of two never mix. */
function runCaptured([, command, ...args]: Step): Promise<{ succeeded: boolean; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  let output = ''
  const keep = (data: Buffer) => {
    output += data
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ succeeded: false, output: `${error.message}\n` }))
    child.once('close', (code) => resolve({ succeeded: code === 0, output }))
  })
}

function exitOnFailure(names: string[]): void {
  if (names.length > 0) {
    process.stderr.write(`\nfailed: ${names.join(', ')}\n`)
    process.exit(1)
  }
}

/** The changes of the working tree according to git. The tests must not add any. */
function readTreeState(): string {
  return spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).stdout
}
