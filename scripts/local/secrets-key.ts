import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from './wrangler.ts'

const FILE = join(ROOT, '.dev.vars')

/** Generates a secret for the encryption of API keys. */
export function generateSecretsKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Creates .dev.vars with a new secret, readable by its owner alone, unless the file exists. */
export function ensureDevVars(): void {
  const text = `# Encrypts API keys: keep it as long as the local data.\nSECRETS_KEY="${generateSecretsKey()}"\n`
  try {
    writeFileSync(FILE, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw error
    }
  }
}

/** The SECRETS_KEY of the local installation; undefined when .dev.vars has none. */
export function readSecretsKey(): string | undefined {
  return parseEnv(readFileSync(FILE, 'utf8')).SECRETS_KEY
}
