import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandError } from '../command.ts'
import { ROOT } from '../wrangler.ts'
import { errorCode, explainFileError } from './file-errors.ts'
import type { StateFolder } from './state.ts'

/** Where `npm start` kept one secret for all folders of data. */
const SHARED_FILE = join(ROOT, '.dev.vars')
const NAME = 'secrets.env'

/** Generates a secret for the encryption of API keys. */
export function generateSecretsKey(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The SECRETS_KEY of a folder of data, which lies in the folder, so that both can be moved together. A
 * folder without one gets a new one, or, when it has a database, that of `.dev.vars`, which encrypted it.
 */
export function ensureSecretsKey(state: StateFolder, hasDatabase: boolean): string {
  const file = join(state.folder, NAME)
  const key = readKey(file)
  if (key !== null) {
    return key
  }
  const created = (hasDatabase ? readKey(SHARED_FILE) : null) ?? generateSecretsKey()
  const text = `# Encrypts API keys of the data in this folder: keep it beside them.\nSECRETS_KEY="${created}"\n`
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw explainFileError(error, state.folder)
  }
  return created
}

/** The SECRETS_KEY in a file; null without the file or without the line. */
function readKey(file: string): string | null {
  try {
    return parseEnv(readFileSync(file, 'utf8')).SECRETS_KEY || null
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return null
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(
      `${file}, which holds SECRETS_KEY, cannot be read (${reason}): make it a readable file.`,
    )
  }
}
