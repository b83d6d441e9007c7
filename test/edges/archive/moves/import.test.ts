import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  begin,
  end,
  exportTracker,
  importTracker,
  sendLines,
  startAnew,
  type TestArchive,
} from '../../../support/archive.ts'
import { buildBugBody } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { ANYONE, expectFault, get, post, put, send } from '../../../support/client.ts'
import { countRows, execute } from '../../../support/database/execute.ts'

/** Two bugs of Ann, of whom the second depends on the first. */
async function buildSource(): Promise<{ admin: TestPerson; ann: TestPerson; bugs: number[] }> {
  const admin = await startAnew('boss@example.test')
  const ann = await insertPerson({ roles: ['editbugs'] })
  const place = await insertProduct()
  const first = (await post(ann, '/rest/bug', buildBugBody(place))).body.id
  const body = buildBugBody(place, { depends_on: [first], cc: [admin.login] })
  const second = (await post(ann, '/rest/bug', body)).body.id
  return { admin, ann, bugs: [first, second] }
}

/** The archive with the lines of a part changed. */
function change(
  archive: TestArchive,
  part: string,
  edit: (lines: Record<string, unknown>[]) => unknown[],
): TestArchive {
  const lines = (archive.parts.get(part) ?? '').split('\n').filter(Boolean)
  const edited = edit(lines.map((line) => JSON.parse(line))).map((line) => JSON.stringify(line))
  const parts = new Map(archive.parts).set(part, edited.map((line) => `${line}\n`).join(''))
  return { ...archive, parts }
}

/** Imports all parts ahead of one. */
async function importUpTo(admin: TestPerson, archive: TestArchive, part: string): Promise<void> {
  expect((await begin(admin)).status).toBe(200)
  for (const [name, lines] of archive.parts) {
    if (name === part) {
      return
    }
    const { body, text } = await sendLines(admin, name, lines)
    expect(body.refused, text).toEqual([])
  }
}

const source = await buildSource()
const archive = await exportTracker(source.admin)

describe('POST /import', () => {
  test('begins with an empty tracker, whose administrator stays, with a new number behind all others', async () => {
    const root = await startAnew('root@example.test')
    await importTracker(root, archive)
    const { body } = await get(root, '/rest/whoami')
    expect(body.name).toBe('root@example.test')
    expect(body.id).toBeGreaterThan(source.ann.id)
    expect((await get(root, '/rest/audit')).status).toBe(200)
    expect((await get(root, `/rest/user/${source.ann.login}`)).body.users[0].id).toBe(source.ann.id)
    expect((await get(root, '/rest/product/TestProduct')).status).toBe(200)
    expect(await countRows('access_groups', sql`id < 0`)).toBe(0)
    expect(await countRows('users', sql`id < 0`)).toBe(0)
  })

  test('leaves the administrator all of their keys, also those that other programs use', async () => {
    const root = await startAnew('root@example.test')
    const { body } = await post(root, '/rest/api_key', { description: 'for a program' })
    await importTracker(root, archive)
    const other = { key: String(body.api_key) }
    expect((await get(other, '/rest/whoami')).body.name).toBe('root@example.test')
    expect((await get(root, '/rest/api_key')).body.api_keys).toHaveLength(2)
  })

  test('makes the administrator the person of the same login, in any case', async () => {
    const boss = await startAnew('Boss@Example.test')
    await importTracker(boss, archive)
    const { body } = await get(boss, '/rest/whoami')
    expect(body).toMatchObject({ id: source.admin.id, name: 'boss@example.test' })
    expect((await get(boss, '/rest/export')).status).toBe(200)
  })

  test('goes on behind the highest numbers, and mails and calls nobody', async () => {
    await importTracker(await startAnew(), archive)
    expect(await countRows('notices')).toBe(0)
    expect(await countRows('webhook_deliveries')).toBe(0)
    const [, last = 0] = source.bugs
    const { product, component, version } = (await get(source.ann, `/rest/bug/${last}`)).body
      .bugs[0]
    const made = await post(source.ann, '/rest/bug', { product, component, version, summary: 'x' })
    expect(made.body.id).toBe(last + 1)
    const [notice] = await execute(sql`SELECT id FROM notices`)
    const [newest] = await execute(
      sql`SELECT max(notice_id) AS id FROM comments WHERE bug_id = ${last}`,
    )
    expect(Number(notice?.id)).toBeGreaterThan(Number(newest?.id))
  })

  test.each(['products', 'people'])('refuses a tracker that has %s', async (things) => {
    const root = await startAnew()
    if (things === 'people') {
      await insertPerson()
    } else {
      await insertProduct()
    }
    expectFault(await begin(root), 400, 32_000, things)
    expect((await get(root, '/rest/product/TestProduct')).body.products).toHaveLength(1)
  })

  test('goes on with the same archive, and takes another one of the same source only', async () => {
    const root = await startAnew()
    await begin(root)
    await sendLines(root, 'groups', archive.parts.get('groups') ?? '')
    const again = await begin(root)
    expect(again.body.parts).toEqual({ groups: expect.any(Number) })
    expectFault(await begin(root, { source: 'https://other.test' }), 400, 32_000, 'old.test')
    expect((await begin(root, { archive: '2' })).body.parts).toEqual({})
  })

  test('brings a tracker up to date, with what is gone at the source', async () => {
    const { admin, ann, bugs } = await buildSource()
    const keyword = await post(admin, '/rest/keyword', { name: 'gone', description: 'x' })
    const first = await exportTracker(admin)
    await execute(sql`DELETE FROM keywords WHERE id = ${keyword.body.id}`)
    await put(ann, `/rest/bug/${bugs[1]}`, {
      cc: { remove: [admin.login] },
      depends_on: { set: [] },
    })
    const since = '2000-01-01T00:00:00Z'
    const second = await exportTracker(admin, since)
    const whole = await exportTracker(admin)
    const root = await startAnew('root@example.test')
    await importTracker(root, first)
    await importTracker(root, second, { archive: '2' })
    const now = await exportTracker(root)
    for (const name of ['bugs', 'bug_relations', 'comments', 'history', 'keywords', 'products']) {
      expect(now.parts.get(name), name).toBe(whole.parts.get(name))
    }
    expect(await countRows('users', sql`login = 'root@example.test'`)).toBe(1)
  })

  test('takes members by a pattern out of groups that have none any more', async () => {
    const { admin, ann } = await buildSource()
    const group = { name: 'secret', description: 'x', user_regexp: `^${ann.login}$` }
    const { id } = (await post(admin, '/rest/group', group)).body
    const first = await exportTracker(admin)
    await put(admin, `/rest/group/${id}`, { user_regexp: '' })
    const second = await exportTracker(admin)
    const countMembers = () =>
      countRows('memberships', sql`group_id = ${id} AND user_id = ${ann.id}`)
    const root = await startAnew('root@example.test')
    await importTracker(root, first)
    expect(await countMembers()).toBe(1)
    await importTracker(root, second, { archive: '2' })
    expect([
      await countMembers(),
      await countRows('group_members', sql`source = 'regexp'`),
    ]).toEqual([0, 0])
  })

  test('keeps every key with which it was gone on with', async () => {
    const root = await startAnew('root@example.test')
    await importUpTo(root, archive, 'nothing')
    await execute(
      sql`INSERT INTO api_keys (id, user_id, hash, prefix, created_at)
        SELECT -5000000, id, 'other', 'other', 0 FROM users WHERE id < 0`,
    )
    expect((await end(root)).status).toBe(200)
    expect((await get(root, '/rest/whoami')).body.name).toBe('root@example.test')
    expect(await countRows('api_keys', sql`hash = 'other' AND id > 0`)).toBe(1)
  })

  test('refuses a tracker in which people have worked since', async () => {
    const root = await startAnew()
    await importTracker(root, archive)
    await put(source.ann, `/rest/bug/${source.bugs[0]}`, { priority: 'P1' })
    expectFault(await begin(root, { archive: '2' }), 400, 32_000, 'changed')
  })

  test('ends only with all groups of roles, fields, and lines that were announced', async () => {
    const root = await startAnew()
    expectFault(await end(root), 400, 32_000, 'begin')
    await begin(root)
    expectFault(await end(root), 400, 32_000, 'editbugs')
    await importUpTo(root, archive, 'nothing')
    expectFault(await end(root, { counts: { bugs: 3 } }), 400, 32_000, '3 lines of bugs')
    expect((await end(root, { counts: { bugs: 2 } })).status).toBe(200)
  })

  test('needs begin or end, a source and an API key', async () => {
    const root = await startAnew()
    expectFault(await post(root, '/rest/import', {}), 400, 53, 'begin')
    expectFault(await post(root, '/rest/import', { begin: true }), 400, 50, 'source')
    const { token } = (
      await get(ANYONE, `/rest/login?login=${root.login}&password=${root.password}`)
    ).body
    const answer = await send(ANYONE, 'POST', `/rest/import?token=${token}`, {
      ...{ begin: true, source: 's', archive: '1' },
    })
    expectFault(answer, 400, 32_000, 'API key')
  })
})

describe('POST /import/:part', () => {
  test('takes each line once', async () => {
    const root = await startAnew()
    await importUpTo(root, archive, 'keywords')
    const line = (id: number) => JSON.stringify({ id, name: `k${id}`, description: 'x' })
    const first = await sendLines(root, 'keywords', `${line(1)}\n${line(2)}\n`)
    expect(first.body).toEqual({ accepted: 2, repeated: 0, refused: [] })
    const second = await sendLines(root, 'keywords', `${line(2)}\n${line(3)}\n`)
    expect(second.body).toEqual({ accepted: 1, repeated: 1, refused: [] })
  })

  test('writes nothing in a dry run, nor when a line is refused', async () => {
    const root = await startAnew()
    await importUpTo(root, archive, 'keywords')
    const line = '{"id":1,"name":"k","description":"x"}'
    expect((await sendLines(root, 'keywords', line, '?dry_run=1')).body.accepted).toBe(1)
    const wrong = await sendLines(root, 'keywords', `${line}\n{"id":2}`)
    expect(wrong.body).toEqual({
      ...{ accepted: 0, repeated: 0 },
      refused: [{ line: 2, reason: 'name is missing' }],
    })
    expect(await countRows('keywords')).toBe(0)
  })

  test('refuses a line that does not fit with the reason', async () => {
    const root = await startAnew()
    await importUpTo(root, archive, 'keywords')
    const refused = {
      '{"id":1': 'not valid JSON',
      '[]': 'not a JSON object',
      '{"id":-5,"name":"k","description":"x"}': 'id must be',
      '{"id":1,"name":5,"description":"x"}': 'name must be a text',
      '{"id":1,"name":"a\\u0000","description":"x"}': 'NUL',
      '{"id":1,"name":"k","description":null}': 'description must not be null',
      '{"id":1,"name":"k","description":"x","colour":"red"}': "'colour' is no member",
      '{"id":1,"name":"k","description":"x","__proto__":1}': 'no member',
      '{"id":1,"name":"k","description":"x","is_active":"yes"}': 'true or false',
    }
    for (const [line, reason] of Object.entries(refused)) {
      const { body } = await sendLines(root, 'keywords', line)
      expect(body.refused[0].reason, line).toContain(reason)
    }
  })

  test('refuses names that no earlier line has', async () => {
    const root = await startAnew()
    await importUpTo(root, archive, 'bugs')
    const wrong = change(archive, 'bugs', (lines) =>
      lines.map((line, n) => ({ ...line, ...[{ creator: 'nobody@x.test' }, { version: '9' }][n] })),
    )
    const { body } = await sendLines(root, 'bugs', wrong.parts.get('bugs') ?? '')
    expect(body.refused).toEqual([
      { line: 1, reason: "creator names 'nobody@x.test': there is no such account" },
      { line: 2, reason: expect.stringContaining("version names '9' of '") },
    ])
    expect(await countRows('bugs')).toBe(0)
  })

  test('refuses numbers that stand twice, and lines whose name is taken', async () => {
    const root = await startAnew()
    await importUpTo(root, archive, 'keywords')
    const line = (id: number, name: string) => JSON.stringify({ id, name, description: 'x' })
    const twice = await sendLines(root, 'keywords', `${line(2, 'a')}\n${line(2, 'b')}`)
    expect(twice.body.refused[0]).toMatchObject({ line: 2 })
    const taken = await sendLines(root, 'keywords', `${line(1, 'Same')}\n${line(2, 'same')}`)
    expectFault(taken, 400, 32_000, 'keywords')
    expect(await countRows('keywords')).toBe(0)
  })

  test('refuses additions to rows that do not exist', async () => {
    const root = await startAnew()
    await importUpTo(root, archive, 'bug_relations')
    const { body } = await sendLines(root, 'bug_relations', '{"id":999,"dupe_of":1}')
    expect(body.refused[0].reason).toContain('999')
  })

  test('refuses lines while no import is under way, and unknown parts with 51', async () => {
    const root = await startAnew()
    expectFault(await sendLines(root, 'keywords', ''), 400, 32_000, 'begin')
    expectFault(await sendLines(root, 'tokens', ''), 404, 51, 'tokens')
  })

  test('refuses a body over 4 MB with 58', async () => {
    const root = await startAnew()
    await begin(root)
    expectFault(await sendLines(root, 'keywords', 'x'.repeat(4_200_000)), 413, 58)
  })
})

describe('PUT /import/file/:digest', () => {
  const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

  test('stores bytes once, and none with another digest', async () => {
    const root = await startAnew()
    await begin(root)
    const put = (bytes: string) => send(root, 'PUT', `/rest/import/file/${HELLO}`, bytes)
    expectFault(await put('hallo'), 400, 32_000, HELLO)
    expect((await put('hello')).body).toEqual({ stored: true })
    expect((await put('hello')).body).toEqual({ stored: false })
  })

  test.each(['..%2F..%2Fx', 'ABC', HELLO.toUpperCase()])('refuses %s with 53', async (digest) => {
    const root = await startAnew()
    await begin(root)
    expectFault(await send(root, 'PUT', `/rest/import/file/${digest}`, 'x'), 400, 53, 'digest')
  })
})

describe('who may not import', () => {
  const requests: [string, string, unknown][] = [
    ['POST', '/rest/import', { begin: true, source: 's', archive: '1' }],
    ['POST', '/rest/import/keywords', ''],
    ['PUT', `/rest/import/file/${'0'.repeat(64)}`, 'x'],
  ]

  test.each(requests)('%s %s refuses strangers and limited keys', async (method, path, body) => {
    const admin = await startAnew()
    const ann = await insertPerson()
    expectFault(await send(ann, method, path, body), 401, 304)
    expectFault(await send(ANYONE, method, path, body), 401, 410)
    const made = await post(admin, '/rest/api_key', { description: 'x', scopes: ['read'] })
    expect(made.status, made.text).toBe(201)
    const { status } = await send({ key: made.body.api_key }, method, path, body)
    expect(status).toBe(401)
  })
})
