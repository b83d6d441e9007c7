import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checkout, type CommandOutcome, copyCheckout } from './checkout.ts'
import { type Platform, startPlatform } from './platform.ts'

/** A deployment of which one step after the other fails, once, on one account. */

let platform: Platform
let checkout: Checkout

beforeAll(async () => {
  platform = await startPlatform()
  checkout = copyCheckout()
})
afterAll(async () => {
  checkout?.remove()
  await platform?.stop()
})

/** Deploys while the platform refuses one request, and returns what the operator reads. */
async function deployWithout(line: string, variables = {}): Promise<CommandOutcome> {
  platform.failNext(line)
  const outcome = await checkout.deploy(platform, variables)
  expect(outcome.status).toBe(1)
  expect(outcome.errors).toContain('The platform has a bad day')
  expect(outcome.errors).toContain('Then run npm run deploy again')
  return outcome
}

function select(sql: string) {
  return platform.account.databases[0]?.select(sql) ?? []
}

function sentCount(line: string): number {
  return platform.takeCalls().filter((call) => call.startsWith(line)).length
}

function secretOfWorker() {
  const version = platform.account.worker?.versions[0]
  return version?.bindings.find(({ name }) => name === 'SECRETS_KEY')?.text
}

let secretsKey = ''

test.each([
  ['that is valid', 'revoked'],
  ['at all', ''],
])('without a login %s says how to log in, and creates nothing', async (_, token) => {
  const variables = { CLOUDFLARE_API_TOKEN: token, XDG_CONFIG_HOME: checkout.folder }
  const { status, errors } = await checkout.deploy(platform, variables)
  expect(status).toBe(1)
  expect(errors).toContain('The step "Create the missing queues" failed.')
  expect(errors).toContain('Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.')
  expect(platform.account).toMatchObject({ queues: [], databases: [], worker: null })
})

test('goes on after the queue that was created before the failure', async () => {
  const { errors } = await deployWithout('POST /queues lacewing-events-dead')
  expect(errors).toContain('The step "Create the missing queues" failed.')
  expect(platform.account.queues.map(({ name }) => name)).toEqual(['lacewing-events'])
})

test('creates no database in the place of one that it could not ask for', async () => {
  const { errors } = await deployWithout('GET /d1/database')
  expect(errors).toContain('The step "Create the missing database" failed.')
  expect(errors).toContain('Nothing that is deployed has changed.')
  expect(sentCount('POST /d1/database')).toBe(0)
})

test('keeps the migrations before the one that fails, and uploads no code', async () => {
  const { errors } = await deployWithout('0005_comment_trigrams.sql')
  expect(errors).toContain('The step "Apply the new migrations" failed.')
  expect(select('SELECT name FROM d1_migrations ORDER BY id DESC LIMIT 1')).toEqual([
    { name: '0004_saved-searches-are-shared.sql' },
  ])
  expect(platform.account.worker).toBeNull()
})

test('shows the secret that was uploaded, although the schedule could not be set', async () => {
  const { errors, output } = await deployWithout('PUT /workers/scripts/lacewing/schedules')
  expect(errors).toContain('The step "Upload the Worker" failed.')
  secretsKey = /SECRETS_KEY: (\S+)/.exec(output)?.[1] ?? ''
  expect(secretOfWorker()).toBe(secretsKey)
  expect(platform.account.worker?.crons).toEqual([])
})

test('completes all but the administrator, of whom nothing is written', async () => {
  const { errors } = await deployWithout('POST /d1/database/lacewing/import ingest')
  expect(errors).toContain('The step "Create the first administrator" failed.')
  expect(errors).toContain('The new code is deployed and serves.')
  expect(platform.account.worker?.crons).not.toEqual([])
  expect(select('SELECT * FROM users')).toEqual([])
})

test('ends as one without failures: all is there once, with the first secret', async () => {
  const { status, output } = await checkout.deploy(platform, { SECRETS_KEY: secretsKey })
  expect(status).toBe(0)
  const { queues, databases, buckets, worker } = platform.account
  expect([queues.length, databases.length, buckets.length]).toEqual([2, 1, 1])
  expect(worker?.deployments[0]).toBe(worker?.versions.at(-1)?.id)
  expect(secretOfWorker()).toBe(secretsKey)
  expect(output).toContain('Created the first administrator, admin@example.com.')
  expect(output).not.toContain('cannot sign events')
  expect(select('SELECT count(*) AS n FROM users JOIN api_keys ON sealed IS NOT NULL')).toEqual([
    { n: 1 },
  ])
})
