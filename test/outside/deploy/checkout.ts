import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment } from '../running-server.ts'
import { type Platform, platformEnvironment } from './platform.ts'

const WRANGLER = 'wrangler/bin/wrangler.js'
const ROOT = join(import.meta.dirname, '../../..')

/** A copy of what a deployment needs, so that tests may add migrations and build beside each other. */
export type Checkout = {
  folder: string
  addMigration(name: string, sql: string): void
  /** Runs `npm run deploy` there, against a platform. */
  deploy(
    platform: Platform,
    variables?: Record<string, string>,
    ...flags: string[]
  ): Promise<CommandOutcome>
  /** Writes a file there. */
  write(name: string, text: string): void
  /** Runs wrangler there, as an operator does. */
  wrangler(platform: Platform, ...args: string[]): Promise<CommandOutcome>
  /** Runs `npm run wrangler -- …` there. */
  operate(
    platform: Platform,
    variables: Record<string, string>,
    ...words: string[]
  ): Promise<CommandOutcome>
  remove(): void
}

export type CommandOutcome = { status: number | null; output: string; errors: string }

export function copyCheckout(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-checkout-'))
  const names = ['package.json', 'tsconfig.json', 'wrangler.toml', 'drizzle', 'scripts', 'src']
  for (const name of [...names, 'docs']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    addMigration: (name, sql) => writeFileSync(join(folder, 'drizzle', name), sql),
    write: (name, text) => writeFileSync(join(folder, name), text),
    deploy: (platform, variables = {}, ...flags) =>
      runNode(folder, ['scripts/run.js', 'deploy', ...flags], {
        ...platformEnvironment(platform),
        ...variables,
      }),
    wrangler: (platform, ...args) =>
      runNode(folder, [join('node_modules', WRANGLER), ...args], platformEnvironment(platform)),
    operate: (platform, variables, ...words) =>
      runNode(folder, ['scripts/run.js', 'operate', ...words], {
        ...platformEnvironment(platform),
        ...variables,
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function runNode(
  folder: string,
  command: string[],
  variables: Record<string, string>,
): Promise<CommandOutcome> {
  const { PATH, TMPDIR } = process.env
  // most of the time of wrangler goes into compiling its code
  const cache = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/lacewing/compiled') }
  const child = spawn(process.execPath, command, {
    cwd: folder,
    env: environment({ PATH, TMPDIR, CI: 'true', ...cache, ...variables }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outcome: CommandOutcome = { status: null, output: '', errors: '' }
  child.stdout.on('data', (data) => {
    outcome.output += data
  })
  child.stderr.on('data', (data) => {
    outcome.errors += data
  })
  return new Promise((done) => {
    child.once('close', (status) => done({ ...outcome, status }))
  })
}
