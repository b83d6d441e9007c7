import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings, settingNames } from '../../src/platform/settings/settings.ts'
import { CommandError } from '../command.ts'
import { PUBLIC_FOLDER } from '../page-assets.ts'
import { parseSettings } from '../settings-file.ts'
import { ROOT } from '../wrangler.ts'
import { readWranglerToml, type WranglerToml } from '../wrangler-toml.ts'
import { errorCode } from './file-errors.ts'
import { D1_DATABASES } from './state.ts'

/** The Worker as options of Miniflare, and what belongs to it. */
export type LocalConfig = {
  worker: ReturnType<typeof describeWorker> & { bindings: Record<string, unknown> }
  crons: string[]
}

type Sources = {
  /** Settings that override wrangler.toml alone. */
  localVars?: Readonly<Record<string, string>>
  /** Another file than .dev.vars of the project. */
  devVars?: string
}

/**
 * Reads the configuration of the Worker from wrangler.toml, `localVars` and .dev.vars as options of Miniflare: each
 * overrides those before it, and `vars` override all. Throws a CommandError for an illegal setting or file. Without
 * wrangler, which takes a second to load; a test compares both.
 */
export function readLocalConfig(
  vars: Record<string, string | undefined>,
  secretsKey: string,
  { localVars = {}, devVars = join(ROOT, '.dev.vars') }: Sources = {},
): LocalConfig {
  const toml = readWranglerToml()
  const names = new Set([...settingNames(), ...Object.keys(toml.vars)])
  const settings = { ...toml.vars, ...localVars, ...readDevVars(devVars, names) }
  const overrides = Object.entries(vars).filter(
    ([name, value]) => names.has(name) && value !== undefined,
  )
  const bindings = { ...settings, ...Object.fromEntries(overrides), SECRETS_KEY: secretsKey }
  assertValidBindings(bindings)
  return { worker: { ...describeWorker(toml), bindings }, crons: toml.triggers.crons }
}

function describeWorker(toml: WranglerToml) {
  return {
    name: toml.name,
    compatibilityDate: toml.compatibility_date,
    compatibilityFlags: toml.compatibility_flags,
    d1Databases: D1_DATABASES,
    r2Buckets: byName(toml.r2_buckets, 'binding', ({ bucket_name: id }) => ({ id })),
    queueProducers: byName(toml.queues.producers, 'binding', ({ queue }) => ({ queueName: queue })),
    queueConsumers: byName(toml.queues.consumers, 'queue', (consumer) => ({
      maxBatchSize: consumer.max_batch_size,
      maxBatchTimeout: consumer.max_batch_timeout,
      maxRetries: consumer.max_retries,
      deadLetterQueue: consumer.dead_letter_queue,
    })),
    ratelimits: byName(toml.ratelimits, 'name', (limit) => limit),
    email: { send_email: toml.send_email },
    // the platform answers these paths before the Worker; here the Worker does, by the same files
    serviceBindings: { ASSETS: { disk: { path: PUBLIC_FOLDER } } },
  }
}

function byName<Row extends Record<Key, string>, Key extends string, Value>(
  rows: Row[],
  key: Key,
  describe: (row: Row) => Value,
): Record<string, Value> {
  return Object.fromEntries(rows.map((row) => [row[key], describe(row)]))
}

function readDevVars(file: string, names: ReadonlySet<string>): Record<string, string | undefined> {
  try {
    const settings = parseSettings(readFileSync(file, 'utf8'), file)
    const unknown = Object.keys(settings).filter(
      (name) => name !== 'SECRETS_KEY' && !names.has(name),
    )
    // a misspelled setting could make a tracker public
    if (unknown.length > 0) {
      throw new CommandError(
        `${file}: ${unknown.join(', ')} is no setting. wrangler.toml lists the settings.`,
      )
    }
    return settings
  } catch (error) {
    if (error instanceof CommandError) {
      throw error
    }
    if (errorCode(error) === 'ENOENT') {
      return {}
    }
    throw new CommandError(
      `${file} is no file that this user may read: change its owner or permissions, or delete it.`,
    )
  }
}

/** Checks what the Worker checks at its start, because the log of a failed runtime hides the reason. */
function assertValidBindings(bindings: Record<string, unknown>): void {
  try {
    readSettings(bindings)
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  }
}
