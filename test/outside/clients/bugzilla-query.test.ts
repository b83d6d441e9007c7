import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildClientWorld, type ClientWorld } from '../../support/worlds/client-world.ts'
import { describeClient } from './outcomes.ts'
import { KEY, LOGIN, makeHome, PASSWORD, requestAs, trackerUrl } from './tracker.ts'

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

const isInstalled = spawnSync('bugzilla', ['--version']).status === 0
const { folder, variables } = makeHome()
const address = `${trackerUrl()}/rest`
let world: ClientWorld

beforeAll(async () => {
  world = await fillTracker(trackerUrl())
  const configuration = join(folder, '.config/python-bugzilla')
  mkdirSync(configuration, { recursive: true })
  const section = `[${new URL(address).host}/rest]\napi_key=${KEY}\n`
  writeFileSync(join(configuration, 'bugzillarc'), section)
})

async function query(options: string[]): Promise<string> {
  const args = ['--bugzilla', address, 'query', ...options.map((text) => world.fill(text))]
  const { stdout } = await promisify(execFile)('bugzilla', args, { cwd: folder, env: variables })
  return stdout
}

describe.skipIf(!isInstalled && process.env.CI !== 'true')('bugzilla query', () => {
  test.concurrent.each(SEARCHES.map(([found, ...options]) => ({ options, found })))(
    '$options finds $found',
    async ({ options, found }) => {
      const ids = (await query([...options, '--ids'])).split('\n').filter((line) => line !== '')
      // other tests file bugs in the same tracker
      expect(world.nameBugs(ids.map(Number)).replaceAll('?', '')).toBe(found)
    },
  )

  test.concurrent.each(FORMATS.map(([printed, ...options]) => ({ options, printed })))(
    '$options prints $printed',
    async ({ options, printed }) => {
      expect(await query(['--id', '{a}', ...options])).toContain(printed)
    },
  )

  test.concurrent.each([
    ['--json', '"bugs": []'],
    ['--raw', ''],
    ['--full', ''],
  ])('%s prints %j where nothing is found', async (option, printed) => {
    expect(await query(['--bug_id', '987654', option])).toContain(printed)
  })

  test('says what is wrong with a query of thousands of IDs', async () => {
    const ids = Array.from({ length: 3000 }, (_, n) => n + 1).join(',')
    const refusal = await query(['--bug_id', ids]).catch((error) => error)
    expect(refusal.code).not.toBe(0)
    expect(refusal.stdout + refusal.stderr).toContain('query_over_10_KB')
  })
})

describeClient('bugzilla (python-bugzilla), REST: query', isInstalled, (testCommand) => {
  testCommand('every option of a search and of its output', () => {
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

async function fillTracker(url: string): Promise<ClientWorld> {
  for (const name of ['ann', 'bob']) {
    const account = { email: `${name}@tracker.example`, password: PASSWORD }
    await requestAs(url, 'POST', '/rest/user', account)
  }
  const search = { name: 'My kettles', query: 'product=Kitchen%201&short_desc=kettle' }
  await requestAs(url, 'POST', '/rest/saved_search', search)
  const login = new URLSearchParams({ login: 'ann@tracker.example', password: PASSWORD })
  const { token } = await requestAs(url, 'GET', `/rest/login?${login}`, undefined, {})
  return buildClientWorld(
    (who, method, path, body) =>
      requestAs(url, method, path, body, who === 'root' ? undefined : { 'x-tracker-token': token }),
    { root: LOGIN, ann: 'ann@tracker.example', bob: 'bob@tracker.example' },
    { mark: '1', customFields: ['cf_fixed_in', 'cf_qa_whiteboard', 'cf_devel_whiteboard'] },
  )
}
