import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { compareBugs } from '../../../scripts/archive/compare.ts'
import { convert, type Kind } from '../../../scripts/archive/convert/convert.ts'
import { findMissingLines } from '../../../scripts/archive/first-start.ts'
import { withArchive } from '../../../scripts/archive/folder.ts'
import { importArchive } from '../../../scripts/archive/import-parts.ts'
import { type Mapping, readMapping } from '../../../scripts/archive/source/mapping.ts'
import { withTracker } from '../../../scripts/archive/tracker.ts'
import { validateArchive } from '../../../scripts/archive/validate.ts'
import { ROOT } from '../../../scripts/wrangler.ts'
import { startServer } from '../running-server.ts'

/** Files of other trackers become archives, which a new tracker takes. */

type Line = Record<string, unknown> & { id: number }

const KEY = 'lwAdministratorKeyForThisTestRun00000000'
const place = mkdtempSync(join(tmpdir(), 'converted-'))
let count = 0

afterAll(() => rmSync(place, { recursive: true, force: true }))

function newPath(): string {
  count += 1
  return join(place, String(count))
}

function writeText(text: string): string {
  const path = newPath()
  writeFileSync(path, text)
  return path
}

function readPart(folder: string, part: string): Line[] {
  return readFileSync(join(folder, `${part}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as Line)
}

async function make(kind: Kind, from: string, mapping: Partial<Mapping> = {}, key?: string) {
  const to = newPath()
  const made = await convert(kind, {
    from,
    key,
    to,
    mapping: { ...readMapping(undefined), ...mapping },
  })
  return { to, notes: made.mapping.notes.join('\n'), manifest: made.manifest }
}

/** Imports an archive into a new tracker; the differences that its API shows. */
async function bring(folder: string) {
  const server = await startServer({ ADMIN_LOGIN: 'root@new.test', ADMIN_API_KEY: KEY })
  try {
    return await withArchive(folder, (archive) =>
      withTracker({ url: server.url, key: KEY, persistTo: undefined }, async (tracker) => {
        const added = await findMissingLines(folder)
        expect(await validateArchive(archive, added)).toEqual([])
        await importArchive(tracker, archive, added)
        return compareBugs(tracker, archive, 1)
      }),
    )
  } finally {
    await server.stop()
  }
}

const XML = `<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<!DOCTYPE bugzilla SYSTEM "https://old.test/page.cgi?id=bugzilla.dtd">
<bugzilla version="5.0.4" urlbase="https://old.test/" maintainer="root@old.test">
 <bug>
  <bug_id>5</bug_id>
  <alias>five</alias>
  <creation_ts>2015-03-01 10:00:00 +0100</creation_ts>
  <short_desc>It &lt;breaks&gt; &amp; burns</short_desc>
  <delta_ts>2016-01-01 00:00:00 +0000</delta_ts>
  <reporter_accessible>1</reporter_accessible><cclist_accessible>0</cclist_accessible>
  <product>Lamp</product><component>Shade</component><version>2</version>
  <rep_platform>PC</rep_platform><op_sys>Linux</op_sys>
  <bug_status>NEW</bug_status><bug_file_loc></bug_file_loc>
  <keywords>crash, perf</keywords><priority>P1</priority><bug_severity>normal</bug_severity>
  <target_milestone>---</target_milestone>
  <dependson>6</dependson><everconfirmed>1</everconfirmed>
  <reporter name="Bob B">bob@old.test</reporter>
  <assigned_to name="Ann">ann@old.test</assigned_to>
  <cc>ann@old.test</cc><cc>eve@old.test</cc>
  <cf_note>by hand</cf_note>
  <group id="9">security</group>
  <flag name="needinfo" id="3" type_id="7" status="?" setter="bob@old.test" requestee="ann@old.test"/>
  <long_desc isprivate="0"><commentid>50</commentid><comment_count>0</comment_count>
   <who name="Bob B">bob@old.test</who><bug_when>2015-03-01 10:00:00 +0100</bug_when><thetext>First
  line</thetext></long_desc>
  <long_desc isprivate="1"><commentid>51</commentid><comment_count>1</comment_count><attachid>8</attachid>
   <who name="Ann">ann@old.test</who><bug_when>2015-03-02 10:00:00 +0000</bug_when><thetext>Created attachment 8
A picture

See it</thetext></long_desc>
  <attachment isobsolete="0" ispatch="0" isprivate="1"><attachid>8</attachid><date>2015-03-02 10:00:00 +0000</date>
   <delta_ts>2015-03-02 10:00:00 +0000</delta_ts><desc>A picture</desc><filename>a.txt</filename><type>text/plain</type>
   <size>5</size><attacher name="Ann">ann@old.test</attacher><data encoding="base64">aGVsbG8=</data></attachment>
 </bug>
 <bug>
  <bug_id>6</bug_id><creation_ts>2015-04-01 10:00:00 +0000</creation_ts><short_desc>Six</short_desc>
  <delta_ts>2016-01-01 00:00:00 +0000</delta_ts><product>Lamp</product><component>Shade</component><version>2</version>
  <bug_status>RESOLVED</bug_status><resolution>FIXED</resolution><reporter>bob@old.test</reporter>
  <assigned_to>ann@old.test</assigned_to>
  <long_desc isprivate="0"><commentid>52</commentid><who>bob@old.test</who><bug_when>2015-04-01 10:00:00 +0000</bug_when><thetext></thetext></long_desc>
 </bug>
 <bug error="NotPermitted"><bug_id>7</bug_id></bug>
</bugzilla>
`

describe('the XML of a Bugzilla', () => {
  test('becomes an archive that a tracker takes', async () => {
    const { to, notes } = await make('xml', writeText(XML))
    const [bug] = readPart(to, 'bugs')
    expect(bug).toMatchObject({
      ...{
        id: 5,
        alias: 'five',
        summary: 'It <breaks> & burns',
        creation_time: '2015-03-01T09:00:00Z',
      },
      ...{
        is_cc_accessible: false,
        status: 'NEW',
        keywords: ['crash', 'perf'],
        groups: ['security'],
      },
      ...{ cc: ['ann@old.test', 'eve@old.test'], cf_note: 'by hand' },
    })
    expect(
      readPart(to, 'comments').map(({ id, text, is_private: isPrivate }) => [id, text, isPrivate]),
    ).toEqual([
      [50, 'First\n  line', false],
      [51, 'See it', true],
      [52, '', false],
    ])
    expect(readPart(to, 'users').find(({ name }) => name === 'bob@old.test')?.real_name).toBe(
      'Bob B',
    )
    expect(readPart(to, 'flags')[0]?.flags).toMatchObject([{ id: 3, requestee: 'ann@old.test' }])
    expect(notes).toContain('(NotPermitted): bug 7')
    expect(notes).toContain("nothing leads to 'NEW'")
    expect(await bring(to)).toEqual([])
  })

  test('is refused where it ends early, with its line', async () => {
    await expect(make('xml', writeText(XML.slice(0, 900)))).rejects.toThrow(/in line \d+/)
  })
})

const issue = (number: number, more: object = {}) => ({
  ...{
    number,
    title: `Issue ${number}`,
    body: 'Some *text*',
    state: 'open',
    labels: [],
    assignees: [],
  },
  ...{
    user: { login: 'octo', id: 900 },
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-02-01T00:00:00Z',
  },
  url: `https://api.github.com/repos/acme/lamp/issues/${number}`,
  ...more,
})

const ISSUES = [
  issue(1, {
    labels: [{ name: 'good first issue', description: 'Easy' }],
    assignees: [{ login: 'ann', id: 901 }],
  }),
  issue(2, { state: 'closed', state_reason: 'not_planned', milestone: { title: 'v1' } }),
  issue(3, { pull_request: { url: 'x' } }),
]
const COMMENTS = [
  {
    id: 5000,
    issue_url: 'https://api.github.com/repos/acme/lamp/issues/1',
    body: 'Me\r\ntoo',
    user: { login: 'ann', id: 901 },
    created_at: '2020-01-02T00:00:00Z',
  },
]
const EVENTS = [
  {
    id: 7,
    event: 'closed',
    state_reason: 'not_planned',
    issue: { number: 2 },
    actor: { login: 'ann', id: 901 },
    created_at: '2020-01-05T00:00:00Z',
  },
  {
    id: 8,
    event: 'renamed',
    rename: { from: 'Old', to: 'Issue 1' },
    issue: { number: 1 },
    actor: { login: 'octo', id: 900 },
    created_at: '2020-01-06T00:00:00Z',
  },
]

describe('issues of GitHub', () => {
  function expectIssues(to: string, notes: string) {
    const [one, two] = readPart(to, 'bugs')
    expect(one).toMatchObject({
      ...{ id: 1, product: 'lamp', keywords: ['good-first-issue'], status: 'CONFIRMED' },
      ...{ assigned_to: 'ann@users.noreply.github.com', creator: 'octo@users.noreply.github.com' },
    })
    expect(two).toMatchObject({ status: 'RESOLVED', resolution: 'WONTFIX', target_milestone: 'v1' })
    expect(readPart(to, 'comments').map(({ id, bug_id: bug, text }) => [id, bug, text])).toEqual([
      [1, 1, 'Some *text*'],
      [2, 2, 'Some *text*'],
      [5000, 1, 'Me\ntoo'],
    ])
    expect(
      readPart(to, 'history').map(({ bug_id: bug, field_name: name, added }) => [bug, name, added]),
    ).toEqual([
      [1, 'summary', 'Issue 1'],
      [2, 'status', 'RESOLVED'],
      [2, 'resolution', 'WONTFIX'],
    ])
    expect(notes).toContain('pull requests are left out: #3')
  }

  test('become an archive from a folder of pages, which a tracker takes', async () => {
    const from = newPath()
    mkdirSync(from)
    for (const [name, page] of Object.entries({
      issues: ISSUES,
      comments: COMMENTS,
      events: EVENTS,
    })) {
      writeFileSync(join(from, `${name}-1.json`), JSON.stringify(page))
    }
    const { to, notes } = await make('github', from)
    expectIssues(to, notes)
    expect(await bring(to)).toEqual([])
  })

  test('become one from the API, with a token', async () => {
    let denied = 0
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://api')
      if (request.headers.authorization !== 'Bearer token') {
        response.writeHead(401).end('{"message":"Bad credentials"}')
        return
      }
      if (denied === 0) {
        denied += 1
        response.writeHead(403, { 'retry-after': '1' }).end('{"message":"secondary rate limit"}')
        return
      }
      const all =
        { '/repos/acme/lamp/issues': ISSUES, '/repos/acme/lamp/issues/comments': COMMENTS }[
          pathname
        ] ?? EVENTS
      response.end(JSON.stringify(searchParams.get('page') === '1' ? all : []))
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/repos/acme/lamp`
    try {
      const { to, notes } = await make('github', from, {}, 'token')
      expectIssues(to, notes)
      await expect(make('github', from)).rejects.toThrow('Bad credentials (401)')
    } finally {
      server.close()
    }
  })
})

const CSV = `Issue key,Summary,Status,Resolution,Reporter,Assignee,Created,Updated,Labels,Labels,Description,Comment,Comment,Severity!
LAMP-12,"It says ""no""",Done,Fixed,Bob Baker,ann@jira.test,01/Mar/15 10:05 AM,02/Mar/15 1:00 PM,ui,slow,"Two
lines",01/Mar/15 11:00 AM;Ann;Yes; it does,Plain remark,high
LAMP-13,Second,To Do,Unresolved,ann@jira.test,,2015-03-05,2015-03-05,,,,,,
,No key,,,,,2015-03-05,,,,,,,
`

describe('the command', () => {
  test.each([
    ['xml', XML, 2],
    ['github', JSON.stringify(ISSUES), 2],
    ['csv', CSV, 2],
  ])(
    'makes a packed archive of %s, and writes down what it could not bring',
    (kind, text, bugs) => {
      const to = `${newPath()}.tar.gz`
      const args = ['convert', writeText(text), '--kind', kind, '--to', to]
      const command = [join(ROOT, 'scripts/run.js'), ...args]
      const { status, stdout, stderr } = spawnSync(process.execPath, command, {
        ...{ cwd: ROOT, encoding: 'utf8' },
      })
      expect(status, stderr).toBe(0)
      expect(stdout).toContain(`has ${bugs} bugs`)
      const { notes } = JSON.parse(readFileSync(`${to}.map.json`, 'utf8')) as Mapping
      expect(notes.length).toBeGreaterThan(0)
      const checked = spawnSync(
        process.execPath,
        [join(ROOT, 'scripts/run.js'), 'import', to, '--dry-run'],
        {
          ...{ cwd: ROOT, encoding: 'utf8' },
        },
      )
      expect(checked.stdout, checked.stderr).toContain('is sound')
    },
  )
})

describe('a CSV file', () => {
  test('becomes an archive by its columns and a mapping, which a tracker takes', async () => {
    const { to, notes } = await make('csv', writeText(CSV), {
      columns: { cf_level: 'Severity!' },
      constants: { product: 'Lamp' },
      values: { bug_status: { Done: 'RESOLVED' } },
    })
    const [first, second] = readPart(to, 'bugs')
    expect(first).toMatchObject({
      ...{
        id: 12,
        product: 'Lamp',
        summary: 'It says "no"',
        status: 'RESOLVED',
        resolution: 'FIXED',
      },
      ...{ creator: 'bob.baker@imported.invalid', creation_time: '2015-03-01T10:05:00Z' },
      ...{ keywords: ['ui', 'slow'], cf_level: 'high' },
    })
    expect(second).toMatchObject({ id: 13, resolution: '', status: 'To Do' })
    expect(
      readPart(to, 'comments').map(({ bug_id: bug, creator, text }) => [bug, creator, text]),
    ).toEqual([
      [12, 'bob.baker@imported.invalid', 'Two\nlines'],
      [12, 'ann@imported.invalid', 'Yes; it does'],
      [12, 'bob.baker@imported.invalid', 'Plain remark'],
      [13, 'ann@jira.test', ''],
    ])
    expect(notes).toContain('are left out: line 5')
    expect(notes).toContain("nothing leads to 'To Do'")
    expect(await bring(to)).toEqual([])
  })
})
