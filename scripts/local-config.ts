import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { readSettings, settingNames } from '../src/settings.ts'
import type { ModuleRule } from './bundle.ts'
import { Complaint } from './complaint.ts'
import { ROOT } from './wrangler.ts'

type WorkerOptions = Pick<V4WorkerOptions, 'bindings' | 'd1Databases'> & {
  modulesRules?: ModuleRule[]
}

/**
 * What wrangler.toml and .dev.vars say of the Worker, in the runtime simulator's terms, with `vars` over
 * them where a setting or SECRETS_KEY goes by that name. Throws a complaint for an illegal setting.
 */
export function localConfig(vars: Record<string, string | undefined>) {
  // not "Using secrets defined in .dev.vars" at each start
  process.env.WRANGLER_LOG ??= 'warn'
  const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(config)
  const { modulesRules, ...worker } = workerOptions as WorkerOptions
  const names = new Set([...settingNames(), ...Object.keys(config.vars), 'SECRETS_KEY'])
  const overrides = Object.entries(vars).filter(
    ([name, value]) => names.has(name) && value !== undefined,
  )
  const bindings = { ...worker.bindings, ...Object.fromEntries(overrides) }
  check(bindings)
  return {
    worker: { ...worker, name: config.name, bindings },
    main: main ?? '',
    moduleRules: modulesRules ?? [],
    crons: config.triggers.crons ?? [],
    secretsKey: String(bindings.SECRETS_KEY),
  }
}

/** The Worker would stop for the same reasons, but among the lines of a runtime that does not start. */
function check(bindings: Record<string, unknown>): void {
  try {
    readSettings(bindings)
  } catch (error) {
    throw new Complaint(error instanceof Error ? error.message : String(error))
  }
  if (!bindings.SECRETS_KEY) {
    throw new Complaint('SECRETS_KEY is missing in .dev.vars.')
  }
}
