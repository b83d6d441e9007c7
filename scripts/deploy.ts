/** `npm run deploy`: see HELP. Every step is idempotent, so an interrupted deployment can be repeated. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { createAdministratorByWrangler } from './administrator-by-wrangler.ts'
import { CommandError, runCommand } from './command.ts'
import { describeAdministrator } from './first-administrator.ts'
import { parseFlags } from './flags.ts'
import { generateSecretsKey } from './local/secrets-key.ts'
import { ROOT, runWrangler } from './wrangler.ts'

const HELP = `Deploys Lacewing to the Cloudflare account that wrangler is logged in to.

npm run deploy -- [--dry-run]

  --dry-run   print the commands, run none

Creates what is missing: queues, database, tables, bucket, the secret SECRETS_KEY, and the
first administrator. ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment set
the credentials; what is not set is generated and shown once.
`

const { 'dry-run': dryRun } = parseFlags(HELP, { 'dry-run': { type: 'boolean', default: false } })

runCommand(async () => {
  await checkLogin()
  for (const queue of listQueueNames()) {
    await ensureResource(['queues', 'info', queue], ['queues', 'create', queue])
  }
  // the migrations come before the code, so that the code never runs on tables that it does not know
  const probe = ['d1', 'execute', 'DB', '--remote', '--command', 'SELECT 1']
  await ensureResource(probe, ['d1', 'create', readConfig().d1_databases[0]?.database_name ?? ''])
  await runStep('d1', 'migrations', 'apply', 'DB', '--remote')
  const secretsKey = (await hasSecretsKey()) ? null : generateSecretsKey()
  await deployWorker(secretsKey)
  await createAdministrator(secretsKey)
})

async function checkLogin(): Promise<void> {
  printLine('wrangler whoami')
  if (!(dryRun || (await runWrangler('whoami', '--json')).ok)) {
    throw new CommandError('Not logged in: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.')
  }
}

/** Uploads the secret with the code, because code without it is refused. wrangler creates the bucket. */
async function deployWorker(secretsKey: string | null): Promise<void> {
  if (secretsKey === null) {
    return runStep('deploy')
  }
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-'))
  const file = join(folder, 'secrets.json')
  try {
    writeFileSync(file, JSON.stringify({ SECRETS_KEY: secretsKey }), { mode: 0o600 })
    await runStep('deploy', '--secrets-file', file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function createAdministrator(secretsKey: string | null): Promise<void> {
  if (dryRun) {
    return printLine('npm run bootstrap -- --remote')
  }
  const encryptionKey = secretsKey ?? process.env.SECRETS_KEY ?? null
  const administrator = await createAdministratorByWrangler(
    ['--remote'],
    process.env,
    encryptionKey,
  )
  if (administrator !== null) {
    printLine(describeAdministrator(administrator))
    if (encryptionKey === null) {
      printLine(
        'Its API key cannot sign events of a code host: SECRETS_KEY was not set, so it has no encrypted copy.',
      )
    }
  }
}

/** Throws when the answer is unknown, because a new secret would make all encrypted keys unreadable. */
async function hasSecretsKey(): Promise<boolean> {
  printLine('wrangler secret list')
  if (dryRun) {
    return false
  }
  const { ok, stdout, stderr } = await runWrangler('secret', 'list', '--format', 'json')
  if (ok) {
    return (JSON.parse(stdout) as { name: string }[]).some(({ name }) => name === 'SECRETS_KEY')
  }
  if (/Worker "[^"]*" not found/.test(`${stdout}${stderr}`)) {
    return false
  }
  throw new CommandError(`${stdout}${stderr}`)
}

/** Runs `command` unless `probe` succeeds, which shows that the resource exists. */
async function ensureResource(probe: string[], command: string[]): Promise<void> {
  if (dryRun) {
    return printLine(`${formatCommand(probe)} || ${formatCommand(command)}`)
  }
  const { ok } = await runWrangler(...probe)
  if (!ok) {
    await runStep(...command)
  }
}

async function runStep(...command: string[]): Promise<void> {
  printLine(formatCommand(command))
  if (dryRun) {
    return
  }
  const { ok, stdout, stderr } = await runWrangler(...command)
  if (!ok) {
    throw new CommandError(
      `${stdout}${stderr}\nThis step failed. Correct the cause, then run npm run deploy again.`,
    )
  }
  printLine(stdout)
}

function listQueueNames(): Set<string> {
  const { producers = [], consumers = [] } = readConfig().queues
  return new Set([...producers, ...consumers].flatMap(({ queue }) => queue ?? []))
}

function readConfig() {
  return unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })
}

function formatCommand(command: string[]): string {
  return ['wrangler', ...command.map((word) => (word.includes(' ') ? `"${word}"` : word))].join(' ')
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
