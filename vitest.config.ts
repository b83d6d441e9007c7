import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { documentationModule } from './scripts/documentation-texts.ts'
import { assetsModule, PUBLIC_FOLDER, writeAssets } from './scripts/page-assets.ts'
import { seedOfCommit } from './test/support/seed-of-commit.ts'
import { keepTemporaryFilesInMemory } from './test/support/temporary-files.ts'
import { computeTimeLimit } from './test/support/time-limit.ts'
import { workerTestConfig } from './test/support/worker-test-config.ts'

// where wrangler looks for the secrets that wrangler.toml requires
process.env.SECRETS_KEY = 'a secret for tests only'
await writeAssets(false)
keepTemporaryFilesInMemory()

/** What counts rows or round trips has a database of its own, which holds nothing that other tests have made. */
const ALONE = 'test/contract/{budgets,round-trips,rows-read}.test.ts'
/**
 * The same for what compares rows before and after a tracker has grown, holds those of any search, or adds thousands of
 * bugs or accounts.
 */
const PLANS = [
  'test/cron-rows.test.ts',
  'test/tracker/users/many-accounts.test.ts',
  ...[
    'plan-rows',
    'threshold-rows',
    'order-limit',
    'phrases',
    'order-columns',
    'many-short-words',
    'newest-words',
    'statement-size',
    'bounds',
    'discussion-bounds',
    'budget.property',
  ].map((name) => `test/tracker/search/${name}.test.ts`),
]

/** What empties its database, to import a tracker into it. */
const MOVES = 'test/edges/archive/moves/**'

/** What compares searches over all bugs has a database in which there are not ten thousands of others. */
const SEARCHES = ['test/tracker/search/**/*.test.ts', 'test/contract/**/search-*.test.ts']

/** What starts programs for minutes: real clients, deployments, servers that are killed. Left out of `npm test`. */
const REHEARSALS = [
  'test/outside/deploy/**/*.test.ts',
  'test/outside/moves/**/*.test.ts',
  ...[
    'administrator',
    'chromium',
    'codehost',
    'killed-mails',
    'kills-under-load',
    'later-work',
    'pages',
    'rate-limits',
    'smtp',
    'start',
    'start-folders',
    'trials',
  ].map((name) => `test/outside/${name}.test.ts`),
]

/**
 * One more than CI has cores, because many files wait for programs that they start. Each has a runtime and a database of
 * its own; files are dealt out as they end.
 */
const WORKERS = 3

const TIME_LIMIT = computeTimeLimit()
const timeLimits = { testTimeout: TIME_LIMIT, hookTimeout: TIME_LIMIT }

const inNode = {
  environment: 'node' as const,
  execArgv: ['--import', new URL('scripts/drizzle-imports.js', import.meta.url).href],
  maxWorkers: WORKERS,
  ...timeLimits,
}

const inWorkerd = {
  setupFiles: ['test/setup.ts'],
  isolate: false,
  restoreMocks: true,
  maxWorkers: WORKERS,
  ...timeLimits,
}

async function workerd() {
  return cloudflareTest({
    main: './src/worker.ts',
    wrangler: { configPath: workerTestConfig() },
    miniflare: {
      serviceBindings: { ASSETS: { disk: { path: PUBLIC_FOLDER } } },
      bindings: {
        TEST_MIGRATIONS: await readD1Migrations('drizzle'),
        SERVER_TIMING: 'on',
        // a busy computer takes many times as long
        SEARCH_MILLISECONDS: '60000',
        // tests send more requests than an honest client; those about limits set their own
        ANONYMOUS_READS_PER_MINUTE: '0',
        READS_PER_MINUTE: '0',
        WRITES_PER_MINUTE: '0',
        LOGINS_PER_MINUTE: '0',
        VISIBILITY_SEED: process.env.VISIBILITY_SEED || seedOfCommit(),
        SEARCH_WORLDS: process.env.SEARCH_WORLDS ?? '',
      },
    },
  })
}

/**
 * `worker`, `alone` and `search`: everything that runs inside workerd, the runtime of production. `outside`: what
 * looks at the service from a process of its own (a browser, generated files). `clients`: real clients, which share
 * one tracker.
 */
export default defineConfig({
  test: {
    projects: [
      {
        plugins: [await workerd(), documentationModule.forTests, assetsModule.forTests],
        test: {
          ...inWorkerd,
          name: 'worker',
          globalSetup: ['test/support/receiver/server.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/outside/**', ALONE, MOVES, ...SEARCHES, ...PLANS],
        },
      },
      {
        plugins: [await workerd(), documentationModule.forTests, assetsModule.forTests],
        test: { ...inWorkerd, name: 'alone', include: [ALONE], isolate: true },
      },
      {
        plugins: [await workerd(), documentationModule.forTests, assetsModule.forTests],
        test: {
          ...inWorkerd,
          name: 'moves',
          include: [`${MOVES}/*.test.ts`],
        },
      },
      {
        plugins: [await workerd(), documentationModule.forTests, assetsModule.forTests],
        test: { ...inWorkerd, name: 'search', include: SEARCHES, exclude: PLANS },
      },
      {
        plugins: [await workerd(), documentationModule.forTests, assetsModule.forTests],
        // a database for each file: what they count depends on how many bugs there are
        test: { ...inWorkerd, name: 'plans', include: PLANS, isolate: true },
      },
      {
        test: {
          name: 'outside',
          include: ['test/outside/**/*.test.ts'],
          exclude: ['test/outside/clients/**', ...REHEARSALS],
          ...inNode,
          // the generator needs the TypeScript compiler as a library, which TypeScript itself is no more
          server: { deps: { inline: ['openapi-typescript'] } },
          alias: {
            typescript: join(import.meta.dirname, 'test/outside/generated-client/typescript.ts'),
          },
        },
      },
      {
        test: {
          name: 'rehearsals',
          include: REHEARSALS,
          ...inNode,
        },
      },
      {
        test: {
          name: 'clients',
          include: ['test/outside/clients/**/*.test.ts'],
          globalSetup: ['test/outside/clients/shared-tracker.ts'],
          ...inNode,
          // its modules import each other without the endings that Node demands
          server: { deps: { inline: ['bugzilla'] } },
        },
      },
    ],
  },
})
