import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environment, type RunningServer, startServer } from './running-server.ts'

const LOGIN = 'root@tracker.example'
const PASSWORD = 'correct horse battery'
const KEY = 'lwAdministratorKeyForThisTestRun00000000'

const installed = spawnSync('bugzilla', ['--version']).status === 0
if (!installed) {
  process.stderr.write(
    'The command `bugzilla` (Debian: python3-bugzilla, bugzilla-cli) is missing: its test is skipped.\n',
  )
}

/** With the path the client uses REST, with a bare host name XML-RPC. */
const ADDRESSES = [
  { protocol: 'REST', path: '/rest' },
  { protocol: 'XML-RPC', path: '' },
  { protocol: 'XML-RPC by its address', path: '/xmlrpc.cgi' },
]

describe.skipIf(!installed && process.env.CI !== 'true').each(ADDRESSES)(
  'the bugzilla command line client by $protocol',
  ({ path }) => {
    let server: RunningServer

    beforeAll(async () => {
      server = await startServer({
        ADMIN_LOGIN: LOGIN,
        ADMIN_PASSWORD: PASSWORD,
        ADMIN_API_KEY: KEY,
      })
    })
    afterAll(() => server?.stop())

    /** Runs the client with a home folder of its own, so that it remembers its token there. */
    function bugzilla(...args: string[]): string {
      return bugzillaWith('', ...args)
    }

    function bugzillaWith(input: string, ...args: string[]): string {
      const run = spawnSync('bugzilla', ['--bugzilla', `${server.url}${path}`, ...args], {
        encoding: 'utf8',
        input,
        cwd: server.folder,
        env: environment({ PATH: process.env.PATH, HOME: server.folder }),
      })
      expect({ args, status: run.status, stderr: run.stderr, stdout: run.stdout }).toMatchObject({
        status: 0,
      })
      return run.stdout
    }

    test('finds a tracker that answers within a minute after the start', () => {
      expect(server.startedIn).toBeLessThan(60_000)
    })

    test('logs in, files, finds, reads, discusses and resolves a bug', () => {
      expect(bugzilla('login', LOGIN, PASSWORD)).toContain('Login successful')
      expect(bugzilla('info', '--products')).toContain('TestProduct')
      expect(bugzilla('info', '--components', 'TestProduct')).toContain('TestComponent')

      const filed = bugzilla(
        ...['new', '--product', 'TestProduct', '--component', 'TestComponent'],
        ...[
          '--version',
          'unspecified',
          '--summary',
          'The lamp stays dark',
          '--comment',
          'Since Monday.',
        ],
        ...['--outputformat', '%{id} %{status} %{summary}'],
      )
      const [id = ''] = /\d+/.exec(filed) ?? []
      expect(filed).toContain('The lamp stays dark')

      const listed = bugzilla(
        'query',
        '--product',
        'TestProduct',
        '--outputformat',
        '%{id}|%{status}',
      )
      expect(listed.trim().split('\n')).toContainEqual(
        expect.stringMatching(new RegExp(`^${id}\\|`)),
      )

      const found = bugzilla('query', '--summary', 'dark lamp', '--outputformat', '%{id}')
      expect(found.trim().split('\n')).toContain(id)

      bugzilla('modify', '--comment', 'I can see it too.', id)
      bugzilla(
        ...[
          'modify',
          '--status',
          'RESOLVED',
          '--field',
          'resolution=FIXED',
          '--comment',
          'New bulb.',
          id,
        ],
      )

      const after = bugzilla(
        'query',
        '--bug_id',
        id,
        '--outputformat',
        '%{id}|%{status}|%{resolution}',
      )
      expect(after.trim()).toBe(`${id}|RESOLVED|FIXED`)
      const open = bugzilla(
        ...[
          'query',
          '--product',
          'TestProduct',
          '--status',
          'CONFIRMED',
          '--outputformat',
          '%{id}',
        ],
      )
      expect(open.trim().split('\n')).not.toContain(id)

      const comments = bugzilla('query', '--bug_id', id, '--outputformat', '%{comments}')
      expect(comments).toContain('Since Monday.')
      expect(comments).toContain('I can see it too.')
      expect(comments).toContain('New bulb.')
    })

    test('links, flags and tags bugs, and downloads the file that it attached', async () => {
      const headers = { authorization: `Bearer ${KEY}` }
      const made = await fetch(`${server.url}/rest/keyword`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: 'crash', description: 'It crashes.' }),
      })
      expect(made.ok, await made.text()).toBe(true)
      const place = ['-p', 'TestProduct', '-c', 'TestComponent', '-v', 'unspecified']
      const [one = '', two = '', three = ''] = ['One', 'Two', 'Three'].map((summary) =>
        bugzilla('new', ...place, '-t', summary, '-l', 'Look.', '-i').trim(),
      )

      bugzilla(
        ...['modify', '--keywords', '+crash', '--dependson', `+${two}`, '--blocked', `+${three}`],
        ...['--cc', LOGIN, '--whiteboard', '[x]', '--flag', 'needinfo?', '--comment', 'Why?', one],
      )
      const fields = '%{keywords}|%{depends_on}|%{blocks}|%{cc}|%{whiteboard}|%{flags}'
      expect(bugzilla('query', '--bug_id', one, '--outputformat', fields).trim()).toBe(
        `crash|${two}|${three}|${LOGIN}|[x]|needinfo?`,
      )

      bugzillaWith('some bytes\n', 'attach', '--desc', 'A file', '--type', 'text/plain', one)
      const [name = ''] = /\S+$/.exec(bugzilla('attach', '--getall', one).trim()) ?? []
      expect(readFileSync(join(server.folder, name), 'utf8')).toBe('some bytes\n')

      const duplicate = ['--field', 'resolution=DUPLICATE', '--field', `dupe_of=${one}`]
      bugzilla('modify', '--status', 'RESOLVED', ...duplicate, three)
      const state = ['--outputformat', '%{status}|%{resolution}|%{dupe_of}']
      expect(bugzilla('query', '--bug_id', three, ...state).trim()).toBe(
        `RESOLVED|DUPLICATE|${one}`,
      )
    })

    test('says what is wrong with a query of thousands of IDs', () => {
      const ids = Array.from({ length: 3000 }, (_, n) => n + 1).join(',')
      const run = spawnSync(
        'bugzilla',
        ['--bugzilla', `${server.url}/rest`, 'query', '--bug_id', ids],
        {
          encoding: 'utf8',
          cwd: server.folder,
          env: environment({ PATH: process.env.PATH, HOME: server.folder }),
        },
      )
      expect(run.status).not.toBe(0)
      expect(run.stdout + run.stderr).toContain('query_over_10_KB')
    })

    test('closes and reopens bugs once the tracker has the classic workflow', async () => {
      const place = ['-p', 'TestProduct', '-c', 'TestComponent', '-v', 'unspecified']
      const filed = bugzilla(
        'new',
        ...place,
        '-t',
        'Closed soon',
        '-l',
        'x',
        '--outputformat',
        '%{id}',
      )
      const id = filed.trim()
      const readState = () =>
        bugzilla('query', '--bug_id', id, '--outputformat', '%{status}|%{resolution}').trim()
      // the client above blocked this process, which may not know yet that an idle connection is closed
      await new Promise((resolve) => setTimeout(resolve, 100))
      const applied = await fetch(`${server.url}/rest/workflow`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ preset: 'classic' }),
      })
      expect(applied.status).toBe(200)
      bugzilla('modify', '--status', 'CLOSED', '--field', 'resolution=FIXED', id)
      expect(readState()).toBe('CLOSED|FIXED')
      bugzilla('modify', '--status', 'REOPENED', id)
      expect(readState()).toBe('REOPENED|')
      bugzilla('modify', '--close', 'FIXED', id)
      expect(readState()).toBe('CLOSED|FIXED')
    })

    test('works with an API key as well', () => {
      const folder = join(server.folder, 'with-key/.config/python-bugzilla')
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        join(folder, 'bugzillarc'),
        `[${new URL(server.url).host}${path}]\napi_key=${KEY}\n`,
      )
      const run = spawnSync(
        'bugzilla',
        [
          ...['--bugzilla', `${server.url}${path}`],
          ...['query', '--bug_id', '1', '--outputformat', '%{summary}'],
        ],
        {
          encoding: 'utf8',
          env: environment({ PATH: process.env.PATH, HOME: join(server.folder, 'with-key') }),
        },
      )
      expect({ status: run.status, output: run.stdout + run.stderr }).toMatchObject({ status: 0 })
      expect(run.stdout).toContain('The lamp stays dark')
    })
  },
)
