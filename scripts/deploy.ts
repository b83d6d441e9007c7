/** `npm run deploy`: see HELP. Every step is idempotent, so an interrupted deployment can be repeated. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  chooseAdministrator,
  createFirstAdministrator,
  describeAdministrator,
} from './administrator/first-administrator.ts'
import { CommandError, runCommand } from './command.ts'
import { type Deployment, describeDeployment, readDeployment } from './deployment.ts'
import { parseFlags } from './flags.ts'
import { generateSecretsKey } from './local/secrets-key.ts'
import { runByWrangler } from './statements-by-wrangler.ts'
import { runWrangler } from './wrangler.ts'

const HELP = `Deploys Lacewing to the Cloudflare account that wrangler is logged in to.

npm run deploy -- [--env NAME] [--dry-run]

  --env NAME  deploy a second tracker, such as one to try things out, with the settings of
              deployment.NAME.env instead of deployment.env
  --dry-run   print the commands of a first deployment, run none

deployment.env, which Git ignores, has the settings in which this tracker differs from
wrangler.toml, as NAME=value: REQUIRE_LOGIN, MAIL_FROM and so on, and besides
  WORKER, DATABASE, BUCKET   the names of the Worker and of what holds its data
  DOMAIN                     the host name that it serves, in a zone of the account
  SMTP_URL                   the mail server, which is stored as a secret

Creates what is missing: queues, database, tables, bucket, the secret SECRETS_KEY, and the
first administrator. ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment set
the credentials, and SECRETS_KEY sets the secret; what is not set is generated and shown
once. A step that fails is named; the next run goes on with it.
`

type Step = {
  name: string
  /** For operators, when the step fails: what is done, and what is as before. */
  onFailure: string
}

const QUEUES: Step = {
  name: 'Create the missing queues',
  onFailure: 'Nothing that is deployed has changed.',
}
const DATABASE: Step = {
  name: 'Create the missing database',
  onFailure: 'Nothing that is deployed has changed.',
}
const MIGRATIONS: Step = {
  name: 'Apply the new migrations',
  onFailure:
    'The migrations before the one that failed are applied, that one is undone, and the code that is deployed, if any, still runs: migrations only add to what it uses.',
}
const UPLOAD: Step = {
  name: 'Upload the Worker',
  onFailure:
    'The migrations are applied, and the code that was deployed, if any, runs with them. Whether the new code was uploaded before the failure is in the output above.',
}
const ADMINISTRATOR: Step = {
  name: 'Create the first administrator',
  onFailure:
    'The new code is deployed and serves. Set SECRETS_KEY to the secret that was shown, so that the API key can sign events of a code host.',
}

const { 'dry-run': dryRun, env: environment } = parseFlags(HELP, {
  'dry-run': { type: 'boolean', default: false },
  env: { type: 'string' },
})

let deployment: Deployment
const ofEnvironment = environment === undefined ? '' : ` --env ${environment}`

// One after the other: two processes of wrangler would renew an expired login with the same one-time token.
runCommand(async () => {
  deployment = readDeployment(environment)
  // refuses credentials that the last step could not use
  chooseAdministrator(process.env)
  printLine(`== Settings\n${describeDeployment(deployment)}`)
  await runStep(QUEUES, createMissingQueues)
  await runStep(DATABASE, createMissingDatabase)
  // before the code, so that the code never runs on tables that it does not know
  await runStep(MIGRATIONS, applyMigrations)
  const secretsKey = await runStep(UPLOAD, uploadWorker)
  await runStep(ADMINISTRATOR, () => createAdministrator(secretsKey))
})

async function createMissingQueues(): Promise<void> {
  for (const queue of listQueueNames()) {
    const probe = ['queues', 'info', queue]
    if (!(await isFound(probe, `Queue "${queue}" does not exist`))) {
      await run('queues', 'create', queue)
    }
  }
}

async function createMissingDatabase(): Promise<void> {
  const name = deployment.config.d1_databases[0]?.database_name ?? ''
  const list = await run('d1', 'list', '--json')
  if (
    !(JSON.parse(list ?? '[]') as { name: string }[]).some((database) => database.name === name)
  ) {
    await run('d1', 'create', name)
  }
}

async function applyMigrations(): Promise<void> {
  const output = await run('d1', 'migrations', 'apply', 'DB', '--remote')
  if (output === null) {
    return
  }
  // wrangler prints a table after each one, of which the last has all of them
  const names = new Set(Array.from(output.matchAll(/\d{4}_\S+\.sql/g), ([name]) => name))
  printLine(names.size === 0 ? 'None.' : [...names].join('\n'))
}

/**
 * Uploads the code, with a new secret when there is none, because code without it is refused; returns the new
 * secret. wrangler creates the bucket. Nobody can read the secret back, so it is shown as soon as it is stored.
 */
async function uploadWorker(): Promise<string | null> {
  if (await hasSecretsKey()) {
    await deployWithSecrets(deployment.secrets)
    return null
  }
  const secretsKey = process.env.SECRETS_KEY || generateSecretsKey()
  try {
    await deployWithSecrets({ ...deployment.secrets, SECRETS_KEY: secretsKey })
  } catch (error) {
    // what fails after the upload, such as the schedule, leaves a Worker with the secret
    if (await hasSecretsKey().catch(() => true)) {
      showSecretsKey(secretsKey)
    }
    throw error
  }
  showSecretsKey(secretsKey)
  return secretsKey
}

/** Other secrets of the Worker stay. */
async function deployWithSecrets(secrets: Record<string, string>): Promise<void> {
  if (Object.keys(secrets).length === 0) {
    return printDeployed(await run('deploy'))
  }
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-'))
  const file = join(folder, 'secrets.json')
  try {
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
    printDeployed(await run('deploy', '--secrets-file', file))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function showSecretsKey(secretsKey: string): void {
  if (!(dryRun || process.env.SECRETS_KEY)) {
    printLine(
      `Generated the secret of the deployment. Keep it; this is shown only once.\n  SECRETS_KEY: ${secretsKey}`,
    )
  }
}

/** Throws when the answer is unknown, because a new secret would make all encrypted keys unreadable. */
async function hasSecretsKey(): Promise<boolean> {
  const list = await run('secret', 'list', '--format', 'json').catch((error: unknown) => {
    if (error instanceof CommandError && /Worker "[^"]*" not found/.test(error.message)) {
      return null
    }
    throw error
  })
  return (JSON.parse(list ?? '[]') as { name: string }[]).some(({ name }) => name === 'SECRETS_KEY')
}

async function createAdministrator(newSecretsKey: string | null): Promise<void> {
  if (dryRun) {
    return printLine(`npm run bootstrap -- --remote${ofEnvironment}`)
  }
  const secretsKey = newSecretsKey ?? (process.env.SECRETS_KEY || null)
  const administrator = await createFirstAdministrator(
    runByWrangler(['--remote', ...deployment.flags]),
    process.env,
    secretsKey,
  )
  if (administrator === null) {
    return printLine(
      `There is an administrator. Other credentials: npm run bootstrap -- --remote${ofEnvironment} --reset-administrator LOGIN`,
    )
  }
  printLine(describeAdministrator(administrator))
  if (secretsKey === null) {
    printLine(
      'Its API key cannot sign events of a code host: SECRETS_KEY was not set, so it has no encrypted copy.',
    )
  }
}

/** Whether a command succeeds; it must fail with `absence` when not, because other failures say nothing. */
async function isFound(command: string[], absence: string): Promise<boolean> {
  try {
    return (await run(...command)) !== null
  } catch (error) {
    if (error instanceof CommandError && error.message.includes(absence)) {
      return false
    }
    throw error
  }
}

async function runStep<T>({ name, onFailure }: Step, work: () => Promise<T>): Promise<T> {
  printLine(`== ${name}`)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error
    }
    const login = /not logged in|authentication error|set a CLOUDFLARE_API_TOKEN/i.test(
      error.message,
    )
      ? 'Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.'
      : 'Correct the cause.'
    throw new CommandError(
      `${error.message.trim()}\n\nThe step "${name}" failed. ${onFailure}\n${login} Then run npm run deploy again${environment === undefined ? '' : `, with${ofEnvironment}`}: it goes on with this step.`,
    )
  }
}

/** Runs wrangler and returns what it prints; null with `--dry-run`. Throws a CommandError when it fails. */
async function run(...words: string[]): Promise<string | null> {
  const command = [...words, ...deployment.flags]
  printLine(['wrangler', ...command].join(' '))
  if (dryRun) {
    return null
  }
  const { ok, stdout, stderr } = await runWrangler(...command)
  if (!ok) {
    throw new CommandError(`${stdout}${stderr}`)
  }
  return stdout
}

function listQueueNames(): Set<string> {
  const { producers, consumers } = deployment.config.queues
  return new Set([...producers, ...consumers].map(({ queue }) => queue))
}

/** Prints what wrangler says of the upload, without the lists of modules and settings before it. */
function printDeployed(output: string | null): void {
  if (output !== null) {
    printLine(output.slice(Math.max(output.indexOf('\nUploaded '), 0)).trim())
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
