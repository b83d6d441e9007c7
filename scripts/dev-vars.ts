import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ROOT } from './wrangler.ts'

const FILE = join(ROOT, '.dev.vars')

/** A secret to seal under. */
export function newSecretsKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Makes up .dev.vars, readable by its owner alone, where there is none. */
export function ensureDevVars(): void {
  const text = `# API keys are sealed under this: keep it as long as the local data.\nSECRETS_KEY="${newSecretsKey()}"\n`
  try {
    writeFileSync(FILE, text, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw error
    }
  }
}

/** The SECRETS_KEY of the local installation; undefined when .dev.vars has none. */
export function localSecretsKey(): string | undefined {
  return parseEnv(readFileSync(FILE, 'utf8')).SECRETS_KEY
}
