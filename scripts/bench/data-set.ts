import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newApiKey, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import { generateTracker } from '../generator.ts'
import { ensureSecretsKey } from '../local/secrets-key.ts'
import { openStateFolder } from '../local/state.ts'
import { readMigrations } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { findLandmarks, type Landmarks } from './landmarks.ts'
import { addLaterWork, startReceiver } from './later-work.ts'
import { startProgress } from './report/progress.ts'
import { startServer } from './server.ts'

export const SEED = 1

const CACHE = join(ROOT, '.wrangler/bench')

/** A folder of data that a server may change, and what it contains. */
export type DataSet = {
  folder: string
  landmarks: Landmarks
  /** The API key of the developer among the landmarks. */
  apiKey: string
  /** The API key with which the code host signs. */
  botKey: string
  databaseBytes: number
}

/**
 * Prepares a tracker with the given number of bugs. It is generated once per version of the schema and the
 * generator, and copied for each run, so that every run starts with the same data.
 */
export async function prepareDataSet(bugs: number): Promise<DataSet> {
  const pristine = join(CACHE, `${bugs}-bugs-${hashSources()}`)
  if (!existsSync(pristine)) {
    const unfinished = `${pristine}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    await createDatabase(unfinished)
    fillDatabase(findDatabaseFile(unfinished), bugs)
    renameSync(unfinished, pristine)
  }
  const folder = join(CACHE, 'run')
  rmSync(folder, { recursive: true, force: true })
  cpSync(pristine, folder, { recursive: true })
  return openDataSet(folder)
}

/** Deletes the copy after a run. */
export function deleteDataSet({ folder }: DataSet): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Creates the tables and the first administrator in the same way as `npm start`. */
async function createDatabase(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { stop } = await startServer(folder)
  await stop()
}

function fillDatabase(file: string, bugs: number): void {
  const database = new DatabaseSync(file)
  const bar = startProgress(`generating ${bugs.toLocaleString('en')} bugs`)
  database.exec('PRAGMA synchronous = off; PRAGMA foreign_keys = off; BEGIN')
  let steps = 0
  for (const { sql, params } of generateTracker({ bugs, seed: SEED })) {
    database.prepare(sql).run(...params)
    steps += 1
    bar.update(`${steps} statements`)
  }
  // what the cron job of the service does bit by bit
  database.exec(`INSERT INTO comments_trigram_fts(comments_trigram_fts) VALUES ('rebuild')`)
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  bar.end()
}

async function openDataSet(folder: string): Promise<DataSet> {
  const database = new DatabaseSync(findDatabaseFile(folder))
  try {
    const landmarks = await findLandmarks(
      async (sql, ...params) => database.prepare(sql).all(...params),
      SEED,
    )
    const apiKey = newApiKey()
    database
      .prepare(
        `INSERT INTO api_keys (user_id, hash, prefix, created_at)
          SELECT id, ?, ?, created_at FROM users WHERE login = ?`,
      )
      .run(await sha256Hex(apiKey), apiKey.slice(0, 6), landmarks.developer)
    const secretsKey = ensureSecretsKey(openStateFolder(folder), true)
    const botKey = await addLaterWork(database, landmarks, secretsKey)
    await startReceiver(database)
    const [size] = database
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .all()
    return { folder, landmarks, apiKey, botKey, databaseBytes: Number(size?.bytes) }
  } finally {
    database.close()
  }
}

/** The file of the database in a folder of data. */
export function findDatabaseFile(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const file = files.find((name) => /d1[/\\].*[0-9a-f]{64}\.sqlite$/.test(name))
  if (file === undefined) {
    throw new Error(`There is no database in ${folder}`)
  }
  return join(folder, file)
}

/** Identifies the version of the schema and the generator, so that a change of either makes new data. */
function hashSources(): string {
  const hash = createHash('sha256')
  for (const { name, statements } of readMigrations(join(ROOT, 'drizzle'))) {
    hash.update(name).update(statements.join(';'))
  }
  const generator = join(ROOT, 'scripts/generator')
  for (const name of readdirSync(generator).sort()) {
    hash.update(readFileSync(join(generator, name)))
  }
  return hash.digest('hex').slice(0, 12)
}
