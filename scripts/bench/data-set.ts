import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { newWebhookSecret } from '../../src/edges/webhooks/delivery/signature.ts'
import { newApiKey, seal, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import { CommandError } from '../command.ts'
import { SECONDS_PER_BUG } from '../generator/world.ts'
import { generateTracker } from '../generator.ts'
import { ensureSecretsKey } from '../local/secrets-key.ts'
import { findDatabaseFiles, locateState } from '../local/state.ts'
import { readMigrations } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { findLandmarks, type Landmarks } from './landmarks.ts'
import { askWell, get } from './request.ts'
import { type Form, startServer, type TrackerServer } from './servers.ts'
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
  /** The API keys of the developer among the landmarks, and of the bot, with which the code host signs. */
  keys: { developer: string; bot: string }
  databaseBytes: number
}

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

/** Runs something with a server of such a tracker, which knows the developer and ends with it. */
export function withServer<Result>(
  bugs: number,
  form: Form,
  run: (server: TrackerServer, data: DataSet) => Promise<Result>,
): Promise<Result> {
  return withDataSet(bugs, async (data) => {
    const server = await startServer(data.folder, form)
    try {
      // the first request of a key costs more
      await askWell(server.origin, get('/rest/whoami', authorize(data)))
      return await run(server, data)
    } finally {
      await server.stop()
    }
  })
}

/** The headers of the developer. */
export function authorize({ keys }: DataSet): Record<string, string> {
  return { authorization: `Bearer ${keys.developer}` }
}

/** Generates a tracker into a folder of its own, which `npm start` can use. */
export async function generateDataSet(bugs: number, folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  // creates the tables and the first administrator in the same way as `npm start`
  await (await startServer(unfinished)).stop()
  await withDatabase(unfinished, (database) => fillDatabase(database, bugs))
  // a connection that has read the words of an index cannot change the mode
  await withDatabase(unfinished, (database) =>
    database.exec('PRAGMA journal_mode = wal; PRAGMA wal_checkpoint(TRUNCATE)'),
  )
  renameSync(unfinished, folder)
}

/** Runs something with the database of a folder that no server has open. */
export async function withDatabase<Result>(
  folder: string,
  run: (database: DatabaseSync) => Result | Promise<Result>,
): Promise<Result> {
  const [file] = findDatabaseFiles(locateState(folder))
  if (file === undefined) {
    throw new CommandError(`There is no tracker in ${resolve(folder)}.`)
  }
  const database = new DatabaseSync(file)
  try {
    return await run(database)
  } finally {
    database.close()
  }
}

const FILL_COMMENT_WORDS = `CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, comments_body_fts, row);
  INSERT INTO comment_words (word) SELECT term FROM temp.terms WHERE length(term) >= 3;
  DROP TABLE temp.terms;
  UPDATE comment_word_range SET newest_comment_id = (SELECT coalesce(max(id), 0) FROM comments)`

function fillDatabase(database: DatabaseSync, bugs: number): void {
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
  bar.end()
}

/** Sets how much of a full-text index is collected before it is written; the more, the fewer merges. */
function setParcelSize(database: DatabaseSync, bytes: number): void {
  for (const name of FULL_TEXTS) {
    database.exec(`INSERT INTO ${name}(${name}, rank) VALUES ('hashsize', ${bytes})`)
  }
}

/** Opens a copy, in which the developer and the bot have keys, and the developer webhooks of one component. */
async function openDataSet(folder: string): Promise<DataSet> {
  const secretsKey = await ensureSecretsKey(locateState(folder), [])
  const url = await receiveWebhooks()
  return withDatabase(folder, async (database) => {
    const query = (sql: string, ...params: SQLInputValue[]) => database.prepare(sql).all(...params)
    const landmarks = await findLandmarks(async (sql, ...params) => query(sql, ...params), SEED)
    const { developer, bot, product, heardComponent } = landmarks
    const addKey = async (login: string) => {
      const key = newApiKey()
      const sealed = await seal(key, secretsKey)
      query(INSERT_KEY, await sha256Hex(key), key.slice(0, 6), sealed, login)
      return key
    }
    const keys = { developer: await addKey(developer), bot: await addKey(bot) }
    for (const insert of MAKE_BOT) {
      query(insert, bot)
    }
    for (let n = 0; n < WEBHOOKS; n += 1) {
      const secret = await seal(newWebhookSecret(), secretsKey)
      query(INSERT_WEBHOOK, `bench ${n}`, url, secret, developer, product, heardComponent)
    }
    const pages = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
    return { folder, landmarks, keys, databaseBytes: Number(query(pages)[0]?.bytes) }
  })
}

const INSERT_KEY = `INSERT INTO api_keys (user_id, hash, prefix, sealed, created_at)
  SELECT id, ?, ?, ?, created_at FROM users WHERE login = ?`

const OF_BOT = `FROM users u, access_groups g WHERE u.login = ? AND g.role = 'codehost-webhook-bot'`
const MAKE_BOT = [
  `INSERT OR IGNORE INTO group_members (user_id, group_id, source) SELECT u.id, g.id, 'direct' ${OF_BOT}`,
  `INSERT OR IGNORE INTO memberships (user_id, group_id) SELECT u.id, g.id ${OF_BOT}`,
]

const INSERT_WEBHOOK = `INSERT INTO webhooks
  (user_id, name, name_fold, url, events, product_id, component_id, secret_sealed, created_at, after_notice_id)
  SELECT u.id, ?1, ?1, ?2, 'create', p.id, c.id, ?3, u.created_at, (SELECT coalesce(max(id), 0) FROM notices)
  FROM users u, products p JOIN components c ON c.product_id = p.id
  WHERE u.login = ?4 AND p.name = ?5 AND c.name = ?6`

/** The address of a server that accepts all deliveries, and does not keep the process of the bench alive. */
async function receiveWebhooks(): Promise<string> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  receiver.unref()
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
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
