import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Part } from '../../../src/edges/archive/part.ts'
import { findPart } from '../../../src/edges/archive/parts.ts'
import { selectLines } from '../../../src/edges/archive/select-lines.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { buildAttachmentBody } from '../../support/builders/attachments.ts'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put, type Sender, send } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import { buildWorkerCtx } from '../../support/deliver-webhooks.ts'

const admin = await insertPerson({ roles: ['admin', 'editbugs', 'insider'] })
const ann = await insertPerson({ roles: ['editbugs', 'canconfirm'] })
const place = await insertProduct()

type Line = Record<string, unknown> & { id: number }

async function readLines(query: string): Promise<Line[]> {
  const answer = await get(admin, `/rest/export/${query}`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  return answer.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** All lines of a part, which are more than one answer may have. */
async function readPart(name: string): Promise<Line[]> {
  const lines: Line[] = []
  for (let after = 0; ; after = lines.at(-1)?.id ?? 0) {
    const more = await readLines(`${name}?after=${after}`)
    if (more.length === 0) {
      return lines
    }
    lines.push(...more)
  }
}

async function fileBug(more: Record<string, unknown> = {}): Promise<number> {
  const made = await post(ann, '/rest/bug', buildBugBody(place, more))
  expect(made.status, made.text).toBe(200)
  return made.body.id
}

describe('GET /export', () => {
  test('lists the parts in their order with their highest numbers', async () => {
    const bug = await fileBug()
    const { body } = await get(admin, '/rest/export')
    const names = body.parts.map(({ name }: { name: string }) => name)
    expect(names.indexOf('users')).toBeLessThan(names.indexOf('bugs'))
    expect(names.indexOf('bugs')).toBeLessThan(names.indexOf('comments'))
    expect(body.parts.find(({ name }: { name: string }) => name === 'bugs').rows).toBe(bug)
    expect(body.last_change <= body.mark).toBe(true)
  })
})

describe('GET /export/:part', () => {
  test('shows a bug as the API does, with its hidden fields and custom fields', async () => {
    const field = await insertCustomField(FIELD_TYPE.integer)
    const bug = await fileBug({ summary: 'It ends early', cc: [ann.login], [field.name]: 7 })
    const [line] = await readLines(`bugs?after=${bug - 1}`)
    const shown = (await get(admin, `/rest/bug/${bug}`)).body.bugs[0]
    const same = ['id', 'alias', 'summary', 'product', 'component', 'version', 'target_milestone']
    const more = ['status', 'resolution', 'type', 'priority', 'severity', 'platform', 'op_sys']
    const rest = ['assigned_to', 'creator', 'cc', 'groups', 'keywords', 'url', 'whiteboard']
    for (const name of [...same, ...more, ...rest, 'creation_time', 'last_change_time']) {
      expect(line?.[name], name).toEqual(shown[name])
    }
    expect(line).toMatchObject({ [field.name]: 7, is_cc_accessible: true, filed_via: 'api' })
  })

  test('has private comments with their tags, and history rows of the same change', async () => {
    const bug = await fileBug()
    const change = { priority: 'P1', comment: { body: 'Hidden', is_private: true } }
    expect((await put(admin, `/rest/bug/${bug}`, change)).status).toBe(200)
    const comments = (await readPart('comments')).filter(({ bug_id }) => bug_id === bug)
    expect(comments).toMatchObject([
      { count: 0, creator: ann.login, is_private: false },
      { count: 1, creator: admin.login, text: 'Hidden', is_private: true, tags: [] },
    ])
    const history = (await readPart('history')).filter(({ bug_id }) => bug_id === bug)
    expect(history).toMatchObject([
      { field_name: 'priority', added: 'P1', who: admin.login, change: comments[1]?.change },
    ])
  })

  test('lists links between bugs once, and no bug without any', async () => {
    const [first, second] = [await fileBug(), await fileBug()]
    const linked = await fileBug({ depends_on: [first, second] })
    const lines = await readLines(`bug_relations?after=${first - 1}`)
    expect(lines).toEqual([
      { id: linked, dupe_of: null, depends_on: [first, second], regressed_by: [], see_also: [] },
    ])
  })

  test('goes on behind a number, in ascending order', async () => {
    const all = await readLines('users')
    const ids = all.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(await readLines(`users?after=${ids[0]}`)).toEqual(all.slice(1))
    expect(await readLines(`users?after=${ids.at(-1)}`)).toEqual([])
  })

  test('has lines of changed bugs alone since a time, also of those that lost their links', async () => {
    const [quiet, busy] = [await fileBug(), await fileBug()]
    await execute(sql`UPDATE bugs SET changed_at = 1000 WHERE id = ${quiet}`)
    await execute(sql`UPDATE bugs SET changed_at = 4000000000 WHERE id = ${busy}`)
    const since = 'since=2090-01-01'
    expect((await readLines(`bugs?${since}`)).map(({ id }) => id)).toEqual([busy])
    expect((await readLines(`comments?${since}`)).map(({ bug_id }) => bug_id)).toEqual([busy])
    expect(await readLines(`bug_relations?${since}`)).toMatchObject([{ id: busy, depends_on: [] }])
    expect((await readLines(`products?${since}`)).length).toBeGreaterThan(0)
    await execute(sql`UPDATE bugs SET changed_at = 1000 WHERE id = ${busy}`)
  })

  test('ends an answer after eight million characters, behind which the next one goes on', async () => {
    const newest = (await readPart('users')).at(-1)?.id as number
    const prefix = uniqueName('long')
    await execute(
      sql`INSERT INTO users (login, login_fold, created_at, login_denied_text)
        SELECT ${prefix} || value, ${prefix} || value, 0, ${'a'.repeat(4000)}
        FROM json_each(${JSON.stringify(Array.from({ length: 3000 }, (_, n) => n))})`,
    )
    const first = await readLines(`users?after=${newest}`)
    const rest = await readLines(`users?after=${first.at(-1)?.id}`)

    expect(first.length).toBeGreaterThan(1850)
    expect(first.length).toBeLessThan(2600)
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(3000)
    await execute(sql`DELETE FROM users WHERE instr(login_fold, ${prefix}) = 1`)
  })

  test('is whole over many round trips', async () => {
    const at = 1_700_000_000
    const marker = uniqueName('marker')
    await execute(
      sql`INSERT INTO audit_log (happened_at, object_class, object_id, action)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
        SELECT ${at}, ${marker}, i, 'update' FROM n`,
    )
    const lines = (await readPart('audit')).filter(({ object }) => object === marker)
    expect(lines.map(({ object_id }) => object_id)).toEqual(
      Array.from({ length: 1300 }, (_, n) => n + 1),
    )
  })

  test('reads no more long lines at once than short ones, and none twice', async () => {
    const marker = uniqueName('marker')
    // three bytes each, so that few characters are many bytes
    const changes = JSON.stringify({ description: ['か'.repeat(10_000), 'な'.repeat(10_000)] })
    await execute(
      sql`INSERT INTO audit_log (happened_at, object_class, object_id, action, changes)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        SELECT 1700000000, ${marker}, i, 'update', iif(i <= 20, '{}', ${changes}) FROM n`,
    )
    const newest = (await readPart('audit')).findLast(({ object }) => object !== marker)?.id ?? 0
    const answer = await get(admin, `/rest/export/audit?after=${newest}`)
    const ids = answer.text.split('\n').map((line) => line && JSON.parse(line).object_id)
    expect(ids.slice(0, -1)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
    const part = findPart('audit')
    const range = { after: newest, since: null, limit: 500, bytes: 300_000, withCredentials: false }
    const { rows } = await readBatch(buildWorkerCtx(), { rows: selectLines(part as Part, range) })
    expect(rows).toHaveLength(25)
  })

  test('has hashes of passwords and keys only with credentials', async () => {
    const [line] = await readLines(`users?after=${ann.id - 1}`)
    expect(line).not.toHaveProperty('password_hash')
    expect(await readLines('api_keys')).toEqual([])
    expect((await readLines(`users?credentials=1&after=${ann.id - 1}`))[0]).toHaveProperty(
      'password_hash',
    )
    const keys = await readLines('api_keys?credentials=1')
    expect(keys.find(({ user }) => user === ann.login)?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(keys)).not.toContain(ann.key)
  })

  test('refuses parts that do not exist with 51', async () => {
    expectFault(await get(admin, '/rest/export/tokens'), 404, 51, 'tokens')
    expectFault(await get(admin, '/rest/export/constructor'), 404, 51)
  })
})

describe('GET /export/file/:digest', () => {
  test('answers the bytes of a private attachment', async () => {
    const bug = await fileBug()
    const data = btoa(`bytes of ${uniqueName('file')}`)
    const body = buildAttachmentBody({ data, is_private: true })
    const made = await post(admin, `/rest/bug/${bug}/attachment`, body)
    const [line] = await readLines(`attachments?after=${made.body.ids[0] - 1}`)
    const answer = await get(admin, `/rest/export/file/${line?.digest}`)
    expect(answer.text).toBe(atob(data))
    expect(answer.headers.get('content-length')).toBe(String(line?.size))
  })

  test('refuses a digest that no attachment has with 51', async () => {
    expectFault(await get(admin, '/rest/export/file/0123'), 404, 51, '0123')
  })
})

describe('who may not export', () => {
  const paths = ['/rest/export', '/rest/export/bugs', '/rest/export/file/0123']

  test.each(paths)('%s refuses strangers', async (path) => {
    expectFault(await get(ann, path), 401, 304)
    expectFault(await get(ANYONE, path), 401, 410)
  })

  test.each(paths)('%s refuses a key that is limited to products', async (path) => {
    const made = await post(admin, '/rest/api_key', {
      description: uniqueName('key'),
      products: [place.name],
    })
    expect(made.status, made.text).toBe(201)
    const limited: Sender = { key: made.body.api_key }
    expectFault(await send(limited, 'GET', path), 401, 304)
  })
})
