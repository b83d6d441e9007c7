/** `npm run bootstrap`: see HELP. */

import type { PresetName } from '../src/tracker/fields/presets/presets.ts'
import {
  type AdministratorChoice,
  chooseAdministrator,
  createFirstAdministrator,
  describeAdministrator,
  describeIgnoredVariables,
  describeReset,
} from './administrator/first-administrator.ts'
import { resetAdministrator } from './administrator/reset-administrator.ts'
import { CommandError, runCommand } from './command.ts'
import { readDeployment } from './deployment.ts'
import { exitWithUsage, parseFlags } from './flags.ts'
import { withLocalDatabase } from './local/database.ts'
import { assertFolder, flagsOfFolder, USUAL_FOLDER } from './local/state.ts'
import type { StatementRunner } from './statement-runner.ts'
import { runByWrangler } from './statements-by-wrangler.ts'
import { applyPresetTo, requirePresetName } from './workflow-preset.ts'
import { runWrangler } from './wrangler.ts'

const HELP = `Migrates a database, creates its first administrator, and adds a workflow.

npm run bootstrap -- [--local] [--persist-to DIR] [--reset-administrator LOGIN] [--workflow NAME]
npm run bootstrap -- --remote [--env NAME] [--reset-administrator LOGIN] [--workflow NAME]

  --local            the database of this computer, as npm start does by itself; the default
  --remote           the deployed database
  --env NAME         that of the tracker that npm run deploy -- --env NAME has deployed
  --persist-to DIR   folder of the local data (.wrangler/state); its server must be stopped
  --reset-administrator LOGIN
                     give this administrator a new password and one more API key
  --workflow NAME    add the statuses and moves of this workflow, which may be classic: NEW,
                     ASSIGNED, REOPENED and CLOSED beside those that there are

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
  workflow,
  env: environment,
} = parseFlags(HELP, {
  remote: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  'persist-to': { type: 'string' },
  'reset-administrator': { type: 'string' },
  workflow: { type: 'string' },
  env: { type: 'string' },
})

const folder = persistTo ?? USUAL_FOLDER

if (environment !== undefined && !remote) {
  exitWithUsage('--env is for --remote.', HELP)
}
if (remote && local) {
  exitWithUsage('Only one of --remote and --local is possible.', HELP)
}

runCommand(async () => {
  const preset = workflow === undefined ? null : requirePresetName(workflow)
  const { administrator, news } = remote ? await runRemotely(preset) : await runLocally(preset)
  const login = administrator?.login ?? ''
  const text =
    administrator === null
      ? (describeIgnoredVariables(process.env, describeReset(...nameTracker())) ??
        'There is an administrator already.')
      : describeAdministrator(
          administrator,
          loginToReset === undefined
            ? `Created the first administrator, ${login}.`
            : `Reset the administrator ${login}.`,
        )
  process.stdout.write(`${text}\n${news === null ? '' : `${news}\n`}`)
})

/** The flags of this command that say which tracker it is about. */
function nameTracker(): string[] {
  if (!remote) {
    return flagsOfFolder(folder)
  }
  return ['--remote', ...(environment === undefined ? [] : ['--env', environment])]
}

type Outcome = { administrator: AdministratorChoice | null; news: string | null }

function runLocally(preset: PresetName | null): Promise<Outcome> {
  // only the usual folder may be new, and for a new tracker: otherwise one that is not there is a mistake
  if (persistTo !== undefined || loginToReset !== undefined) {
    assertFolder(folder)
  }
  return withLocalDatabase(folder, (runner, stored) =>
    bootstrap(runner, process.env.SECRETS_KEY || stored, preset),
  )
}

async function runRemotely(preset: PresetName | null): Promise<Outcome> {
  const target = ['--remote', ...readDeployment(environment).flags]
  const { ok, stdout, stderr } = await runWrangler('d1', 'migrations', 'apply', 'DB', ...target)
  if (!ok) {
    throw new CommandError(`${stdout}${stderr}`)
  }
  return bootstrap(runByWrangler(target), process.env.SECRETS_KEY ?? null, preset)
}

async function bootstrap(
  runner: StatementRunner,
  secretsKey: string | null,
  preset: PresetName | null,
): Promise<Outcome> {
  const administrator =
    loginToReset === undefined
      ? await createFirstAdministrator(runner, process.env, secretsKey)
      : chooseAdministrator(process.env, loginToReset)
  if (administrator !== null && loginToReset !== undefined) {
    await resetAdministrator(administrator, secretsKey, runner)
  }
  return { administrator, news: await addWorkflow(runner, preset) }
}

async function addWorkflow(
  runner: StatementRunner,
  preset: PresetName | null,
): Promise<string | null> {
  return preset === null ? null : applyPresetTo(runner, preset, Math.floor(Date.now() / 1000))
}
