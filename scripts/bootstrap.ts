/** `npm run bootstrap`: see HELP. */
import { createAdministratorByWrangler } from './administrator-by-wrangler.ts'
import { CommandError, runCommand } from './command.ts'
import { ensureDevVars, readSecretsKey } from './dev-vars.ts'
import { describeAdministrator } from './first-administrator.ts'
import { exitWithUsage, parseFlags } from './flags.ts'
import { runWrangler } from './wrangler.ts'

const HELP = `Migrates a database and creates its first administrator.

npm run bootstrap -- --remote
npm run bootstrap -- --local [--persist-to DIR]

  --remote           the deployed database
  --local            the database of this computer; npm start does the same by itself
  --persist-to DIR   folder of the local data (.wrangler/state)

ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment set the credentials; what
is not set is generated and shown once. SECRETS_KEY must be the secret of the deployment,
so that the administrator's API key can sign events of a code host. A database that has an
administrator does not get another.
`

const flags = parseFlags(HELP, {
  remote: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  'persist-to': { type: 'string', default: '.wrangler/state' },
})

if (flags.remote === flags.local) {
  exitWithUsage('Either --remote or --local is needed.', HELP)
}

runCommand(async () => {
  const target = flags.remote ? ['--remote'] : ['--local', '--persist-to', flags['persist-to']]
  const secretsKey = process.env.SECRETS_KEY ?? (flags.local ? readLocalSecretsKey() : null)
  const { ok, stdout, stderr } = await runWrangler('d1', 'migrations', 'apply', 'DB', ...target)
  if (!ok) {
    throw new CommandError(`${stdout}${stderr}`)
  }
  const administrator = await createAdministratorByWrangler(target, process.env, secretsKey)
  if (administrator !== null) {
    process.stdout.write(`${describeAdministrator(administrator)}\n`)
  }
})

function readLocalSecretsKey(): string | null {
  ensureDevVars()
  return readSecretsKey() ?? null
}
