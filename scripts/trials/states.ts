import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  expectEqual,
  expectRefusal,
  expectText,
  fileBug,
  findFreePort,
  KEY,
  listen,
  run,
  send,
  serve,
  stop,
  within,
} from './server.ts'
import type { Trial } from './trial.ts'

const start = (state: string, variables: Record<string, string> = {}) =>
  run('start.ts', ['--port', '0', '--persist-to', state], variables)

/** Missing, broken or foreign folders, databases and credentials. */
export const stateTrials: Trial[] = [
  {
    title: 'a taken port or an unknown host fails before an administrator exists',
    async run(folder) {
      const state = join(folder, 'state')
      const other = await listen()
      const port = String(other.port)
      const taken = run('start.ts', ['--port', port, '--persist-to', state])
      await expectRefusal(taken, port, '--port')
      const args = ['--port', '0', '--persist-to', state]
      const elsewhere = run('start.ts', [...args, '--host', '192.0.2.1'])
      await expectRefusal(elsewhere, '192.0.2.1', '--host')
      await new Promise((closed) => other.close(closed))
      const server = await serve(state, other.port, {})
      expectText(server.printed(), /password: \S+/, /API key: +\S+/)
      await stop(server)
    },
  },
  {
    title: 'lost credentials are reset, and ignored ones are named',
    isLong: true,
    async run(folder) {
      const state = join(folder, 'state')
      const port = await findFreePort()
      await stop(await serve(state, port, {}))
      const args = ['--persist-to', state, '--reset-administrator']
      const unknown = run('bootstrap.ts', [...args, 'nobody@example.com'])
      await expectRefusal(unknown, 'nobody@example.com', 'admin@example.com')
      const reset = run('bootstrap.ts', [...args, 'Admin@example.com'], { ADMIN_API_KEY: KEY })
      expectEqual(`exit code (${reset.printed()})`, await within(reset.ended), 0)
      const password = /password: (\S+)/.exec(reset.printed())?.[1] ?? ''
      const server = await serve(state, port, { ADMIN_PASSWORD: 'another password' })
      expectText(server.printed(), 'Ignored ADMIN_PASSWORD', '--reset-administrator')
      expectEqual('ID with the new key', (await send(port, 'whoami')).body.id, 1)
      const query = new URLSearchParams({ login: 'admin@example.com', password })
      const login = await send(port, `login?${query}`, { headers: {} })
      expectEqual('ID with the new password', login.body.id, 1)
      await stop(server)
    },
  },
  {
    title: 'a folder that cannot be used is refused in one sentence',
    async run(folder) {
      const file = join(folder, 'file')
      writeFileSync(file, '')
      await expectRefusal(start(file), file, '--persist-to')
      await expectRefusal(start(join(file, 'below')), '--persist-to')
      await expectRefusal(start('/proc/nowhere'), '--persist-to')
      const state = join(folder, 'state')
      mkdirSync(join(state, 'secrets.env'), { recursive: true })
      await expectRefusal(start(state), 'secrets.env')
      if (process.getuid?.() !== 0) {
        const unwritable = join(folder, 'unwritable')
        mkdirSync(unwritable, { mode: 0o500 })
        await expectRefusal(start(unwritable), unwritable, 'permissions')
        chmodSync(unwritable, 0o700)
      }
    },
  },
  {
    title: 'a database that is damaged, foreign, incomplete or missing is refused in one sentence',
    isLong: true,
    async run(folder) {
      const good = join(folder, 'good')
      await stop(await serve(good, await findFreePort()))
      // otherwise the log beside the file repairs it
      execute(findDatabase(good), 'PRAGMA wal_checkpoint(TRUNCATE)')
      const cases: [what: string, change: (file: string) => void][] = [
        ['damaged', (file) => writeFileSync(file, 'no database at all '.repeat(1000))],
        ['damaged', (file) => truncateSync(file, 100_000)],
        ['not that of a tracker', (file) => replaceByForeign(file)],
        ['lost the table flags', (file) => execute(file, 'DROP TABLE flags')],
        ['d1_migrations', (file) => execute(file, 'DROP TABLE d1_migrations')],
        ['d1_migrations', (file) => execute(file, 'DELETE FROM d1_migrations')],
        [
          'newer version',
          (file) => execute(file, "INSERT INTO d1_migrations (name) VALUES ('9999_x.sql')"),
        ],
        ['is missing', (file) => rmSync(file)],
      ]
      for (const [index, [words, change]] of cases.entries()) {
        const state = join(folder, `bad-${index}`)
        cpSync(good, state, { recursive: true })
        change(findDatabase(state))
        await expectRefusal(start(state), state, words, '--persist-to')
      }
      await stop(await serve(good, await findFreePort()))
    },
  },
  {
    title: 'a folder of data may be moved as a whole, with the secret of its API keys',
    isLong: true,
    async run(folder) {
      const state = join(folder, 'state')
      const port = await findFreePort()
      await stop(await serve(state, port))
      const secret = readFileSync(join(state, 'secrets.env'), 'utf8')
      const moved = join(folder, 'moved')
      renameSync(state, moved)
      const server = await serve(moved, port, {})
      expectEqual('secret', readFileSync(join(moved, 'secrets.env'), 'utf8'), secret)
      expectEqual('ID with the old key', (await send(port, 'whoami')).body.id, 1)
      expectEqual('status of a new bug', (await fileBug(port)).status, 200)
      expectEqual('the old place', existsSync(state), false)
      await stop(server)
    },
  },
]

function findDatabase(state: string): string {
  const folder = join(state, 'v3/d1/miniflare-D1DatabaseObject')
  const name = readdirSync(folder).find((each) => /^[0-9a-f]+\.sqlite$/.test(each)) ?? ''
  return join(folder, name)
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.exec(sql)
  database.close()
}

function replaceByForeign(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(`${file}${suffix}`, { force: true })
  }
  execute(file, 'CREATE TABLE notes (text TEXT)')
}
