import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Complaint } from './complaint.ts'
import {
  type Choice,
  chooseAdministrator,
  explained,
  FIND_ADMINISTRATOR,
  planFirstAdministrator,
  type Statement,
} from './first-administrator.ts'
import { wrangler } from './wrangler.ts'

/**
 * Makes the first administrator of the database that wrangler reaches with the flags in `target`, and
 * answers the credentials; null when there is one already. Without a `secretsKey` the API key gets no
 * sealed copy. Throws a complaint with wrangler's words when the database cannot be reached.
 */
export async function createAdministratorByWrangler(
  target: string[],
  environment: Record<string, string | undefined>,
  secretsKey: string | null,
): Promise<Choice | null> {
  if (await finds(target, FIND_ADMINISTRATOR)) {
    return null
  }
  const choice = chooseAdministrator(environment)
  const now = Math.floor(Date.now() / 1000)
  const { create, confirm } = await planFirstAdministrator({ ...choice, secretsKey, now })
  await executeFile(target, create, choice.login)
  return (await finds(target, confirm)) ? choice : null
}

/** A statement as text that needs no parameters. */
export function inlined({ sql, params }: Statement): string {
  const values = params.map((value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL'),
  )
  return sql.replace(/\?/g, () => values.shift() ?? 'NULL')
}

async function finds(target: string[], statement: Statement): Promise<boolean> {
  const command = ['--json', '--command', inlined(statement)]
  const { ok, stdout, stderr } = await wrangler('d1', 'execute', 'DB', ...target, ...command)
  if (!ok) {
    throw new Complaint(`${stdout}${stderr}`)
  }
  const [answer] = JSON.parse(stdout) as { results: unknown[] }[]
  return answer !== undefined && answer.results.length > 0
}

/** One file is one transaction. */
async function executeFile(
  target: string[],
  statements: Statement[],
  login: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-'))
  const file = join(folder, 'first-administrator.sql')
  try {
    writeFileSync(file, statements.map((statement) => `${inlined(statement)};\n`).join(''), {
      mode: 0o600,
    })
    const { ok, stdout, stderr } = await wrangler('d1', 'execute', 'DB', ...target, '--file', file)
    if (!ok) {
      throw explained(new Complaint(`${stdout}${stderr}`), login)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
