import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from './command.ts'
import type { Statement, StatementRunner } from './statement-runner.ts'
import { runWrangler } from './wrangler.ts'

/**
 * Runs statements on the database that wrangler reaches with the flags in `target`. Throws a CommandError with the
 * output of wrangler when wrangler fails.
 */
export function runByWrangler(target: string[]): StatementRunner {
  return {
    select: (statement) => selectRows(target, statement),
    run: (statements) => executeFile(target, statements),
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
async function executeFile(target: string[], statements: Statement[]): Promise<void> {
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
      throw new CommandError(`${stdout}${stderr}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
