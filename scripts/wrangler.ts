import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

export const ROOT = join(import.meta.dirname, '..')

type CommandResult = { ok: boolean; stdout: string; stderr: string }

const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
}
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/**
 * Runs wrangler in the project folder and collects its output. CI is set, so that wrangler asks no
 * questions and does not edit wrangler.toml.
 */
export function runWrangler(...args: string[]): Promise<CommandResult> {
  // what its command would start in another process
  const program = fileURLToPath(import.meta.resolve('wrangler'))
  const options = {
    cwd: ROOT,
    env: { ...process.env, ...QUIET, CI: 'true' },
    maxBuffer: MAX_OUTPUT_BYTES,
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--no-warnings', program, ...args],
      options,
      (error, stdout, stderr) => {
        resolve({
          ok: error === null,
          stdout: stripVTControlCharacters(stdout),
          // colours its errors even in a pipe
          stderr: stripVTControlCharacters(stderr),
        })
      },
    )
  })
}
