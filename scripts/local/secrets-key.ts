import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { deriveKeyId } from '../../src/platform/lib/crypto/secrets.ts'
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
 * The SECRETS_KEY of a folder of data, which lies in the folder, so that both can be moved together. A folder
 * without one takes that of `.dev.vars` if it encrypted the database, and a new one if nothing is encrypted: `keyIds`
 * are the IDs of the secrets that encrypted what there is. Throws a CommandError when the secret is elsewhere.
 */
export async function ensureSecretsKey(state: StateFolder, keyIds: string[]): Promise<string> {
  const file = join(state.folder, NAME)
  const key = readKey(file)
  if (key !== null) {
    return key
  }
  const shared = readKey(SHARED_FILE)
  const isShared = shared !== null && keyIds.includes(await deriveKeyId(shared))
  if (keyIds.length > 0 && !isShared) {
    throw new CommandError(
      `${state.folder} has encrypted keys and no ${NAME}: write the line SECRETS_KEY="…" into ${file}, from the ${NAME} of the folder that this one is a copy of, or from .dev.vars of the checkout that used it before. If the secret is lost, write a new one, and make the secrets of webhooks and the keys of code hosts anew.`,
    )
  }
  const created = isShared ? shared : generateSecretsKey()
  const text = `# Encrypts API keys of the data in this folder: keep it beside them.\nSECRETS_KEY="${created}"\n`
  try {
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw explainFileError(error, state.folder)
  }
  return created
}

/** Says that a secret is not the one that encrypted the database; null where nothing is encrypted, or with it. */
export async function describeForeignKey(
  secretsKey: string,
  keyIds: string[],
): Promise<string | null> {
  return keyIds.length === 0 || keyIds.includes(await deriveKeyId(secretsKey))
    ? null
    : 'SECRETS_KEY is not the secret that encrypted this database: webhooks cannot sign, and code hosts are refused, until it is back, or their secrets and keys are made anew.'
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
