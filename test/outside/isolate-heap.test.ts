import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectInspector, type Inspector } from '../../scripts/bench/inspector.ts'
import { type LocalServer, startLocalServer } from '../../scripts/local/server.ts'
import { createVisitor, expectSuccess, type Visitor } from '../support/clients/visitor.ts'
import { findHeldTexts } from '../support/heap-snapshot.ts'

/** What an isolate still has in memory when its requests have ended, whatever code keeps it there. */

const LOGIN = 'root@tracker.example'
const KEY = 'lwAdministratorOfWhatIsKeptInMemory00000'
/** Part of every text that is written; no word of the code. */
const MARK = randomUUID().slice(0, 8)
const PLACE = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }

let folder: string
let server: LocalServer
let inspector: Inspector
let admin: Visitor

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lacewing-heap-'))
  server = await startLocalServer({
    port: 0,
    host: '127.0.0.1',
    persistTo: folder,
    inspectorPort: 0,
    vars: { ADMIN_LOGIN: LOGIN, ADMIN_API_KEY: KEY },
  })
  inspector = await connectInspector(await server.miniflare.getInspectorURL(), 'lacewing')
  admin = createVisitor(server.url.origin, KEY)
})

afterAll(async () => {
  inspector?.close()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function marked(what: string): string {
  return `${MARK}-${what}`
}

async function write(path: string, body: object): Promise<void> {
  await expectSuccess(admin.post(path, body))
}

async function writeEverything(): Promise<void> {
  const { product } = PLACE
  const described = (what: string) => ({ name: marked(what), description: marked('description') })
  const ann = { email: `${MARK}@example.test`, full_name: marked('ann') }
  await write('/user', ann)
  await write('/classification', described('classification'))
  await write('/product', { ...described('product'), classification: 'Unclassified' })
  const component = {
    ...described('component'),
    product,
    team_name: marked('team'),
    default_assignee: ann.email,
  }
  await write('/component', component)
  await write(`/product/${product}/version`, { name: marked('version') })
  await write(`/product/${product}/milestone`, { name: marked('stone') })
  await write('/keyword', described('keyword'))
  await write('/group', described('group'))
  const type = { ...described('flag'), target_type: 'bug', inclusions: [product] }
  await write('/flag_type', type)
  const bug = {
    ...PLACE,
    summary: marked('summary'),
    whiteboard: marked('whiteboard'),
    url: `https://example.test/${MARK}`,
    alias: [marked('alias')],
    keywords: [marked('keyword')],
    see_also: [`https://example.test/see/${MARK}`],
    cc: [ann.email],
    description: marked('about bug 1'),
  }
  await write('/bug', bug)
  await write('/bug', { ...bug, alias: [marked('other')], blocks: [1] })
  const file = { file_name: marked('file'), summary: marked('file'), content_type: 'text/plain' }
  await write('/bug/1/attachment', { ...file, data: btoa(MARK) })
  const flags = [{ name: marked('flag'), status: '+', new: true }]
  await expectSuccess(admin.put('/bug/1', { flags, whiteboard: marked('changed') }))
  const search = { name: marked('search'), query: `whiteboard=${MARK}` }
  await write('/saved_search', search)
}

const READS = [
  '/rest/bug/1',
  '/rest/bug/1/comment',
  '/rest/bug/1/history',
  '/rest/bug/1/attachment',
  `/rest/bug?quicksearch=${MARK}`,
  `/rest/bug?content=${MARK}&query_format=advanced`,
  `/rest/bug?keywords=${MARK}-keyword&include_fields=_all`,
  `/rest/bug/possible_duplicates?summary=${MARK}`,
  '/rest/product?type=accessible&include_fields=_all',
  '/rest/component/TestProduct/TestComponent',
  '/rest/keyword',
  '/rest/group?membership=1',
  '/rest/classification',
  '/rest/flag_type/1',
  '/rest/flag/requests',
  '/rest/saved_search',
  '/rest/audit',
  `/rest/user?match=${MARK}`,
  `/rest/user/suggest?match=${MARK}`,
]
const PAGES = ['/bug/1', '/bugs?quicksearch=x', '/products', '/products/TestProduct', '/keywords']

test('an isolate keeps no text of the database when the requests that read it have ended', async () => {
  await writeEverything()
  // twice, because a cache may begin with the second use
  for (const path of [...READS, ...READS, ...PAGES, ...PAGES]) {
    const headers = { 'x-tracker-api-key': KEY }
    const answer = await fetch(`${server.url.origin}${path}`, { headers })
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.any(String)])
  }
  // what the engine remembers of the last call is about this one then
  await admin.get('/version')
  const snapshot = await inspector.takeHeapSnapshot()
  expect(findHeldTexts(snapshot, MARK)).toEqual([])
  // what a cache of ARCHITECTURE.md holds is found
  expect(findHeldTexts(snapshot, LOGIN).join('\n')).toContain('identities')
})
