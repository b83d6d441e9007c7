/** `npm run deploy`: see HELP. Every step may be repeated, so a deployment that broke off is just done again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { createAdministratorByWrangler } from './administrator-by-wrangler.ts'
import { Complaint, runCommand } from './complaint.ts'
import { newSecretsKey } from './dev-vars.ts'
import { introduce } from './first-administrator.ts'
import { readFlags } from './flags.ts'
import { ROOT, wrangler } from './wrangler.ts'

const HELP = `Deploys Lacewing to the Cloudflare account that wrangler is logged in to.

npm run deploy -- [--dry-run]

  --dry-run   print the commands, run none

Creates what is missing: queues, database, tables, bucket, the secret SECRETS_KEY, and the
first administrator. ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment decide
the credentials; what is not set is made up and shown once.
`

const { 'dry-run': dryRun } = readFlags(HELP, { 'dry-run': { type: 'boolean', default: false } })

runCommand(async () => {
  await checkLogin()
  for (const queue of queueNames()) {
    await ensure(['queues', 'info', queue], ['queues', 'create', queue])
  }
  // the database comes before the code, so that no code meets tables it does not know
  const probe = ['d1', 'execute', 'DB', '--remote', '--command', 'SELECT 1']
  await ensure(probe, ['d1', 'create', config().d1_databases[0]?.database_name ?? ''])
  await run('d1', 'migrations', 'apply', 'DB', '--remote')
  const secretsKey = (await hasSecretsKey()) ? null : newSecretsKey()
  await deployWorker(secretsKey)
  await makeAdministrator(secretsKey)
})

async function checkLogin(): Promise<void> {
  say('wrangler whoami')
  if (!(dryRun || (await wrangler('whoami', '--json')).ok)) {
    throw new Complaint('Not logged in: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.')
  }
}

/** wrangler creates the bucket by itself; the secret goes with the code, because code without it is refused. */
async function deployWorker(secretsKey: string | null): Promise<void> {
  if (secretsKey === null) {
    return run('deploy')
  }
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-'))
  const file = join(folder, 'secrets.json')
  try {
    writeFileSync(file, JSON.stringify({ SECRETS_KEY: secretsKey }), { mode: 0o600 })
    await run('deploy', '--secrets-file', file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeAdministrator(secretsKey: string | null): Promise<void> {
  if (dryRun) {
    return say('npm run bootstrap -- --remote')
  }
  const sealing = secretsKey ?? process.env.SECRETS_KEY ?? null
  const administrator = await createAdministratorByWrangler(['--remote'], process.env, sealing)
  if (administrator !== null) {
    say(introduce(administrator))
    if (sealing === null) {
      say('Its API key cannot sign events of a code host: SECRETS_KEY was not at hand to seal it.')
    }
  }
}

/** Never mistakes a failure for a missing secret: a new one would make all sealed keys unreadable. */
async function hasSecretsKey(): Promise<boolean> {
  say('wrangler secret list')
  if (dryRun) {
    return false
  }
  const { ok, stdout, stderr } = await wrangler('secret', 'list', '--format', 'json')
  if (ok) {
    return (JSON.parse(stdout) as { name: string }[]).some(({ name }) => name === 'SECRETS_KEY')
  }
  if (/Worker "[^"]*" not found/.test(`${stdout}${stderr}`)) {
    return false
  }
  throw new Complaint(`${stdout}${stderr}`)
}

/** The second command, unless the first finds that it is not needed. */
async function ensure(probe: string[], command: string[]): Promise<void> {
  if (dryRun) {
    return say(`${shown(probe)} || ${shown(command)}`)
  }
  const { ok } = await wrangler(...probe)
  if (!ok) {
    await run(...command)
  }
}

async function run(...command: string[]): Promise<void> {
  say(shown(command))
  if (dryRun) {
    return
  }
  const { ok, stdout, stderr } = await wrangler(...command)
  if (!ok) {
    throw new Complaint(
      `${stdout}${stderr}\nThis step failed. Once that is put right, run npm run deploy again.`,
    )
  }
  say(stdout)
}

function queueNames(): Set<string> {
  const { producers = [], consumers = [] } = config().queues
  return new Set([...producers, ...consumers].flatMap(({ queue }) => queue ?? []))
}

function config() {
  return unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })
}

function shown(command: string[]): string {
  return ['wrangler', ...command.map((word) => (word.includes(' ') ? `"${word}"` : word))].join(' ')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
