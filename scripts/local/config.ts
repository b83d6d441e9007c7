import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { readSettings, settingNames } from '../../src/platform/settings/settings.ts'
import { CommandError } from '../command.ts'
import { PUBLIC_FOLDER } from '../page-assets.ts'
import { ROOT } from '../wrangler.ts'

type WorkerOptions = Pick<V4WorkerOptions, 'bindings' | 'd1Databases' | 'serviceBindings'>

/** What `print-config.ts` prints. */
export type PrintedConfig = {
  name: string
  worker: WorkerOptions
  crons: string[]
  varNames: string[]
}

/** The Worker as options of Miniflare, and what belongs to it. */
export type LocalConfig = Pick<PrintedConfig, 'crons'> & {
  worker: WorkerOptions & { name: string; bindings: Record<string, unknown> }
}

/**
 * Reads the configuration of the Worker from wrangler.toml and .dev.vars as options of Miniflare. Settings
 * in `vars` override it. Throws a CommandError for an illegal setting or file.
 */
export async function readLocalConfig(
  vars: Record<string, string | undefined>,
  secretsKey: string,
): Promise<LocalConfig> {
  const { name, worker, crons, varNames } = await printConfig(secretsKey)
  const names = new Set([...settingNames(), ...varNames])
  const overrides = Object.entries(vars).filter(
    ([name, value]) => names.has(name) && value !== undefined,
  )
  const bindings = {
    ...worker.bindings,
    ...Object.fromEntries(overrides),
    SECRETS_KEY: secretsKey,
  }
  assertValidBindings(bindings)
  // the platform answers these paths before the Worker; here the Worker does, by the same files
  const serviceBindings = { ASSETS: { disk: { path: PUBLIC_FOLDER } } }
  return { worker: { ...worker, name, bindings, serviceBindings }, crons }
}

/** In a process of its own, because loading wrangler takes hundreds of megabytes that stay. */
function printConfig(secretsKey: string): Promise<PrintedConfig> {
  const program = join(import.meta.dirname, 'print-config.ts')
  // wrangler demands the secret, and hides "Using secrets defined in .dev.vars" at each start
  const env = { ...process.env, WRANGLER_LOG: 'error', SECRETS_KEY: secretsKey }
  return new Promise((read, failed) => {
    execFile(process.execPath, [program], { cwd: ROOT, env }, (error, stdout, stderr) => {
      if (error === null) {
        read(JSON.parse(stdout) as PrintedConfig)
      } else {
        failed(new CommandError(stderr.trim() || error.message))
      }
    })
  })
}

/** Checks what the Worker checks at its start, because the log of a failed runtime hides the reason. */
function assertValidBindings(bindings: Record<string, unknown>): void {
  try {
    readSettings(bindings)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}
