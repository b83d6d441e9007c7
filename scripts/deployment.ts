import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readSettings } from '../src/platform/settings/settings.ts'
import { describeBasePath } from './base-path.ts'
import { CommandError } from './command.ts'
import { assertDeployable } from './deployment-checks.ts'
import { parseSettings } from './settings-file.ts'
import { assertOwnResources, type NamedTracker } from './shared-resources.ts'
import { ROOT } from './wrangler.ts'
import { readWranglerToml, type WranglerToml } from './wrangler-toml.ts'

/** A tracker of an account: wrangler.toml with what its own file, which Git ignores, has instead. */
export type Deployment = {
  /** The name of its own file. */
  file: string
  config: WranglerToml
  /** What its own file says of settings that are secrets of the Worker. */
  secrets: Record<string, string>
  /** Tell each command of wrangler about it. */
  flags: string[]
}

const ENVIRONMENT = /^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/

/**
 * Reads `deployment.env`, or `deployment.NAME.env` for `--env NAME`, and writes the configuration for wrangler. Throws
 * a CommandError that names what is wrong there, because a misspelled setting could make a tracker public.
 */
export function readDeployment(environment: string | undefined): Deployment {
  const toml = readWranglerToml()
  const suffix = environment === undefined ? '' : `.${environment}`
  const file = `deployment${suffix}.env`
  if (environment !== undefined && !ENVIRONMENT.test(environment)) {
    throw new CommandError('--env takes a name of lower-case letters, digits and hyphens.')
  }
  const path = join(ROOT, file)
  const hasFile = existsSync(path)
  if (environment !== undefined && !hasFile) {
    throw new CommandError(
      `There is no ${file}: it says how this tracker differs from wrangler.toml, and may be empty.`,
    )
  }
  const text = hasFile ? readSettingsFile(file) : ''
  const own = parseSettings(text, file)
  const { config, secrets } = merge(toml, own, environment)
  assertDeployable({ file, text, own, toml }, config.vars, secrets)
  assertOwnResources({ file, config }, listOthers(file, toml))
  if (!hasFile) {
    return { file, config: toml, secrets: {}, flags: [] }
  }
  const merged = `wrangler.deployment${suffix}.json`
  writeFileSync(join(ROOT, merged), `${JSON.stringify(config, null, 2)}\n`)
  return { file, config, secrets, flags: ['--config', merged] }
}

function readSettingsFile(name: string): string {
  try {
    return readFileSync(join(ROOT, name), 'utf8')
  } catch (error) {
    throw new CommandError(`${name} cannot be read: ${(error as Error).message}.`)
  }
}

/** The trackers of the other files; what is wrong in one matters when that one is deployed. */
function listOthers(file: string, toml: WranglerToml): NamedTracker[] {
  return readdirSync(ROOT).flatMap((name) => {
    const match = /^deployment(?:\.(.+))?\.env$/.exec(name)
    if (match === null || name === file) {
      return []
    }
    const own = parseEnv(readSettingsFile(name)) as Record<string, string>
    return [{ file: name, config: merge(toml, own, match[1]).config }]
  })
}

function merge(
  toml: WranglerToml,
  { WORKER, DATABASE, BUCKET, DOMAIN, ...settings }: Record<string, string>,
  environment: string | undefined,
): Pick<Deployment, 'config' | 'secrets'> {
  const name = WORKER || (environment === undefined ? toml.name : `${toml.name}-${environment}`)
  // each tracker has resources of its own
  const rename = (resource: string) =>
    resource.startsWith(toml.name) ? name + resource.slice(toml.name.length) : resource
  const entries = Object.entries(settings)
  const vars: Record<string, string> = {
    ...toml.vars,
    ...(DOMAIN && toml.vars.BASE_URL === '' && { BASE_URL: `https://${DOMAIN}` }),
    ...Object.fromEntries(entries.filter(([setting]) => setting in toml.vars)),
  }
  const secrets = Object.fromEntries(entries.filter(([setting]) => !(setting in toml.vars)))
  const config = {
    ...toml,
    name,
    ...(DOMAIN && { routes: [{ pattern: DOMAIN, custom_domain: true }], workers_dev: false }),
    d1_databases: toml.d1_databases.map((row) => ({
      ...row,
      database_name: DATABASE || rename(row.database_name),
    })),
    r2_buckets: toml.r2_buckets.map((row) => ({
      ...row,
      bucket_name: BUCKET || rename(row.bucket_name),
    })),
    queues: {
      producers: toml.queues.producers.map((row) => ({ ...row, queue: rename(row.queue) })),
      consumers: toml.queues.consumers.map((row) => ({
        ...row,
        queue: rename(row.queue),
        ...(row.dead_letter_queue && { dead_letter_queue: rename(row.dead_letter_queue) }),
      })),
    },
    ratelimits: toml.ratelimits.map((row) => ({
      ...row,
      namespace_id: name === toml.name ? row.namespace_id : ownNamespace(name, row.name),
      // the platform counts up to what isolates enforce
      simple: { ...row.simple, limit: Number(vars[`${row.name}_PER_MINUTE`]) || row.simple.limit },
    })),
    vars,
  }
  return { config, secrets }
}

/** A number by which an account counts: two trackers with the same one would share their limits. */
function ownNamespace(name: string, limit: string): string {
  const digest = createHash('sha256').update(`${name} ${limit}`).digest()
  return String(10_000 + (digest.readUInt32BE() % 1_000_000_000))
}

/** What an operator should see before a tracker serves, above all who may read it. */
export function describeDeployment({ file, config, flags }: Deployment): string {
  const { name, vars, d1_databases, routes, workers_dev } = config
  const address = routes?.map(({ pattern }) => `https://${pattern}`).join(', ')
  // a setting may be on by another word
  const settings = readSettings({ ...vars, SECRETS_KEY: 'a secret that nobody uses' })
  const say = (setting: 'REQUIRE_LOGIN' | 'HIDE_EMAIL_DOMAINS', on: string, off: string) =>
    settings[setting] ? `${setting} = on: ${on}` : `${setting} = off: ${off}`
  return [
    flags.length === 0
      ? `From wrangler.toml; there is no ${file} with settings of this tracker.`
      : `From ${file}, and from wrangler.toml what it does not say.`,
    `Worker ${name}, database ${d1_databases[0]?.database_name}, address ${address ?? (workers_dev ? 'on workers.dev' : 'none')}`,
    say(
      'REQUIRE_LOGIN',
      'nobody reads this tracker without an account.',
      'this tracker is public: everybody reads each bug that no group hides.',
    ),
    say(
      'HIDE_EMAIL_DOMAINS',
      'visitors without an account see addresses of people up to the @ sign.',
      'everybody who may read sees the whole e-mail addresses of people.',
    ),
    ...(vars.MAIL_FROM === '' ? ['MAIL_FROM is empty: this tracker sends no mail.'] : []),
    describeBasePath(vars.BASE_URL ?? ''),
  ]
    .filter((line) => line !== null)
    .join('\n')
}
