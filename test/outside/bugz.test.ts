import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environment, type RunningServer, startServer } from './running-server.ts'

const LOGIN = 'root@tracker.example'
const PASSWORD = 'correct horse battery'
const KEY = 'lwAdministratorKeyForThisTestRun00000000'

const installed = spawnSync('bugz', ['--version']).status === 0
if (!installed) {
  process.stderr.write('The command `bugz` (Debian: bugz) is missing: its test is skipped.\n')
}

/** How the client presents who it is. */
const CREDENTIALS = {
  'a password': ['--user', LOGIN, '--password', PASSWORD],
  'an API key': ['--key', KEY],
} as const

describe.skipIf(!installed && process.env.CI !== 'true')('the bugz command line client', () => {
  let server: RunningServer

  beforeAll(async () => {
    server = await startServer({
      ADMIN_LOGIN: LOGIN,
      ADMIN_PASSWORD: PASSWORD,
      ADMIN_API_KEY: KEY,
    })
    writeFileSync(join(server.folder, '.bugzrc'), `[test]\nbase = ${server.url}/xmlrpc.cgi\n`)
    mkdirSync(join(server.folder, 'downloads'))
  })
  afterAll(() => server?.stop())

  function bugz(credentials: readonly string[], ...args: string[]) {
    return spawnSync(
      'bugz',
      ['--connection', 'test', '--columns', '200', ...credentials, ...args],
      {
        encoding: 'utf8',
        cwd: join(server.folder, 'downloads'),
        env: environment({ PATH: process.env.PATH, HOME: server.folder, PYTHONIOENCODING: 'utf8' }),
      },
    )
  }

  function expectSuccess(credentials: readonly string[], ...args: string[]): string {
    const { status, stdout, stderr } = bugz(credentials, ...args)
    expect({ args, status, stderr, stdout }).toMatchObject({ status: 0 })
    return stdout + stderr
  }

  test.each(Object.entries(CREDENTIALS))(
    'files, finds, reads, changes and resolves a bug with %s',
    (kind, credentials) => {
      const run = (...args: string[]) => expectSuccess(credentials, ...args)
      const title = `The lamp stays dark & cold with ${kind}`
      const place = ['--product', 'TestProduct', '--component', 'TestComponent']
      const posted = run(
        ...['post', '--batch', ...place, '--version', 'unspecified', '--title', title],
        ...['--description', 'Since <Monday>.', '--platform', 'Unspecified'],
      )
      const [, id = ''] = /Bug (\d+) submitted/.exec(posted) ?? []
      expect(id).not.toBe('')

      expect(run('search', 'dark & cold', ...place)).toContain(title)
      run(
        ...['modify', '--comment', 'I see it too: ☃', '--add-cc', LOGIN, '--whiteboard', '[x]'],
        ...['--add-see-also', 'https://example.org/1', id],
      )
      expect(run('modify', '--fixed', id)).toMatch(/resolution *: added FIXED/)

      const shown = run('get', id)
      for (const part of [title, 'RESOLVED', 'FIXED', LOGIN, '[x]', 'https://example.org/1']) {
        expect(shown).toContain(part)
      }
      expect(shown).toContain('Since <Monday>.')
      expect(shown).toContain('I see it too: ☃')
    },
  )

  test('downloads the file that it attached', () => {
    const run = (...args: string[]) => expectSuccess(CREDENTIALS['an API key'], ...args)
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256))
    const file = join(server.folder, 'noise.bin')
    writeFileSync(file, bytes)

    const options = ['--content-type', 'application/octet-stream', '--title', 'Noise']
    const attached = run('attach', ...options, '--description', 'Listen.', '1', file)
    const [, id = ''] = /\((\d+)\) has been attached/.exec(attached) ?? []
    run('attachment', id)
    expect(readFileSync(join(server.folder, 'downloads/noise.bin')).equals(bytes)).toBe(true)
    expect(run('get', '1')).toContain(`[Attachment] [${id}] [Noise]`)
  })

  test('shows why a request is refused', () => {
    const denied = bugz(['--key', 'x'.repeat(40)], 'get', '1')
    expect(denied.stdout + denied.stderr).toContain('API key')
    const missing = bugz(CREDENTIALS['an API key'], 'get', '987654')
    expect(missing.stdout + missing.stderr).toContain('987654')
    expect([denied.status, missing.status]).toEqual([1, 1])
  })
})
