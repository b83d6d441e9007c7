import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { unseal } from '../../../src/platform/lib/crypto/secrets.ts'
import { type Checkout, type CommandOutcome, copyCheckout } from './checkout.ts'
import { type Platform, startPlatform } from './platform.ts'

/** `npm run deploy` from the first deployment on, with wrangler and an imitation of the platform's API. */

const KEY = 'lwAdministratorKeyForThisTestRun00000000'
const LOGIN = 'root@tracker.example'

let platform: Platform
let checkout: Checkout
let outcome: CommandOutcome
let calls: string[]

beforeAll(async () => {
  platform = await startPlatform()
  checkout = copyCheckout()
})
afterAll(async () => {
  checkout?.remove()
  await platform?.stop()
})

async function deploy(): Promise<void> {
  outcome = await checkout.deploy(platform, { ADMIN_LOGIN: LOGIN, ADMIN_API_KEY: KEY })
  calls = platform.takeCalls()
  expect(outcome.errors).toBe('')
  expect(outcome.status).toBe(0)
}

/** The requests that may change something, in order. */
function writes(): string[] {
  return calls.filter((line) => !line.startsWith('GET '))
}

/** What wrangler asks and runs to apply these. */
function migrationCalls(names: string[]): string[] {
  return [
    'CREATE TABLE IF NOT EXISTS "d1_migrations"(',
    'SELECT * FROM "d1_migrations" ORDER BY',
    ...names,
  ].map((text) => `POST /d1/database/lacewing/query ${text}`)
}

function secretsKey(): string | undefined {
  return currentVersion().bindings.find(({ name }) => name === 'SECRETS_KEY')?.text as string
}

function migrationNames(): string[] {
  return readdirSync(join(checkout.folder, 'drizzle')).filter((name) => name.endsWith('.sql'))
}

function currentVersion() {
  const { worker } = platform.account
  const version = worker?.versions.find(({ id }) => id === worker.deployments[0])
  if (version === undefined) {
    throw new Error('nothing is deployed')
  }
  return version
}

function select(sql: string) {
  return platform.account.databases[0]?.select(sql) ?? []
}

describe('the first deployment', () => {
  beforeAll(deploy)

  test('creates resources, fills the database, uploads the code, and creates the administrator, in this order', () => {
    expect(writes()).toEqual([
      'POST /queues lacewing-events',
      'POST /queues lacewing-events-dead',
      'POST /d1/database lacewing',
      ...migrationCalls(migrationNames()),
      'POST /workers/scripts/lacewing/assets-upload-session',
      'POST /workers/assets/upload',
      'POST /r2/buckets lacewing-files',
      'PUT /workers/scripts/lacewing',
      'POST /workers/scripts/lacewing/subdomain',
      'PUT /workers/scripts/lacewing/schedules',
      'POST /queues/lacewing-events/consumers',
      'POST /queues/lacewing-events-dead/consumers',
      'POST /d1/database/lacewing/query SELECT m.user_id FROM memberships m JOIN',
      'POST /d1/database/lacewing/import init',
      'PUT /uploads/the-file',
      'POST /d1/database/lacewing/import ingest',
      'POST /d1/database/lacewing/query SELECT id FROM users WHERE password_hash',
    ])
  })

  test('uploads every module of the build with its source map', () => {
    const { files } = currentVersion()
    const built = readdirSync(join(checkout.folder, 'dist')).filter((name) => name !== 'public')
    expect([...files.keys()].sort()).toEqual(built.sort())
    for (const name of built.filter((one) => one.endsWith('.mjs'))) {
      expect(files.get(name)).toBe(readFileSync(join(checkout.folder, 'dist', name), 'utf8'))
    }
  })

  test('uploads what pages load', () => {
    const folder = join(checkout.folder, 'dist/public/assets')
    const built = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
    expect(built.length).toBeGreaterThan(2)
    expect([...platform.account.assets.values()].sort()).toEqual(built.sort())
  })

  test('binds the resources, and every setting with its default', () => {
    const [settings, others] = [new Map<string, unknown>(), [] as string[]]
    for (const { name, type, text, ...more } of currentVersion().bindings) {
      if (type === 'plain_text') {
        settings.set(name, text)
      } else {
        const target = more.id ?? more.queue_name ?? more.bucket_name ?? ''
        others.push(`${type} ${name} ${target}`.trim())
      }
    }
    const config = unstable_readConfig({ config: join(checkout.folder, 'wrangler.toml') })
    expect(Object.fromEntries(settings)).toEqual(config.vars)
    expect(others.sort()).toEqual([
      'assets ASSETS',
      `d1 DB ${platform.account.databases[0]?.uuid}`,
      'queue EVENTS lacewing-events',
      'r2_bucket FILES lacewing-files',
      'ratelimit ANONYMOUS_READS',
      'ratelimit GUESSES',
      'ratelimit LOGINS',
      'ratelimit READS',
      'ratelimit WRITES',
      'secret_text SECRETS_KEY',
      'send_email MAIL',
    ])
  })

  test('sets the schedule, the address and who reads the queues', () => {
    const { worker, queues } = platform.account
    expect(worker).toMatchObject({ crons: ['* * * * *', '*/5 * * * *'], isOnSubdomain: true })
    expect(queues.map(({ name, consumers }) => ({ name, consumers }))).toEqual([
      {
        name: 'lacewing-events',
        consumers: [
          expect.objectContaining({
            script: 'lacewing',
            dead_letter_queue: 'lacewing-events-dead',
            settings: expect.objectContaining({ batch_size: 25, max_retries: 100 }),
          }),
        ],
      },
      {
        name: 'lacewing-events-dead',
        consumers: [expect.objectContaining({ script: 'lacewing' })],
      },
    ])
    expect(outcome.output).toContain('https://lacewing.operator.workers.dev')
    expect(outcome.output).toContain('REQUIRE_LOGIN = off: this tracker is public')
    expect(outcome.output).toContain('HIDE_EMAIL_DOMAINS = off: everybody who may read sees')
  })

  test('applies every migration once', () => {
    expect(select('SELECT name FROM d1_migrations ORDER BY id').map(({ name }) => name)).toEqual(
      migrationNames(),
    )
  })

  test('shows what it generated, and seals the key of the administrator with the secret', async () => {
    expect(outcome.output).toMatch(
      /Created the first administrator, root@tracker\.example\.\n {2}password: \w{24}/,
    )
    expect(outcome.output).not.toContain(KEY)
    const shown = /SECRETS_KEY: (\S+)/.exec(outcome.output)?.[1] ?? ''
    expect(secretsKey()).toBe(shown)
    const [key] = select('SELECT sealed FROM api_keys')
    expect(await unseal(String(key?.sealed), shown)).toBe(KEY)
  })
})

describe('the next deployment', () => {
  let secretBefore: string | undefined

  beforeAll(async () => {
    secretBefore = secretsKey()
    checkout.addMigration('9999_notes.sql', 'CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT;')
    await deploy()
  })

  test('creates nothing again: it applies the new migration, and then serves a new version', () => {
    expect(writes()).toEqual([
      ...migrationCalls(['9999_notes.sql']),
      'POST /workers/scripts/lacewing/assets-upload-session',
      'POST /workers/scripts/lacewing/versions',
      'POST /workers/scripts/lacewing/deployments',
      'PATCH /workers/scripts/lacewing/script-settings',
      'POST /workers/scripts/lacewing/subdomain',
      'PUT /workers/scripts/lacewing/schedules',
      'PUT /queues/lacewing-events/consumers/its-own',
      'PUT /queues/lacewing-events-dead/consumers/its-own',
      'POST /d1/database/lacewing/query SELECT m.user_id FROM memberships m JOIN',
    ])
    expect(platform.account.worker?.versions).toHaveLength(2)
  })

  test('keeps the secret, the resources and the administrator, and shows no credentials', () => {
    expect(secretsKey()).toBe(secretBefore)
    expect(
      currentVersion()
        .bindings.map(({ name }) => name)
        .sort(),
    ).toEqual(platform.account.worker?.versions[0]?.bindings.map(({ name }) => name).sort())
    expect(select('SELECT login FROM users')).toEqual([{ login: LOGIN }])
    expect(outcome.output).not.toMatch(/SECRETS_KEY:|password:|API key:/)
  })
})

describe('the way back', () => {
  test('serves the former version again, and leaves the migrations where they are', async () => {
    const former = platform.account.worker?.versions[0]?.id
    const { status } = await checkout.wrangler(platform, 'rollback', '--yes', '--message', 'back')
    expect(status).toBe(0)
    expect(currentVersion().id).toBe(former)
    expect(select('SELECT count(*) AS n FROM notes')).toEqual([{ n: 0 }])
    expect(platform.takeCalls().filter((line) => !line.startsWith('GET '))).toEqual([
      'POST /workers/scripts/lacewing/deployments',
    ])
  })
})
