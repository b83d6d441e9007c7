import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildClientWorld, type ClientWorld } from '../support/worlds/client-world.ts'
import { environment, type RunningServer, startServer } from './running-server.ts'

const ROOT = 'root@tracker.example'
const PASSWORD = 'correct horse battery'
const KEY = 'lwAdministratorKeyForThisTestRun00000000'

const HERE = ['--product', '{kitchen}']

/** Options of `bugzilla query`, and the letters of the bugs that the tracker finds for them. */
const SEARCHES: [found: string, ...options: string[]][] = [
  ['abcde', '--product', '{kitchen},{garden}'],
  ['a', '--version', '2.0'],
  ['abcd', ...HERE, '--version', '2.0,1.0'],
  ['abcd', ...HERE, '--component', 'Heat,Light'],
  ['d', ...HERE, '--component', 'Light'],
  ['a', '--summary', 'leaks kettle'],
  ['', '--summary', 'leaks toaster'],
  ['a', '--comment', 'monday leaks'],
  ['b', '--comment', 'toast', '--priority', 'P1,P2', '--severity', 'S2'],
  ['a', '--alias', '{alias}'],
  ['bc', '--status', 'IN_PROGRESS,RESOLVED'],
  ['abcd', ...HERE, '--status', 'ALL'],
  ['', ...HERE, '--status', 'DEV'],
  ['a', '--url', 'kettle.example'],
  ['a', '--url', 'https://kettle.example/leak?x=1', '--url_type', 'equals'],
  ['a', '--target_milestone', 'M1'],
  ['b', '--blocked', '{a}'],
  ['a', '--dependson', '{b}'],
  ['ab', '--keywords', '{crash}'],
  ['b', '--keywords', '{crash},{regression}', '--keywords_type', 'allwords'],
  ['b', '--keywords', '{crash}', '--keywords', '{regression}'],
  ['a', '--cc', 'bob@tracker.example'],
  ['ac', '--cc', 'ann', '--emailtype', 'substring'],
  ['a', '--assigned_to', 'ann@tracker.example', '--qa_contact', 'bob@tracker.example'],
  [
    'a',
    ...['--emailtype', 'substring', '--assigned_to', 'ann', '--qa_contact', 'bob'],
    ...['--cc', 'bob', '--reporter', 'root'],
  ],
  ['b', '--reporter', 'ann@tracker.example'],
  ['a', '--flag', '{needinfo}?'],
  ['c', '--flag', '{review}+'],
  ['', '--flag', '{needinfo}?', '--flag', '{review}+'],
  ['d', '--tags', 'todo'],
  ['a', '--whiteboard', '[triage]'],
  ['a', '--whiteboard', 'floor wet', '--status_whiteboard_type', 'allwords'],
  ['c', '--fixed_in', '1.2'],
  ['c', '--fixed_in', 'in 1.2', '--fixed_in_type', 'equals'],
  ['c', '--qa_whiteboard', '1.2', '--devel_whiteboard', '1.2'],
  ['c', '--field', 'cf_fixed_in=in 1.2'],
  ['d', ...HERE, '--field', 'op_sys=Windows'],
  ['ace', '--field', 'f1=short_desc', '--field', 'o1=substring', '--field', 'v1=kettle'],
  ['ab', '--id', '{a},{b}'],
  ['c', '--id', '{c},9999999,zzz'],
  ['ae', '--quicksearch', 'kettle'],
  ['c', ...HERE, '--quicksearch', 'ALL kettle flag:{review}+ -leaks'],
  ['ac', '--savedsearch', 'My kettles'],
  ['ac', '--savedsearch', 'My kettles', '--savedsearch-sharer-id', '1'],
  ['a', '--savedsearch', 'My kettles', '--keywords', '{crash}'],
  [
    'a',
    '--from-url',
    'https://x.test/buglist.cgi?email1=ann%40tracker.example&emailassigned_to1=1&emailtype1=exact' +
      '&resolution=---&list_id=123&query_format=advanced',
  ],
  [
    'abd',
    '--from-url',
    'https://x.test/query.cgi?product={kitchen}&bug_status=UNCONFIRMED&bug_status=CONFIRMED' +
      '&bug_status=IN_PROGRESS&short_desc=&short_desc_type=allwordssubstr&order=Importance&columnlist=id',
  ],
  [
    'ac',
    '--from-url',
    'https://x.test/buglist.cgi?cmdtype=dorem&namedcmd=My%20kettles&sharer_id=1',
  ],
  // the client does not send these with a search
  ['abcd', ...HERE, '--os', 'Windows', '--arch', 'Other', '--groups', 'x'],
  ['abcd', ...HERE, '--internal_whiteboard', '1.2'],
  // nor does the tracker know these
  ['abcd', ...HERE, '--sub-component', 'x', '--target_release', '1'],
]

/** Ways to print bugs, and what the print of bug `a` contains. */
const FORMATS: [printed: string, ...options: string[]][] = [
  ['It leaks since Monday', '--full'],
  ['+Keywords: crash', '--extra'],
  ['[M1] ', '--oneline'],
  ['"summary": "Kettle leaks water"', '--json'],
  [
    '"id": ',
    ...['--json', '--includefield', 'id', '--extrafield', 'comments', '--excludefield', 'url'],
  ],
  ['ATTRIBUTE[whiteboard]: [triage] wet floor', '--raw'],
  ['P1 ann@tracker.example', '--outputformat', '%{priority} %{assigned_to}'],
  ['? [triage] wet floor', '--outputformat', '%{flag:{needinfo}} %{whiteboard}'],
]

const installed = spawnSync('bugzilla', ['--version']).status === 0

describe.skipIf(!installed && process.env.CI !== 'true')('bugzilla query', () => {
  let server: RunningServer
  let world: ClientWorld

  beforeAll(async () => {
    const variables = { ADMIN_LOGIN: ROOT, ADMIN_PASSWORD: PASSWORD, ADMIN_API_KEY: KEY }
    server = await startServer(variables)
    world = await fillServer(server)
    const folder = join(server.folder, '.config/python-bugzilla')
    mkdirSync(folder, { recursive: true })
    const section = `[${new URL(server.url).host}/rest]\napi_key=${KEY}\n`
    writeFileSync(join(folder, 'bugzillarc'), section)
  })
  afterAll(() => server?.stop())

  async function query(options: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(
      'bugzilla',
      ['--bugzilla', `${server.url}/rest`, 'query', ...options.map((text) => world.fill(text))],
      {
        cwd: server.folder,
        env: environment({ PATH: process.env.PATH, HOME: server.folder }),
      },
    )
    return stdout
  }

  test.concurrent.each(SEARCHES.map(([found, ...options]) => ({ options, found })))(
    '$options finds $found',
    async ({ options, found }) => {
      const ids = (await query([...options, '--ids'])).split('\n').filter((line) => line !== '')
      expect(world.nameBugs(ids.map(Number))).toBe(found)
    },
  )

  test.concurrent.each(FORMATS.map(([printed, ...options]) => ({ options, printed })))(
    '$options prints $printed',
    async ({ options, printed }) => {
      expect(await query(['--id', '{a}', ...options])).toContain(printed)
    },
  )

  test('has no option that these tables leave out', () => {
    const help = spawnSync('bugzilla', ['query', '--help'], { encoding: 'utf8' }).stdout
    const described = help.split('\n').filter((line) => /^ {2}-/.test(line))
    const used = new Set([...SEARCHES, ...FORMATS, '--ids', '--help'].flat())
    const unused = described.filter((line) => {
      const names = line.match(/--[\w-]+/g) ?? []
      return !names.some((name) => used.has(name))
    })
    expect(unused).toEqual([])
    expect(described.length).toBeGreaterThan(30)
  })
})

async function fillServer({ url }: RunningServer): Promise<ClientWorld> {
  const request = async (
    credentials: Record<string, string>,
    method: string,
    path: string,
    body?: unknown,
  ) => {
    const answer = await fetch(url + path, {
      method,
      headers: credentials,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect(answer.ok, text).toBe(true)
    return JSON.parse(text)
  }
  const root = { 'x-tracker-api-key': KEY }
  for (const name of ['ann', 'bob']) {
    const account = { email: `${name}@tracker.example`, password: PASSWORD }
    await request(root, 'POST', '/rest/user', account)
  }
  const search = { name: 'My kettles', query: 'product=Kitchen%201&short_desc=kettle' }
  await request(root, 'POST', '/rest/saved_search', search)
  const login = new URLSearchParams({ login: 'ann@tracker.example', password: PASSWORD })
  const { token } = await request({}, 'GET', `/rest/login?${login}`)
  const ann = { 'x-tracker-token': token }
  return buildClientWorld(
    (who, method, path, body) => request(who === 'root' ? root : ann, method, path, body),
    { root: ROOT, ann: 'ann@tracker.example', bob: 'bob@tracker.example' },
    { mark: '1', customFields: ['cf_fixed_in', 'cf_qa_whiteboard', 'cf_devel_whiteboard'] },
  )
}
