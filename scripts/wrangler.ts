import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

export type Outcome = { ok: boolean; stdout: string; stderr: string }

const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
}
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024

/**
 * Runs wrangler in the project folder and collects what it says. It asks no questions and leaves
 * wrangler.toml alone, because that is how it behaves with CI set.
 */
export function wrangler(...args: string[]): Promise<Outcome> {
  const program = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
  const options = {
    cwd: ROOT,
    env: { ...process.env, ...QUIET, CI: 'true' },
    maxBuffer: MOST_OUTPUT_BYTES,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, stderr })
    })
  })
}
