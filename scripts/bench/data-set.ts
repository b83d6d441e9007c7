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
import { newApiKey, sha256Hex } from '../../src/lib/secrets.ts'
import { generateTracker } from '../generator.ts'
import { migrationFiles } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { findLandmarks, type Landmarks } from './landmarks.ts'
import { progress } from './progress.ts'
import { serve } from './serve.ts'

export const SEED = 1

const CACHE = join(ROOT, '.wrangler/bench')

/** A folder of data that a server may use up, with what is in it. */
export type DataSet = {
  folder: string
  at: Landmarks
  /** Of the developer among the landmarks. */
  apiKey: string
  databaseBytes: number
}

/**
 * A tracker of so many bugs. It is generated once for each state of tables and generator, and copied
 * for each run, so that every run begins with the same data.
 */
export async function dataSet(bugs: number): Promise<DataSet> {
  const pristine = join(CACHE, `${bugs}-bugs-${sourceHash()}`)
  if (!existsSync(pristine)) {
    const unfinished = `${pristine}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    await migrate(unfinished)
    fill(databaseFile(unfinished), bugs)
    renameSync(unfinished, pristine)
  }
  const folder = join(CACHE, 'run')
  rmSync(folder, { recursive: true, force: true })
  cpSync(pristine, folder, { recursive: true })
  return inspect(folder)
}

/** Ends a run: deletes the copy. */
export function discard({ folder }: DataSet): void {
  rmSync(folder, { recursive: true, force: true })
}

/** The tables and the first administrator, made as in `npm start`. */
async function migrate(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { stop } = await serve(folder)
  await stop()
}

function fill(file: string, bugs: number): void {
  const database = new DatabaseSync(file)
  const bar = progress(`generating ${bugs.toLocaleString('en')} bugs`)
  database.exec('PRAGMA synchronous = off; PRAGMA foreign_keys = off; BEGIN')
  let steps = 0
  for (const { sql, params } of generateTracker({ bugs, seed: SEED })) {
    database.prepare(sql).run(...params)
    steps += 1
    bar.tell(`${steps} statements`)
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  bar.end()
}

async function inspect(folder: string): Promise<DataSet> {
  const database = new DatabaseSync(databaseFile(folder))
  try {
    const at = await findLandmarks(
      async (sql, ...params) => database.prepare(sql).all(...params),
      SEED,
    )
    const apiKey = newApiKey()
    database
      .prepare(
        `INSERT INTO api_keys (user_id, hash, prefix, created_at)
          SELECT id, ?, ?, created_at FROM users WHERE login = ?`,
      )
      .run(await sha256Hex(apiKey), apiKey.slice(0, 6), at.developer)
    const [size] = database
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .all()
    return { folder, at, apiKey, databaseBytes: Number(size?.bytes) }
  } finally {
    database.close()
  }
}

function databaseFile(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const file = files.find((name) => /d1[/\\].*[0-9a-f]{64}\.sqlite$/.test(name))
  if (file === undefined) {
    throw new Error(`There is no database in ${folder}`)
  }
  return join(folder, file)
}

/** Names the tables and the generator: whoever changes one of them gets new data. */
function sourceHash(): string {
  const hash = createHash('sha256')
  for (const { name, statements } of migrationFiles(join(ROOT, 'drizzle'))) {
    hash.update(name).update(statements.join(';'))
  }
  const generator = join(ROOT, 'scripts/generator')
  for (const name of readdirSync(generator).sort()) {
    hash.update(readFileSync(join(generator, name)))
  }
  return hash.digest('hex').slice(0, 12)
}
