import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { newWebhookSecret } from '../../src/edges/webhooks/delivery/signature.ts'
import { newApiKey, seal, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import { SECONDS_PER_BUG } from '../generator/world.ts'
import { generateTracker } from '../generator.ts'
import { ensureSecretsKey } from '../local/secrets-key.ts'
import { findDatabaseFiles, locateState } from '../local/state.ts'
import { readMigrations } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { findLandmarks, type Landmarks } from './landmarks.ts'
import { type BenchServer, startServer } from './servers.ts'
import { startProgress } from './table.ts'

const SEED = 1
const CACHE = join(ROOT, '.wrangler/bench')

/** The time after the last bug of every size, in Unix seconds. */
const PRESENT = 1_795_000_000

const CACHE_KILOBYTES = 120_000
const FULL_TEXTS = ['bugs_summary_fts', 'comments_body_fts', 'comment_words_fts']
const [PARCEL_BYTES, ORDINARY_PARCEL_BYTES] = [16_000_000, 1_048_576]
const STATEMENTS_OF_COMMIT = 300

/** Webhooks that hear of what happens in one component. */
const WEBHOOKS = 10

/** A folder of data that a server may change, and what it contains. */
export type DataSet = {
  folder: string
  landmarks: Landmarks
  keys: Keys
  databaseBytes: number
}

/** The API keys of the developer among the landmarks, and of the bot, with which the code host signs. */
type Keys = { developer: string; bot: string }

/**
 * Runs something with a tracker of so many bugs. It is generated once per version of the schema and the
 * generator, and copied for each run, so that every run starts with the same data.
 */
export async function withDataSet<Result>(
  bugs: number,
  run: (data: DataSet) => Promise<Result>,
): Promise<Result> {
  const pristine = join(CACHE, `${bugs}-bugs-${hashSources()}`)
  if (!existsSync(pristine)) {
    await generateDataSet(bugs, pristine)
  }
  const folder = join(CACHE, `run-${process.pid}`)
  cpSync(pristine, folder, { recursive: true })
  try {
    return await run(await openDataSet(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs something with a server of such a tracker, which ends with it. */
export function withServer<Server extends BenchServer, Result>(
  bugs: number,
  start: (folder: string) => Promise<Server>,
  run: (server: Server, data: DataSet) => Promise<Result>,
): Promise<Result> {
  return withDataSet(bugs, async (data) => {
    const server = await start(data.folder)
    try {
      return await run(server, data)
    } finally {
      await server.stop()
    }
  })
}

/** Generates a tracker into a folder of its own, which `npm start` can use. */
export async function generateDataSet(bugs: number, folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  // creates the tables and the first administrator in the same way as `npm start`
  await (await startServer(unfinished)).stop()
  fillDatabase(unfinished, bugs)
  renameSync(unfinished, folder)
}

export function openDatabase(folder: string): DatabaseSync {
  const [file = ''] = findDatabaseFiles(locateState(folder))
  return new DatabaseSync(file)
}

const FILL_COMMENT_WORDS = `CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, comments_body_fts, row);
  INSERT INTO comment_words (word) SELECT term FROM temp.terms WHERE length(term) >= 3;
  DROP TABLE temp.terms;
  UPDATE comment_word_range SET newest_comment_id = (SELECT coalesce(max(id), 0) FROM comments)`

function fillDatabase(folder: string, bugs: number): void {
  const database = openDatabase(folder)
  const bar = startProgress(`generating ${bugs.toLocaleString('en')} bugs`)
  // nothing is lost with a folder that is not finished
  database.exec(`PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA foreign_keys = off;
    PRAGMA cache_size = -${CACHE_KILOBYTES}; BEGIN`)
  setParcelSize(database, PARCEL_BYTES)
  const start = PRESENT - bugs * SECONDS_PER_BUG
  let steps = 0
  // a statement keeps its parameters, which are long, until its memory is collected
  const statements = new Map<string, StatementSync>()
  for (const { sql, params } of generateTracker({ bugs, seed: SEED, start, isRealistic: true })) {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    statement.run(...params)
    steps += 1
    if (steps % STATEMENTS_OF_COMMIT === 0) {
      database.exec('COMMIT; BEGIN')
      bar.update(`${steps} statements`)
    }
  }
  // what the cron job of the service does bit by bit
  database.exec(FILL_COMMENT_WORDS)
  setParcelSize(database, ORDINARY_PARCEL_BYTES)
  database.exec('COMMIT')
  database.close()
  // a connection that has read the words of an index cannot change the mode
  const finished = openDatabase(folder)
  finished.exec('PRAGMA journal_mode = wal; PRAGMA wal_checkpoint(TRUNCATE)')
  finished.close()
  bar.end()
}

/** Sets how much of a full-text index is collected before it is written; the more, the fewer merges. */
function setParcelSize(database: DatabaseSync, bytes: number): void {
  for (const name of FULL_TEXTS) {
    database.exec(`INSERT INTO ${name}(${name}, rank) VALUES ('hashsize', ${bytes})`)
  }
}

async function openDataSet(folder: string): Promise<DataSet> {
  const database = openDatabase(folder)
  try {
    const query = async (sql: string, ...params: (string | number | null)[]) =>
      database.prepare(sql).all(...params)
    const landmarks = await findLandmarks(query, SEED)
    const secretsKey = await ensureSecretsKey(locateState(folder), [])
    const keys = {
      developer: await addKey(database, landmarks.developer, secretsKey),
      bot: await addKey(database, landmarks.bot, secretsKey),
    }
    makeBot(database, landmarks.bot)
    await addWebhooks(database, landmarks, secretsKey)
    const [size] = await query(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    )
    return { folder, landmarks, keys, databaseBytes: Number(size?.bytes) }
  } finally {
    database.close()
  }
}

async function addKey(database: DatabaseSync, login: string, secretsKey: string): Promise<string> {
  const key = newApiKey()
  const insert = `INSERT INTO api_keys (user_id, hash, prefix, sealed, created_at)
    SELECT id, ?, ?, ?, created_at FROM users WHERE login = ?`
  const sealed = await seal(key, secretsKey)
  database.prepare(insert).run(await sha256Hex(key), key.slice(0, 6), sealed, login)
  return key
}

function makeBot(database: DatabaseSync, login: string): void {
  for (const [table, columns, values] of [
    ['group_members', 'user_id, group_id, source', `u.id, g.id, 'direct'`],
    ['memberships', 'user_id, group_id', 'u.id, g.id'],
  ]) {
    const insert = `INSERT OR IGNORE INTO ${table} (${columns}) SELECT ${values}
      FROM users u, access_groups g WHERE u.login = ? AND g.role = 'codehost-webhook-bot'`
    database.prepare(insert).run(login)
  }
}

/** Adds webhooks of one component, which belong to the developer, and a server that accepts their deliveries. */
async function addWebhooks(
  database: DatabaseSync,
  { developer, product, heardComponent }: Landmarks,
  secretsKey: string,
): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  // it must not keep the process of the bench alive
  receiver.unref()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const insert = database.prepare(
    `INSERT INTO webhooks (user_id, name, name_fold, url, events, product_id, component_id, secret_sealed, created_at, after_notice_id)
      SELECT u.id, ?1, ?1, ?2, 'create', p.id, c.id, ?3, u.created_at, (SELECT coalesce(max(id), 0) FROM notices)
      FROM users u, products p JOIN components c ON c.product_id = p.id
      WHERE u.login = ?4 AND p.name = ?5 AND c.name = ?6`,
  )
  for (let n = 0; n < WEBHOOKS; n += 1) {
    const secret = await seal(newWebhookSecret(), secretsKey)
    insert.run(`bench ${n}`, url, secret, developer, product, heardComponent)
  }
}

/** Identifies the version of the schema and the generator, so that a change of either makes new data. */
function hashSources(): string {
  const hash = createHash('sha256')
  for (const { name, statements } of readMigrations(join(ROOT, 'drizzle'))) {
    hash.update(name).update(statements.join(';'))
  }
  for (const file of globSync('scripts/generator{.ts,/*}', { cwd: ROOT }).sort()) {
    hash.update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex').slice(0, 12)
}
