import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { readMemory } from '../../scripts/bench/process.ts'
import { findDatabaseFiles, locateDatabase, locateState } from '../../scripts/local/state.ts'
import { readMigrations } from '../../scripts/migrations.ts'
import { ROOT } from '../../scripts/wrangler.ts'
import {
  assertFiles,
  assertRefused,
  assertText,
  fileBug,
  findFreePort,
  isReady,
  KEY,
  killAll,
  listen,
  run,
  send,
  serve,
  start,
  startProcess,
  stop,
  waitUntil,
  within,
} from './started-process.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacewing-start-'))
})

afterEach(() => {
  killAll()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
})

describe('missing, broken or foreign folders, databases and credentials', () => {
  test('a taken port or an unknown host fails before an administrator exists', async () => {
    const state = join(folder, 'state')
    const other = await listen()
    const port = String(other.port)
    await assertRefused(start(state, ['--port', port]), port, '--port')
    await assertRefused(start(state, ['--host', '192.0.2.1']), '192.0.2.1', '--host')
    await new Promise((closed) => other.close(closed))
    const server = await serve(state, other.port, {})
    assertText(server.printed(), /password: \S+/, /API key: +\S+/)
    await stop(server)
  })

  test('lost credentials are reset, and ignored ones are named', async () => {
    const state = join(folder, 'state')
    await stop(await serve(state, 0, {}))
    const args = ['--persist-to', state, '--reset-administrator']
    const unknown = run('bootstrap', [...args, 'nobody@example.com'])
    await assertRefused(unknown, 'nobody@example.com', 'admin@example.com')
    const reset = run('bootstrap', [...args, 'Admin@example.com'], { ADMIN_API_KEY: KEY })
    assert.equal(await within(reset.ended), 0, reset.printed())
    const password = /password: (\S+)/.exec(reset.printed())?.[1] ?? ''
    const server = await serve(state, 0, { ADMIN_PASSWORD: 'another password' })
    const command = `npm run bootstrap -- --persist-to ${state} --reset-administrator LOGIN`
    assertText(server.printed(), 'Ignored ADMIN_PASSWORD', `an administrator: ${command}`)
    assertText(server.printed(), `(lost the password or key? ${command})`)
    assert.equal((await send(server.port, 'whoami')).body.id, 1, 'ID with the new key')
    const query = new URLSearchParams({ login: 'admin@example.com', password })
    const login = await send(server.port, `login?${query}`, { headers: {} })
    assert.equal(login.body.id, 1, 'ID with the new password')
    await stop(server)
  })

  test('a folder that cannot be used is refused in one sentence', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await assertRefused(start(file), file, '--persist-to')
    await assertRefused(start(join(file, 'below')), '--persist-to')
    await assertRefused(start('/proc/nowhere'), '--persist-to')
    const unnamed = start('')
    assert.equal(await within(unnamed.ended), 2, unnamed.printed())
    assertText(unnamed.printed(), '--persist-to is empty')
    const home = join(folder, 'home')
    mkdirSync(join(home, 'tmp'), { recursive: true })
    writeFileSync(join(home, 'tmp/letter'), 'kept')
    await assertRefused(start(home), join(home, 'tmp'), '--persist-to')
    assert.equal(readFileSync(join(home, 'tmp/letter'), 'utf8'), 'kept')
    const state = join(folder, 'state')
    mkdirSync(join(state, 'secrets.env'), { recursive: true })
    await assertRefused(start(state), 'secrets.env')
    if (process.getuid?.() !== 0) {
      const unwritable = join(folder, 'unwritable')
      mkdirSync(unwritable, { mode: 0o500 })
      await assertRefused(start(unwritable), unwritable, 'permissions')
      chmodSync(unwritable, 0o700)
    }
  })

  test('a database that is damaged, foreign, incomplete or missing is refused in one sentence', async () => {
    const good = join(folder, 'good')
    await stop(await serve(good))
    // otherwise the log beside the file repairs it
    execute(findDatabase(good), 'PRAGMA wal_checkpoint(TRUNCATE)')
    const bySql = (sql: string) => (file: string) => execute(file, sql)
    const cases: [words: string, change: (file: string) => void][] = [
      ['damaged', (file) => writeFileSync(file, 'no database at all '.repeat(1000))],
      ['damaged', (file) => truncateSync(file, 100_000)],
      ['not that of a tracker', replaceByForeign],
      ['lost the table flags', bySql('DROP TABLE flags')],
      ['d1_migrations', bySql('DROP TABLE d1_migrations')],
      ['d1_migrations', bySql('DELETE FROM d1_migrations')],
      ['is empty', empty],
      ['newer version', bySql("INSERT INTO d1_migrations (name) VALUES ('9999_x.sql')")],
      ['is missing', (file) => rmSync(file)],
    ]
    for (const [index, [words, change]] of cases.entries()) {
      const state = join(folder, `bad-${index}`)
      cpSync(good, state, { recursive: true })
      change(findDatabase(state))
      await assertRefused(start(state), state, words, '--persist-to')
    }
    await stop(await serve(good))
  })

  test('a folder of data may be moved as a whole, with the secret of its API keys', async () => {
    const state = join(folder, 'state')
    await stop(await serve(state))
    const secret = readFileSync(join(state, 'secrets.env'), 'utf8')
    const moved = join(folder, 'moved')
    renameSync(state, moved)
    const server = await serve(moved, 0, {})
    assert.equal(readFileSync(join(moved, 'secrets.env'), 'utf8'), secret)
    assert.equal((await send(server.port, 'whoami')).body.id, 1, 'ID with the old key')
    await assertFiles(server.port)
    assert.equal(existsSync(state), false, 'the old place')
    await stop(server)
  })

  test('a folder whose secret was left behind is refused, and one with another secret says so', async () => {
    const state = join(folder, 'state')
    const file = join(state, 'secrets.env')
    await stop(await serve(state))
    const secret = readFileSync(file, 'utf8')
    rmSync(file)
    await assertRefused(start(state), file, 'SECRETS_KEY', '.dev.vars')
    assert.equal(existsSync(file), false, 'a new secret')
    await assertRefused(run('bootstrap', ['--persist-to', state]), file)
    writeFileSync(file, 'SECRETS_KEY=another')
    const other = await serve(state)
    assertText(other.printed(), 'SECRETS_KEY is not the secret that encrypted this database')
    await stop(other)
    writeFileSync(file, secret)
    const server = await serve(state)
    assert(!server.printed().includes('SECRETS_KEY'), server.printed())
    await stop(server)
  })

  test('npm run bootstrap refuses a folder that is not there, and creates none', async () => {
    const typo = join(folder, 'tpyo')
    await assertRefused(run('bootstrap', ['--persist-to', typo]), typo, '--persist-to')
    assert.equal(existsSync(typo), false, 'a folder')
  })

  test('a reset without a tracker makes none', () => {
    const command = [
      join(ROOT, 'scripts/run.js'),
      'bootstrap',
      '--reset-administrator',
      'a@b.example',
    ]
    const { status, stderr } = spawnSync(process.execPath, command, {
      cwd: folder,
      encoding: 'utf8',
    })
    assert.deepEqual([status, stderr.startsWith('There is no folder ')], [1, true], stderr)
    assert.equal(existsSync(join(folder, '.wrangler')), false, 'a folder')
  })

  test('a start names the migrations that it applies, and how long they took', async () => {
    const state = join(folder, 'state')
    const names = createDatabase(state, -1)
    const first = await serve(state)
    assertText(first.printed(), `"migration begun","migration":"${names.at(-1)}"`)
    assertText(first.printed(), `"migration applied","migration":"${names.at(-1)}","ms":`)
    await assertFiles(first.port)
    await stop(first)
    const second = await serve(state)
    assert(!second.printed().includes('migration'), second.printed())
    await assertFiles(second.port)
    await stop(second)
  })

  test('a large database is served at once and checked meanwhile, and /healthz tells of damage', async () => {
    const state = join(folder, 'state')
    await stop(await serve(state))
    const file = findDatabase(state)
    execute(
      file,
      `CREATE TABLE filling (bytes BLOB); INSERT INTO filling SELECT randomblob(1000) FROM
        (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${FILLING_ROWS})
        SELECT i FROM n); PRAGMA wal_checkpoint(TRUNCATE)`,
    )
    const sound = await serve(state)
    await waitUntil('the check is done', () => sound.printed().includes('"database checked"'))
    assert.deepEqual(await readHealth(sound.port), { code: 200, status: 'ok' })
    await stop(sound)
    execute(file, 'PRAGMA wal_checkpoint(TRUNCATE)')
    overwriteMiddle(file)
    const damaged = await serve(state)
    await waitUntil('damage is found', () => damaged.printed().includes('"database damaged"'))
    assert.deepEqual(await readHealth(damaged.port), { code: 503, status: 'damaged' })
    await assertFiles(damaged.port)
    await stop(damaged)
    truncateSync(file, statSync(file).size / 2)
    await assertRefused(start(state), state, 'damaged')
  })
})

describe('npm start', () => {
  test('the start script keeps less than 120 MB', async () => {
    const server = await serve(join(folder, 'state'))
    const { now } = readMemory(server.pid)
    assert(!(now >= 120), `${now} MB`)
    await stop(server)
    assertText(server.printed(), 'Lacewing')
  })

  test('npm start takes a flag without --, says where it is first, and logs no debugging', async () => {
    const port = await findFreePort()
    const args = ['start', '--port', String(port), '--', '--persist-to', join(folder, 'state')]
    const server = startProcess('npm', args, { ADMIN_API_KEY: KEY })
    await waitUntil('the server is ready', () => isReady(server) || !server.isRunning())
    const lines = server.printed().split('\n')
    const first = lines.findIndex((line) => line.startsWith('Lacewing'))
    assertText(lines[first] ?? '', `http://127.0.0.1:${port}`)
    assertText(lines[first + 1] ?? '', /^Data +.*state/)
    assertText(lines[first + 2] ?? '', /^Sign in +admin@example\.com/)
    assertText(server.printed(), /^Documentation +http.*\/docs$/m)
    assert.equal((await fileBug(port)).status, 200)
    // the queue delivers within a second or two
    await pause(3000)
    assert.equal(typeof (await send(port, 'version')).body.version, 'string')
    assert(!server.printed().includes('"level":"debug"'), server.printed())
    await stop(server)
  })

  test('npm start explains several flags without --', async () => {
    const args = ['start', '--port', '0', '--persist-to', join(folder, 'state')]
    const server = startProcess('npm', args, {})
    assert.equal(await within(server.ended), 2, 'exit code')
    assertText(server.printed(), 'write -- before the flags')
  })
})

/** More than is checked before the port opens. */
const FILLING_ROWS = 25_000

function overwriteMiddle(file: string): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(400_000), 0, 400_000, Math.floor(statSync(file).size / 2))
  closeSync(handle)
}

async function readHealth(port: number) {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
  const { status } = (await answer.json()) as { status: string }
  return { code: answer.status, status }
}

const findDatabase = (state: string) => findDatabaseFiles(locateState(state))[0] ?? ''

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec(sql)
  database.close()
}

/** A database as an older version left it, without the last migrations. Returns the names of all. */
function createDatabase(state: string, last: number): string[] {
  const migrations = readMigrations(join(ROOT, 'drizzle'))
  const file = locateDatabase(locateState(state))
  mkdirSync(dirname(file), { recursive: true })
  execute(file, 'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT, applied_at TEXT)')
  for (const { name, statements } of migrations.slice(0, last)) {
    execute(
      file,
      [...statements, `INSERT INTO d1_migrations (name) VALUES ('${name}')`].join(';\n'),
    )
  }
  return migrations.map(({ name }) => name)
}

function empty(file: string): void {
  for (const suffix of ['-wal', '-shm']) {
    rmSync(`${file}${suffix}`, { force: true })
  }
  truncateSync(file)
}

function replaceByForeign(file: string): void {
  empty(file)
  execute(file, 'CREATE TABLE notes (text TEXT)')
}
