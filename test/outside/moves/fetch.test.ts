import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareBugs } from '../../../scripts/archive/compare.ts'
import { fetchTracker, finishFolder } from '../../../scripts/archive/fetch/fetch-tracker.ts'
import { JsonClient } from '../../../scripts/archive/fetch/json-client.ts'
import { RestSource } from '../../../scripts/archive/fetch/rest.ts'
import { findMissingLines } from '../../../scripts/archive/first-start.ts'
import { withArchive } from '../../../scripts/archive/folder.ts'
import { importArchive } from '../../../scripts/archive/import-parts.ts'
import { type Mapping, readMapping } from '../../../scripts/archive/source/mapping.ts'
import { withTracker } from '../../../scripts/archive/tracker.ts'
import { validateArchive } from '../../../scripts/archive/validate.ts'
import { createRandom } from '../../../scripts/generator/random.ts'
import { ROOT } from '../../../scripts/wrangler.ts'
import { type RunningServer, startServer } from '../running-server.ts'
import {
  type Dialect,
  KEY,
  REFUSED,
  type RecordedTracker,
  startRecordedTracker,
} from './recorded-tracker.ts'

/** From a living Bugzilla of each dialect, which fails, limits, changes and sends wrong types, to a tracker at work. */

const DIALECTS: readonly Dialect[] = ['5.0', '5.2', 'bmo']
const KILLS = 30

type Line = Record<string, unknown> & { id: number }

const place = mkdtempSync(join(tmpdir(), 'fetched-'))
let count = 0

afterAll(() => rmSync(place, { recursive: true, force: true }))

function newFolder(): string {
  count += 1
  return join(place, String(count))
}

function readPart(folder: string, part: string): Line[] {
  return readFileSync(join(folder, `${part}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as Line)
}

async function fetchInto(
  folder: string,
  { url }: Pick<RecordedTracker, 'url'>,
  mapping: Mapping = readMapping(undefined),
  since: string | null = null,
) {
  const fetched = await fetchTracker(new RestSource(url, KEY, new JsonClient(1)), folder, {
    since,
    mapping,
  })
  finishFolder(folder)
  return fetched
}

describe.each(DIALECTS)('a tracker of the dialect %s', (dialect) => {
  let source: RecordedTracker
  let folder: string
  let notes: readonly string[]

  beforeAll(async () => {
    source = await startRecordedTracker(dialect)
    folder = newFolder()
    let isTouched = false
    source.watch((request) => {
      if (request > 12 && !isTouched) {
        isTouched = true
        source.touch(1, 'Meanwhile')
      }
    })
    notes = (await fetchInto(folder, source)).mapping.notes
    source.watch(null)
  })
  afterAll(() => source.stop())

  test('becomes an archive that is sound', async () => {
    const problems = await withArchive(folder, async (archive) =>
      validateArchive(archive, await findMissingLines(folder)),
    )
    expect(problems).toEqual([])
  })

  test('keeps numbers, times, authors, privacy and what came meanwhile', () => {
    const bugs = readPart(folder, 'bugs')
    expect(bugs.map(({ id }) => id).slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 8, 9])
    expect(bugs[0]).toMatchObject({
      ...{
        id: 1,
        alias: null,
        type: 'defect',
        op_sys: 'BeOS',
        is_confirmed: true,
        qa_contact: null,
      },
      ...{ is_creator_accessible: false, deadline: '2030-02-03', estimated_time: 3.5 },
      ...{ cc: ['ann@old.test', 'gone@old.test'], keywords: ['crash', 'Perf'] },
      ...{ cf_notes: 'a\nb', cf_size: 'big', cf_colors: ['red', 'blue'], cf_score: 7 },
      ...{ cf_due: '2030-01-02T03:04:05Z', cf_odd: 'x', creation_time: '2015-03-01T10:00:00Z' },
    })
    expect(bugs[1]).toMatchObject({ alias: 'two', status: 'RESOLVED', resolution: 'FIXED' })
    expect(bugs[3]).toMatchObject({ id: 4, groups: [] })
    expect(bugs[4]).toMatchObject({ id: 5, groups: ['security'] })
    const comments = readPart(folder, 'comments')
    const own = comments.filter(({ bug_id: bug }) => bug === 1)
    expect(own.map(({ id, count: n, text }) => [id, n, text])).toEqual([
      [10, 0, 'Description of 1\n\n  kept'],
      [11, 1, 'It fixes all'],
      [12, 2, 'Secret'],
      [903, 3, 'Meanwhile'],
    ])
    expect(own[1]).toMatchObject({ kind: 'attachment_created', attachment_id: 11, tags: ['good'] })
    expect(own[2]).toMatchObject({ is_private: true, creator: 'gone@old.test' })
    const duplicate = comments.find(({ id }) => id === 201)
    expect(duplicate).toMatchObject({ kind: 'duplicate_of', related_bug: 19, text: '' })
    const [change] = readPart(folder, 'history')
    expect(change).toMatchObject({
      bug_id: 2,
      who: 'ann@old.test',
      field_name: 'status',
      added: 'RESOLVED',
    })
  })

  test('loses only links that cannot be, and says so', () => {
    const [first, second] = readPart(folder, 'bug_relations')
    expect([first?.depends_on, second?.depends_on].flat()).toHaveLength(2)
    expect(first?.see_also).toEqual([{ url: 'https://github.com/a/b/issues/1', bug: null }])
    expect(notes.join('\n')).toMatch(/they close a loop: bug \d to \d/)
    expect(notes.join('\n')).toContain('does not show the bug: bug 1 to 7')
    expect(notes.join('\n')).toContain('the source refuses bytes (102): attachment 12')
    expect(notes.join('\n')).toContain(`the source refuses historys (102): bug ${REFUSED}`)
    expect(notes.join('\n')).toContain("bug_status: 'CLOSED_LONG_AGO' is no value any more")
    expect(notes.join('\n')).toContain(
      dialect === 'bmo'
        ? 'set DEFAULT_PRIORITY of the new tracker to one of P1, P2'
        : "set DEFAULT_PRIORITY of the new tracker to 'P2'",
    )
    expect(notes.some((note) => note.includes('fields of type 99'))).toBe(dialect === 'bmo')
  })

  test('has the people, flags and files, and definitions of what nobody described', () => {
    const people = readPart(folder, 'users')
    expect(people.find(({ name }) => name === 'bob@old.test')).toMatchObject({
      id: 6,
      real_name: 'Real bob@old.test',
    })
    expect(people.map(({ name }) => name)).toContain('gone@old.test')
    const types = readPart(folder, 'flag_types').map(({ id, name, target_type: target }) => [
      id,
      name,
      target,
    ])
    expect(types).toEqual([
      [8, 'review', 'attachment'],
      [9, 'needinfo', 'bug'],
    ])
    expect(readPart(folder, 'flags')[0]?.flags).toMatchObject([
      { id: 301, requestee: 'ann@old.test', attachment_id: null },
      { id: 302, status: '+', attachment_id: 11 },
    ])
    const [file, lost] = readPart(folder, 'attachments')
    expect(readFileSync(join(folder, 'files', String(file?.digest)), 'utf8')).toBe('--- a\n+++ b\n')
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    expect(manifest.missing).toEqual([lost?.digest])
    expect(readPart(folder, 'status_transitions')).toContainEqual(
      expect.objectContaining({ from: null, to: 'NEW' }),
    )
  })
})

describe('a fetch', () => {
  let source: RecordedTracker

  beforeAll(async () => {
    source = await startRecordedTracker('5.2')
  })
  afterAll(() => source.stop())

  test(`that is killed ${KILLS} times ends with the same archive`, async () => {
    const whole = newFolder()
    await fetchInto(whole, source)
    const folder = newFolder()
    const r = createRandom(7, 1)
    let kills = 0
    for (let isDone = false; !isDone; ) {
      const { killed, output } = await runUntil(
        source,
        folder,
        kills < KILLS ? 1 + r.below(14) : null,
      )
      kills += killed ? 1 : 0
      isDone = !killed
      expect(killed ? '' : output).not.toContain('Error')
    }
    expect(kills).toBe(KILLS)
    for (const part of [
      'bugs',
      'comments',
      'history',
      'attachments',
      'users',
      'flags',
      'bug_relations',
    ]) {
      expect(readFileSync(join(folder, `${part}.ndjson`), 'utf8'), part).toBe(
        readFileSync(join(whole, `${part}.ndjson`), 'utf8'),
      )
    }
  })

  test('gives people, values and fields the names of a mapping', async () => {
    const folder = newFolder()
    await fetchInto(folder, source, {
      ...readMapping(undefined),
      people: { 'bob@old.test': 'ann@old.test' },
      values: { bug_status: { CLOSED_LONG_AGO: 'RESOLVED' } },
      fields: { cf_notes: null, cf_size: 'cf_width' },
    })
    const [bug] = readPart(folder, 'bugs')
    expect(bug).toMatchObject({ creator: 'ann@old.test', cf_width: 'big' })
    expect(bug).not.toHaveProperty('cf_notes')
    expect(readPart(folder, 'bugs').find(({ id }) => id === 20)?.status).toBe('RESOLVED')
    expect(readPart(folder, 'users').map(({ name }) => name)).not.toContain('bob@old.test')
  })

  test('refuses a key that the source does not know, and a server that is none', async () => {
    const rest = new RestSource(source.url, 'wrong', new JsonClient(1))
    await expect(
      fetchTracker(rest, newFolder(), { since: null, mapping: readMapping(undefined) }),
    ).rejects.toThrow('The API key you specified is invalid.')
    const none = new RestSource(`${source.url}/nothing`, KEY, new JsonClient(1))
    await expect(none.open()).rejects.toThrow()
  })
})

/** Runs the command, and kills it after some requests; null lets it end. */
function runUntil(source: RecordedTracker, folder: string, requests: number | null) {
  const args = ['fetch-tracker', source.url, '--to', folder, '--key', KEY]
  const child = spawn(process.execPath, [join(ROOT, 'scripts/run.js'), ...args], { cwd: ROOT })
  let [seen, output] = [0, '']
  child.stdout.on('data', (data) => {
    output += data
  })
  child.stderr.on('data', (data) => {
    output += data
  })
  source.watch(() => {
    seen += 1
    if (seen === requests) {
      child.kill('SIGKILL')
    }
  })
  return new Promise<{ killed: boolean; output: string }>((resolve) => {
    child.on('close', (_, signal) => resolve({ killed: signal === 'SIGKILL', output }))
  })
}

describe('another tracker of this kind, read through its public API alone', () => {
  const servers: RunningServer[] = []
  const key = 'lwAdministratorKeyForThisTestRun00000000'

  afterAll(() => Promise.all(servers.map((server) => server.stop())))

  async function start(login: string): Promise<RunningServer> {
    const server = await startServer({ ADMIN_LOGIN: login, ADMIN_API_KEY: key })
    servers.push(server)
    return server
  }

  test('becomes the same tracker, hidden bugs and custom fields included', async () => {
    const old = await start('root@old.test')
    const send = async (path: string, body: object, method = 'POST') => {
      const init = { method, headers: { 'x-tracker-api-key': key }, body: JSON.stringify(body) }
      const answer = await fetch(`${old.url}/rest${path}`, init)
      expect(answer.status, `${path}: ${await answer.text()}`).toBeLessThan(300)
    }
    const at = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    await send('/user', { email: 'ann@old.test', full_name: 'Ann', password: 'a-long-password' })
    await send('/group', { name: 'security', description: 'Who fixes holes' })
    await send('/product/TestProduct/group_control/security', { membercontrol: 'Shown' }, 'PUT')
    const field = { name: 'cf_size', display_name: 'Size', type: 2, is_on_bug_entry: true }
    await send('/field/bug', { ...field, values: [{ name: 'big' }, { name: 'small' }] })
    await send('/bug', {
      ...at,
      summary: 'One',
      description: '**a**',
      cf_size: 'big',
      cc: ['ann@old.test'],
    })
    await send('/bug', {
      ...at,
      summary: 'Two',
      description: 'b',
      groups: ['security'],
      depends_on: [1],
    })
    await send('/bug', { ...at, summary: 'Three', description: 'c', url: 'https://x.test/' })
    await send('/bug/3', { dupe_of: 1 }, 'PUT')
    await send(
      '/bug/1',
      {
        priority: 'P1',
        flags: [{ name: 'needinfo', status: '?', requestee: 'ann@old.test', new: true }],
      },
      'PUT',
    )
    await send('/bug/1/comment', { comment: 'Among us', is_private: true })
    await send('/bug/1/attachment', {
      file_name: 'a.txt',
      summary: 'A',
      data: btoa('x'),
      content_type: 'text/plain',
    })
    const folder = newFolder()
    const rest = new RestSource(old.url, key, new JsonClient(1))
    await fetchTracker(rest, folder, { since: null, mapping: readMapping(undefined) })
    finishFolder(folder)

    const fresh = await start('root@old.test')
    const differences = await withArchive(folder, (archive) =>
      withTracker({ url: fresh.url, key, persistTo: undefined }, async (tracker) => {
        const added = await findMissingLines(folder)
        expect(await validateArchive(archive, added)).toEqual([])
        await importArchive(tracker, archive, added)
        return compareBugs(tracker, archive, 1)
      }),
    )
    expect(differences).toEqual([])
    const anonymous = await fetch(`${fresh.url}/rest/bug/2`)
    expect(anonymous.status).toBe(401)
    expect(readPart(folder, 'bugs')[0]).toMatchObject({ cf_size: 'big', cc: ['ann@old.test'] })
  })
})

describe('a team that moves', () => {
  let source: RecordedTracker
  let server: RunningServer
  const administrator = 'lwAdministratorKeyForThisTestRun00000000'

  beforeAll(async () => {
    source = await startRecordedTracker('5.2')
    server = await startServer({
      ...{ ADMIN_LOGIN: 'root@new.test', ADMIN_API_KEY: administrator, DEFAULT_PRIORITY: 'P2' },
      ...{ DEFAULT_SEVERITY: 'normal', DEFAULT_PLATFORM: 'All', DEFAULT_OP_SYS: 'All' },
    })
  })
  afterAll(async () => {
    await source?.stop()
    await server?.stop()
  })

  function bring(folder: string) {
    return withArchive(folder, (archive) =>
      withTracker(
        { url: server.url, key: administrator, persistTo: undefined },
        async (tracker) => {
          const added =
            archive.manifest.since === null
              ? await findMissingLines(folder)
              : new Map<string, string[]>()
          expect(await validateArchive(archive, added)).toEqual([])
          await importArchive(tracker, archive, added)
          return compareBugs(tracker, archive, 1)
        },
      ),
    )
  }

  test('finds every bug as it was, brings what changed since, and goes on behind the highest number', async () => {
    const first = newFolder()
    const { manifest, mapping } = await fetchInto(first, source)
    expect(await bring(first)).toEqual([])

    source.touch(2, 'Since then')
    const rest = newFolder()
    const since = await fetchInto(rest, source, mapping, manifest.moment)
    expect(readPart(rest, 'bugs').map(({ id }) => id)).toEqual([2])
    expect(since.manifest.since).toBe(manifest.moment)
    expect(readPart(rest, 'products')).toEqual(readPart(first, 'products'))
    expect(readPart(rest, 'groups')).toEqual(readPart(first, 'groups'))
    expect(await bring(rest)).toEqual([])

    const headers = { 'x-tracker-api-key': administrator }
    const filed = await fetch(`${server.url}/rest/bug`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        product: 'Browser',
        component: 'Tabs',
        version: 'trunk',
        summary: 'New',
        description: 'x',
      }),
    })
    expect(await filed.json()).toEqual({ id: 61 })
    const changed = await fetch(`${server.url}/rest/bug/1`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ status: 'RESOLVED', resolution: 'FIXED', cf_size: '---' }),
    })
    expect(changed.status, await changed.text()).toBe(200)
  })
})
