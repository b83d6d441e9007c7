import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Checkout, type CommandOutcome, copyCheckout } from './checkout.ts'
import { type Platform, startPlatform } from './platform.ts'

/** A second tracker of an account, whose settings are in a file of its own. */

const SETTINGS = `DOMAIN=bugs.example.org
DATABASE=bugs-to-try
REQUIRE_LOGIN=on
MAIL_FROM=bugs@example.org
SMTP_URL=smtps://tracker:secret@mail.example.org
READS_PER_MINUTE=77
`

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

function deploy(name: string): Promise<CommandOutcome> {
  return checkout.deploy(platform, {}, '--env', name)
}

function binding(name: string) {
  return platform.account.worker?.versions.at(-1)?.bindings.find((each) => each.name === name)
}

test.each([
  ['# a comment\nREQIURE_LOGIN=on', 'line 2, REQIURE_LOGIN, is no setting'],
  ['REQUIRE_LOGIN=sometimes', 'line 1, REQUIRE_LOGIN, must be on or off'],
  ['DOMAIN=bugs.example.org\nREQUIRE_LOGIN: on', 'line 2, REQUIRE_LOGIN, must be NAME=value'],
  ['REQUIRE_LOGIN on', 'line 1, REQUIRE_LOGIN, must be NAME=value'],
  ['REQUIRE_LOGIN=on\n\nREQUIRE_LOGIN=off', 'line 3, REQUIRE_LOGIN, is in line 1 already'],
  [
    "MAIL_FROM='bugs@example.org\nREQUIRE_LOGIN=on\n# it's",
    'line 1, MAIL_FROM, must be NAME=value',
  ],
  ['DOMAIN=https://bugs.example.org/', 'line 1, DOMAIN, must be a host name'],
  [`DOMAIN=${'b'.repeat(64)}.example.org`, 'line 1, DOMAIN, must be a host name'],
  ['WORKER=Tracker', 'line 1, WORKER, must have 1 to 51 lower-case letters, digits'],
  ['WORKER=my_tracker', 'line 1, WORKER, must have 1 to 51'],
  ['WORKER=tracker-', 'line 1, WORKER, must have 1 to 51'],
  [`WORKER=${'w'.repeat(52)}`, 'line 1, WORKER, must have 1 to 51'],
  ['BUCKET=ab', 'line 1, BUCKET, must have 3 to 63 lower-case letters, digits'],
  ['BUCKET=files.example.org', 'line 1, BUCKET, must have 3 to 63'],
  [`BUCKET=${'b'.repeat(64)}`, 'line 1, BUCKET, must have 3 to 63'],
  ['DATABASE="our bugs"', 'line 1, DATABASE, must have letters, digits, hyphens and underscores'],
  ['MAIL_FROM=bugs.example.org', 'line 1, MAIL_FROM, must be an e-mail address'],
  ['SMTP_URL=smtp://mail.example.org:25', 'line 1, SMTP_URL, must have another port than 25'],
  ['SMTP_URL=https://mail.example.org', 'line 1, SMTP_URL, must be smtp://user:password@host:port'],
  ['SMTP_URL=smtp://localhost:587', 'line 1, SMTP_URL, must lead to a public host'],
  ['SMTP_URL=smtp://[fe80::1]:587', 'line 1, SMTP_URL, must lead to a public host'],
  [null, 'There is no deployment.missing.env'],
])('with %s in its file nothing is deployed, and the mistake is named', async (text, words) => {
  if (text !== null) {
    checkout.write('deployment.wrong.env', text)
  }
  const { status, errors } = await deploy(text === null ? 'missing' : 'wrong')
  expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining(words) })
  expect(errors.trim().split('\n')).toHaveLength(1)
  expect(platform.takeCalls()).toEqual([])
})

test.each([
  ['DOMAIN=bugs.example.org', 'the same DOMAIN, bugs.example.org'],
  ['DATABASE=bugs', 'the same DATABASE, bugs'],
  ['WORKER=lacewing-first', 'the same WORKER, lacewing-first'],
  ['BUCKET=files', 'the same BUCKET, files'],
])('with %s in the files of two trackers nothing is deployed', async (line, words) => {
  checkout.write('deployment.first.env', `REQUIRE_LOGIN=on\n${line}\nMAIL_FROM=it's broken\n`)
  checkout.write('deployment.wrong.env', line)
  const { status, errors } = await deploy('wrong')
  checkout.write('deployment.first.env', '')
  expect({ status, errors }).toEqual({
    status: 1,
    errors: `deployment.wrong.env and deployment.first.env have ${words}: each tracker needs its own.\n`,
  })
  expect(platform.takeCalls()).toEqual([])
})

test.each(['true', '1', 'On'])('REQUIRE_LOGIN=%s is shown as what it means', async (word) => {
  checkout.write('deployment.wrong.env', `REQUIRE_LOGIN=${word}`)
  const { output } = await checkout.deploy(platform, {}, '--env', 'wrong', '--dry-run')
  expect(output).toContain('REQUIRE_LOGIN = on: nobody reads this tracker without an account.')
  expect(output).not.toContain('public')
})

test('a file of settings that cannot be read is named', async () => {
  mkdirSync(join(checkout.folder, 'deployment.folder.env'))
  const outcomes = [await deploy('folder'), await deploy('wrong')]
  rmdirSync(join(checkout.folder, 'deployment.folder.env'))
  for (const { status, errors } of outcomes) {
    expect(status).toBe(1)
    expect(errors).toMatch(/^deployment\.folder\.env cannot be read: .*\n$/)
  }
})

test('with credentials of an administrator that could not be made nothing is deployed', async () => {
  checkout.write('deployment.wrong.env', '')
  const variables = { ADMIN_LOGIN: 'admin' }
  const { status, errors } = await checkout.deploy(platform, variables, '--env', 'wrong')
  expect({ status, errors }).toEqual({
    status: 1,
    errors: 'ADMIN_LOGIN must be an e-mail address.\n',
  })
  expect(platform.takeCalls()).toEqual([])
})

describe('npm run deploy -- --env staging', () => {
  let outcome: CommandOutcome

  beforeAll(async () => {
    checkout.write('deployment.staging.env', SETTINGS)
    outcome = await deploy('staging')
    expect(outcome).toMatchObject({ status: 0, errors: '' })
  })

  test('says which tracker it is and who may read it, before anything else', () => {
    const [settings = ''] = outcome.output.split('== Create the missing queues')
    expect(settings).toContain('From deployment.staging.env')
    expect(settings).toContain(
      'Worker lacewing-staging, database bugs-to-try, address https://bugs.example.org',
    )
    expect(settings).toContain('REQUIRE_LOGIN = on: nobody reads')
    expect(settings).toContain('HIDE_EMAIL_DOMAINS = off: everybody')
    expect(outcome.output).not.toContain('secret@mail')
  })

  test('creates resources of its own', () => {
    const { databases, buckets, queues } = platform.account
    expect(databases.map(({ name }) => name)).toEqual(['bugs-to-try'])
    expect(buckets).toEqual(['lacewing-staging-files'])
    expect(queues.map(({ name }) => name)).toEqual([
      'lacewing-staging-events',
      'lacewing-staging-events-dead',
    ])
    expect(platform.takeCalls()).toContain('PUT /workers/scripts/lacewing-staging')
  })

  test('uploads its settings, and its mail server as a secret', () => {
    expect(binding('REQUIRE_LOGIN')?.text).toBe('on')
    expect(binding('MAIL_FROM')?.text).toBe('bugs@example.org')
    expect(binding('BASE_URL')?.text).toBe('https://bugs.example.org')
    expect(binding('HIDE_EMAIL_DOMAINS')?.text).toBe('off')
    expect(binding('SMTP_URL')).toMatchObject({
      type: 'secret_text',
      text: 'smtps://tracker:secret@mail.example.org',
    })
  })

  test('lets the platform count up to its limits, apart from other trackers', () => {
    expect(binding('READS')).toMatchObject({ simple: { limit: 77, period: 60 } })
    expect(binding('WRITES')).toMatchObject({ simple: { limit: 1200, period: 60 } })
    const ids = ['READS', 'WRITES'].map((name) => binding(name)?.namespace_id)
    expect(new Set([...ids, '1003', '1004']).size).toBe(4)
  })

  test('serves its domain, and no address besides', () => {
    expect(platform.account.worker).toMatchObject({
      domains: ['bugs.example.org'],
      isOnSubdomain: false,
    })
  })

  test.each([
    '--env staging secret list',
    '--env=staging secret list',
    'secret list --env staging',
    'secret list -e staging',
  ])('is the one that npm run wrangler -- %s is about', async (words) => {
    platform.takeCalls()
    expect((await checkout.operate(platform, {}, ...words.split(' '))).status).toBe(0)
    expect(platform.takeCalls()).toContain('GET /workers/scripts/lacewing-staging/secrets')
  })

  test.each<[string, Record<string, string>, string[]]>([
    ['without its name', {}, ['secret', 'list', '--env']],
    ['with two names', {}, ['--env', 'staging', 'secret', 'list', '--env=wrong']],
    ['that npm keeps to itself', { npm_config_env: 'staging' }, ['secret', 'list']],
  ])('is not taken for the first tracker with an --env %s', async (_, variables, words) => {
    platform.takeCalls()
    const { status, errors } = await checkout.operate(platform, variables, ...words)
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('--env') })
    expect(platform.takeCalls()).toEqual([])
  })

  test('keeps its secrets with the next deployment', async () => {
    const secret = binding('SECRETS_KEY')?.text
    checkout.write('deployment.staging.env', SETTINGS.replace(/SMTP_URL.*\n/, ''))
    expect((await deploy('staging')).status).toBe(0)
    expect(binding('SECRETS_KEY')?.text).toBe(secret)
    expect(binding('SMTP_URL')?.text).toBe('smtps://tracker:secret@mail.example.org')
  })
})
