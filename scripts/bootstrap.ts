/** `npm run bootstrap`: see HELP. */
import {
  createAdministratorByWrangler,
  resetAdministratorByWrangler,
} from './administrator-by-wrangler.ts'
import { CommandError, runCommand } from './command.ts'
import {
  type AdministratorChoice,
  chooseAdministrator,
  createFirstAdministrator,
  describeAdministrator,
  describeIgnoredVariables,
} from './first-administrator.ts'
import { exitWithUsage, parseFlags } from './flags.ts'
import { withLocalDatabase } from './local/database.ts'
import { resetAdministrator } from './reset-administrator.ts'
import { runWrangler } from './wrangler.ts'

const HELP = `Migrates a database and creates its first administrator.

npm run bootstrap -- [--local] [--persist-to DIR] [--reset-administrator LOGIN]
npm run bootstrap -- --remote [--reset-administrator LOGIN]

  --local            the database of this computer, as npm start does by itself; the default
  --remote           the deployed database
  --persist-to DIR   folder of the local data (.wrangler/state); its server must be stopped
  --reset-administrator LOGIN
                     give this administrator a new password and one more API key

ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment set the credentials; what
is not set is generated and shown once. With --remote, SECRETS_KEY must be the secret of
the deployment, so that the administrator's API key can sign events of a code host. A
database that has an administrator does not get another. A reset also enables and unlocks
the account and ends its sessions; its other API keys stay valid.
`

const {
  remote,
  local,
  'persist-to': persistTo,
  'reset-administrator': loginToReset,
} = parseFlags(HELP, {
  remote: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  'persist-to': { type: 'string', default: '.wrangler/state' },
  'reset-administrator': { type: 'string' },
})

if (remote && local) {
  exitWithUsage('Only one of --remote and --local is possible.', HELP)
}

runCommand(async () => {
  const administrator = remote ? await runRemotely() : await runLocally()
  const login = administrator?.login ?? ''
  const text =
    administrator === null
      ? (describeIgnoredVariables(process.env) ?? 'There is an administrator already.')
      : describeAdministrator(
          administrator,
          loginToReset === undefined
            ? `Created the first administrator, ${login}.`
            : `Reset the administrator ${login}.`,
        )
  process.stdout.write(`${text}\n`)
})

function runLocally(): Promise<AdministratorChoice | null> {
  return withLocalDatabase(persistTo, async (db, stored) => {
    const secretsKey = process.env.SECRETS_KEY || stored
    if (loginToReset === undefined) {
      return createFirstAdministrator(db, process.env, secretsKey)
    }
    const choice = chooseReset(loginToReset)
    await resetAdministrator(choice, secretsKey, {
      select: async ({ sql, params }) =>
        (
          await db
            .prepare(sql)
            .bind(...params)
            .all()
        ).results,
      run: async (statements) => {
        await db.batch(statements.map(({ sql, params }) => db.prepare(sql).bind(...params)))
      },
    })
    return choice
  })
}

async function runRemotely(): Promise<AdministratorChoice | null> {
  const target = ['--remote']
  const secretsKey = process.env.SECRETS_KEY ?? null
  const { ok, stdout, stderr } = await runWrangler('d1', 'migrations', 'apply', 'DB', ...target)
  if (!ok) {
    throw new CommandError(`${stdout}${stderr}`)
  }
  if (loginToReset === undefined) {
    return createAdministratorByWrangler(target, process.env, secretsKey)
  }
  const choice = chooseReset(loginToReset)
  await resetAdministratorByWrangler(target, choice, secretsKey)
  return choice
}

function chooseReset(login: string): AdministratorChoice {
  return chooseAdministrator({ ...process.env, ADMIN_LOGIN: login })
}
