import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { readSettings, settingNames } from '../src/settings.ts'
import type { ModuleRule } from './bundle.ts'
import { CommandError } from './command.ts'
import { ROOT } from './wrangler.ts'

type WorkerOptions = Pick<V4WorkerOptions, 'bindings' | 'd1Databases'> & {
  modulesRules?: ModuleRule[]
}

/**
 * Reads the configuration of the Worker from wrangler.toml and .dev.vars as options of Miniflare. Settings
 * and SECRETS_KEY in `vars` override it. Throws a CommandError for an illegal setting.
 */
export function readLocalConfig(vars: Record<string, string | undefined>) {
  // hides "Using secrets defined in .dev.vars" at each start
  process.env.WRANGLER_LOG ??= 'warn'
  const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config)
  const { modulesRules, ...worker } = workerOptions as WorkerOptions
  const names = new Set([...settingNames(), ...Object.keys(config.vars), 'SECRETS_KEY'])
  const overrides = Object.entries(vars).filter(
    ([name, value]) => names.has(name) && value !== undefined,
  )
  const bindings = { ...worker.bindings, ...Object.fromEntries(overrides) }
  assertValidBindings(bindings)
  return {
    worker: { ...worker, name: config.name, bindings },
    main: main ?? '',
    moduleRules: modulesRules ?? [],
    crons: config.triggers.crons ?? [],
    secretsKey: String(bindings.SECRETS_KEY),
  }
}

/** Checks what the Worker checks at its start, because the log of a failed runtime hides the reason. */
function assertValidBindings(bindings: Record<string, unknown>): void {
  try {
    readSettings(bindings)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
  if (!bindings.SECRETS_KEY) {
    throw new CommandError('SECRETS_KEY is missing in .dev.vars.')
  }
}
