import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../command.ts'
import type { StatementRunner } from '../workflow-preset.ts'
import { runWrangler } from '../wrangler.ts'
import {
  type AdministratorChoice,
  chooseAdministrator,
  explainFailure,
  FIND_ADMINISTRATOR,
  planFirstAdministrator,
  type Statement,
} from './first-administrator.ts'
import { resetAdministrator } from './reset-administrator.ts'

/**
 * Creates the first administrator of the database that wrangler reaches with the flags in `target`.
 * Returns the credentials; null when there is an administrator already. Without a `secretsKey` there is no
 * encrypted copy of the API key. Throws a CommandError with the output of wrangler when wrangler fails.
 */
export async function createAdministratorByWrangler(
  target: string[],
  environment: Record<string, string | undefined>,
  secretsKey: string | null,
): Promise<AdministratorChoice | null> {
  if (await returnsRows(target, FIND_ADMINISTRATOR)) {
    return null
  }
  const choice = chooseAdministrator(environment)
  const now = Math.floor(Date.now() / 1000)
  const { create, confirm } = await planFirstAdministrator({ ...choice, secretsKey, now })
  await executeFile(target, create, choice.login)
  return (await returnsRows(target, confirm)) ? choice : null
}

/** Resets an administrator in the same way; see `resetAdministrator`. */
export function resetAdministratorByWrangler(
  target: string[],
  choice: AdministratorChoice,
  secretsKey: string | null,
): Promise<void> {
  return resetAdministrator(choice, secretsKey, runByWrangler(target, choice.login))
}

/** Runs statements on that database. `login` is for the message about one that is taken. */
export function runByWrangler(target: string[], login = ''): StatementRunner {
  return {
    select: (statement) => selectRows(target, statement),
    run: (statements) => executeFile(target, statements, login),
  }
}

/** A statement as text, with its parameters written as literals. */
export function inlineParameters({ sql, params }: Statement): string {
  const values = params.map((value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL'),
  )
  // parameters may be numbered, and then repeat
  return sql.replace(
    /\?(\d*)/g,
    (_, number) => (number === '' ? values.shift() : values[Number(number) - 1]) ?? 'NULL',
  )
}

async function returnsRows(target: string[], statement: Statement): Promise<boolean> {
  return (await selectRows(target, statement)).length > 0
}

async function selectRows(
  target: string[],
  statement: Statement,
): Promise<Record<string, unknown>[]> {
  const command = ['--json', '--command', inlineParameters(statement)]
  const { ok, stdout, stderr } = await runWrangler('d1', 'execute', 'DB', ...target, ...command)
  if (!ok) {
    throw new CommandError(`${stdout}${stderr}`)
  }
  const [result] = JSON.parse(stdout) as { results: Record<string, unknown>[] }[]
  return result?.results ?? []
}

/** Runs the statements as one file, because wrangler runs a file in one transaction. */
async function executeFile(
  target: string[],
  statements: Statement[],
  login: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-'))
  const file = join(folder, 'administrator.sql')
  try {
    writeFileSync(
      file,
      statements.map((statement) => `${inlineParameters(statement)};\n`).join(''),
      {
        mode: 0o600,
      },
    )
    const { ok, stdout, stderr } = await runWrangler(
      'd1',
      'execute',
      'DB',
      ...target,
      '--file',
      file,
    )
    if (!ok) {
      throw explainFailure(new CommandError(`${stdout}${stderr}`), login)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
