/** `npm run bootstrap`: see HELP. */
import { createAdministratorByWrangler } from './administrator-by-wrangler.ts'
import { Complaint, runCommand } from './complaint.ts'
import { ensureDevVars, localSecretsKey } from './dev-vars.ts'
import { introduce } from './first-administrator.ts'
import { readFlags, refuse } from './flags.ts'
import { wrangler } from './wrangler.ts'

const HELP = `Brings a database up to date and makes its first administrator.

npm run bootstrap -- --remote
npm run bootstrap -- --local [--persist-to DIR]

  --remote           the deployed database
  --local            the database of this computer; npm start does the same by itself
  --persist-to DIR   folder of the local data (.wrangler/state)

ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment decide the credentials;
what is not set is made up and shown once. So that the administrator's API key can sign
events of a code host, SECRETS_KEY must be the secret of the deployment. A database that
has an administrator gets no other.
`

const flags = readFlags(HELP, {
  remote: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  'persist-to': { type: 'string', default: '.wrangler/state' },
})

if (flags.remote === flags.local) {
  refuse('Either --remote or --local is needed.', HELP)
}

runCommand(async () => {
  const target = flags.remote ? ['--remote'] : ['--local', '--persist-to', flags['persist-to']]
  const secretsKey = process.env.SECRETS_KEY ?? (flags.local ? ownSecretsKey() : null)
  const { ok, stdout, stderr } = await wrangler('d1', 'migrations', 'apply', 'DB', ...target)
  if (!ok) {
    throw new Complaint(`${stdout}${stderr}`)
  }
  const administrator = await createAdministratorByWrangler(target, process.env, secretsKey)
  if (administrator !== null) {
    process.stdout.write(`${introduce(administrator)}\n`)
  }
})

function ownSecretsKey(): string | null {
  ensureDevVars()
  return localSecretsKey() ?? null
}
