import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { describeClient, type TestCommand } from './outcomes.ts'
import { KEY, LOGIN, makeHome, PASSWORD, PLACE, requestAs, trackerUrl } from './tracker.ts'

const isInstalled = spawnSync('bugzilla', ['--version']).status === 0

/** With the path the client uses REST, with a bare host name XML-RPC. */
const ADDRESSES = {
  'bugzilla (python-bugzilla), REST': '/rest',
  'bugzilla (python-bugzilla), XML-RPC': '',
  'bugzilla (python-bugzilla), /xmlrpc.cgi': '/xmlrpc.cgi',
} as const

const IN_PLACE = ['-p', PLACE.product, '-c', PLACE.component, '-v', PLACE.version]

type Home = ReturnType<typeof makeHome>

for (const [client, path] of Object.entries(ADDRESSES)) {
  const home = makeHome()

  describeClient(client, isInstalled, (testCommand) => {
    const address = trackerUrl() + path

    const bugzilla = (...args: string[]) => runWithInput(home, '', '--bugzilla', address, ...args)
    const attach = (...args: string[]) =>
      runWithInput(home, 'some bytes\n', '--bugzilla', address, 'attach', ...args)

    testCommand('login', async () => {
      expect(await bugzilla('login', LOGIN, PASSWORD)).toContain('Login successful')
    })

    testCommand('info', async () => {
      expect(await bugzilla('info', '--products')).toContain(PLACE.product)
      expect(await bugzilla('info', '--components', PLACE.product)).toContain(PLACE.component)
      expect(await bugzilla('info', '--versions', PLACE.product)).toContain(PLACE.version)
      expect(await bugzilla('info', '--component_owners', PLACE.product)).toContain(LOGIN)
    })

    if (path !== '/xmlrpc.cgi') {
      describeChanges(testCommand, bugzilla)
      describeFiles(testCommand, home, bugzilla, attach)
    }

    testCommand('query with an API key', async () => {
      const other = makeHome()
      const folder = join(other.folder, '.config/python-bugzilla')
      mkdirSync(folder, { recursive: true })
      const section = new URL(address).host + path
      writeFileSync(join(folder, 'bugzillarc'), `[${section}]\napi_key=${KEY}\n`)
      const { id } = await requestAs(trackerUrl(), 'POST', '/rest/bug', {
        ...PLACE,
        summary: 'Read by key',
      })
      const found = ['query', '--bug_id', `${id}`, '--outputformat', '%{summary}']
      expect(await runWithInput(other, '', '--bugzilla', address, ...found)).toContain(
        'Read by key',
      )
    })
  })
}

function describeChanges(
  testCommand: TestCommand,
  bugzilla: (...args: string[]) => Promise<string>,
): void {
  // independent of the client, without starting an interpreter
  const file = async (summary: string) => {
    const bug = { ...PLACE, summary, description: 'Since Monday.' }
    return String((await requestAs(trackerUrl(), 'POST', '/rest/bug', bug)).id)
  }
  const readState = async (id: string) => {
    const { bugs } = await requestAs(trackerUrl(), 'GET', `/rest/bug/${id}`)
    return `${bugs[0].status}|${bugs[0].resolution}|${bugs[0].dupe_of}`
  }
  const read = async (id: string, format: string) =>
    (await bugzilla('query', '--bug_id', id, '--outputformat', format)).trim()
  const word = `w${crypto.randomUUID().slice(0, 8)}`
  let [one, two, three] = ['', '', '']

  testCommand('new', async () => {
    const filed = await bugzilla(
      ...['new', ...IN_PLACE, '--summary', `The lamp stays dark ${word}`],
      ...['--comment', 'Since Monday.', '--outputformat', '%{id} %{status} %{summary}'],
    )
    one = /\d+/.exec(filed)?.[0] ?? ''
    expect(filed).toContain(`The lamp stays dark ${word}`)
    two = await file('Two')
    three = await file('Three')
  })

  testCommand('query', async () => {
    const found = await bugzilla('query', '--summary', `${word} lamp`, '--outputformat', '%{id}')
    expect(found.trim()).toBe(one)
  })

  testCommand('modify: comments', async () => {
    await bugzilla('modify', '--comment', 'I can see it too.', one)
    await bugzilla('modify', '--comment', 'Between us.', '--private', one)
    const comments = await read(one, '%{comments}')
    for (const text of ['Since Monday.', 'I can see it too.', 'Between us.']) {
      expect(comments).toContain(text)
    }
  })

  testCommand('modify: lists, people, flags and texts', async () => {
    await bugzilla(
      ...['modify', '--keywords', '+crash', '--dependson', `+${two}`, '--blocked', `+${three}`],
      ...['--cc', LOGIN, '--whiteboard', '[x]', '--flag', 'needinfo?', '--comment', 'Why?'],
      ...['--alias', word, '--url', 'https://x.test/', '--assigned_to', LOGIN, one],
    )
    const fields = '%{keywords}|%{depends_on}|%{blocks}|%{cc}|%{whiteboard}|%{flags}|%{url}'
    expect(await read(one, fields)).toBe(
      `crash|${two}|${three}|${LOGIN}|[x]|needinfo?|https://x.test/`,
    )
    expect(await read(one, '%{alias} %{assigned_to}')).toContain(word)
    await bugzilla('modify', '--keywords=-crash', `--cc=-${LOGIN}`, '--reset-assignee', one)
    expect(await read(one, '%{keywords}|%{cc}|')).toBe('||')
  })

  testCommand('modify: status, close, duplicate', async () => {
    const reason = ['--field', 'resolution=FIXED', '--comment', 'New bulb.']
    await bugzilla('modify', '--status', 'RESOLVED', ...reason, one)
    expect(await readState(one)).toBe('RESOLVED|FIXED|null')
    await bugzilla('modify', '--close', 'FIXED', two)
    expect(await readState(two)).toBe('CLOSED|FIXED|null')
    await bugzilla('modify', '--status', 'REOPENED', two)
    expect(await readState(two)).toBe('REOPENED||null')
    await bugzilla('modify', '--dupeid', one, three)
    expect(await readState(three)).toBe(`CLOSED|DUPLICATE|${one}`)
  })
}

function describeFiles(
  testCommand: TestCommand,
  { folder }: Home,
  bugzilla: (...args: string[]) => Promise<string>,
  attach: (...args: string[]) => Promise<string>,
): void {
  testCommand('attach, attach --get, attach --getall', async () => {
    const filed = await bugzilla('new', ...IN_PLACE, '-t', 'Has a file', '-l', 'Look.', '-i')
    const attached = await attach('--desc', 'A file', '--type', 'text/plain', filed.trim())
    const [, id = ''] = /attachment (\d+)/.exec(attached) ?? []
    for (const get of [
      ['--getall', filed.trim()],
      ['--get', id],
    ]) {
      const [name = ''] = /\S+$/.exec((await bugzilla('attach', ...get)).trim()) ?? []
      expect(readFileSync(join(folder, name), 'utf8')).toBe('some bytes\n')
    }
  })
}

/** What a run with this home folder, where the client remembers its token, prints. */
async function runWithInput(
  { folder, variables }: Home,
  input: string,
  ...args: string[]
): Promise<string> {
  const running = promisify(execFile)('bugzilla', args, { cwd: folder, env: variables })
  running.child.stdin?.end(input)
  return (await running).stdout
}
