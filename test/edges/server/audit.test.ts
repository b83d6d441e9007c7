import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { execute, executeBatch } from '../../support/database/execute.ts'

const admin = await insertPerson({ roles: ['admin', 'editusers'] })

async function readAudit(query: string) {
  const answer = await get(admin, `/rest/audit${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.audit
}

/** Entries of a class that only this test uses, one for each of these moments, on objects 1, 2, 3 … */
async function insertEntries(who: TestPerson, ...moments: number[]): Promise<string> {
  const kind = uniqueName('Thing')
  await execute(
    ...moments.map(
      (
        at,
        n,
      ) => sql`INSERT INTO audit_log (user_id, happened_at, object_class, object_id, action, changes)
        VALUES (${who.id}, ${at}, ${kind}, ${n + 1}, 'update', ${JSON.stringify({ name: { removed: 'a', added: 'b' } })})`,
    ),
  )
  return kind
}

async function idsOf(query: string): Promise<number[]> {
  return (await readAudit(query)).map((item: { object_id: number }) => item.object_id)
}

describe('GET /audit', () => {
  test('tells who changed what, one item for each field, newest first', async () => {
    const name = uniqueName('word').toLowerCase()
    const made = await post(admin, '/rest/keyword', { name, description: 'Old' })
    expect(made.status).toBe(201)
    const changed = await put(admin, `/rest/keyword/${made.body.id}`, { description: 'New' })
    expect(changed.status).toBe(200)
    const items = await readAudit(`?object=Keyword&object_id=${made.body.id}`)
    const act = { time: expect.any(String), who: admin.login, object: 'Keyword' }
    expect(items[0]).toEqual({
      ...act,
      id: expect.any(Number),
      object_id: made.body.id,
      action: 'update',
      field: 'description',
      removed: 'Old',
      added: 'New',
    })
    const fields = items
      .slice(1)
      .map(({ action, field, added }: Record<string, string>) => [action, field, added])
    expect(fields).toContainEqual(['create', 'name', name])
    expect(new Set(items.map(({ id }: { id: number }) => id)).size).toBe(2)
  })

  test('has one item with an empty field for an action without fields, and no author for the system', async () => {
    const kind = uniqueName('Thing')
    await execute(
      sql`INSERT INTO audit_log (happened_at, object_class, object_id, action) VALUES (0, ${kind}, 1, 'remove')`,
    )
    expect(await readAudit(`?object=${kind}`)).toMatchObject([
      {
        who: null,
        time: '1970-01-01T00:00:00Z',
        action: 'remove',
        field: '',
        removed: '',
        added: '',
      },
    ])
  })

  test('filters by kind, object, person and time', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const kind = await insertEntries(ann, 1000, 2000, 3000)
    const other = await insertEntries(bob, 1000)
    expect(await idsOf(`?object=${kind}`)).toEqual([3, 2, 1])
    expect(await idsOf(`?object=Bugzilla::${kind}`)).toEqual([3, 2, 1])
    expect(await idsOf(`?object=${kind}&object_id=2`)).toEqual([2])
    expect(await idsOf(`?who=${ann.login.toUpperCase()}`)).toEqual([3, 2, 1])
    expect(await idsOf(`?who=${bob.login}&object=${kind}`)).toEqual([])
    expect(await idsOf(`?object=${other}&who=${bob.login}`)).toEqual([1])
    const after = '1970-01-01T00:33:20Z'
    expect(await idsOf(`?object=${kind}&after=${after}`)).toEqual([3, 2])
    expect(await idsOf(`?object=${kind}&before=${after}`)).toEqual([1])
  })

  test('answers the fields that are asked for', async () => {
    const ann = await insertPerson()
    const kind = await insertEntries(ann, 1000)
    const some = await readAudit(`?object=${kind}&include_fields=object_id,who`)
    expect(some).toEqual([{ object_id: 1, who: ann.login }])
    const [item] = await readAudit(`?object=${kind}&exclude_fields=who,time`)
    expect(item).toMatchObject({ object: kind, object_id: 1 })
    expect(item).not.toHaveProperty('who')
    expect(item).not.toHaveProperty('time')
  })

  test('cuts pages between changes and links the next one', async () => {
    const kind = await insertEntries(admin, ...Array.from({ length: 5 }, () => 1000))
    const first = await get(admin, `/rest/audit?object=${kind}&limit=2`)
    expect(first.headers.get('link')).toContain(`object=${kind}&limit=2&offset=2>; rel="next"`)
    expect(await idsOf(`?object=${kind}&limit=2`)).toEqual([5, 4])
    expect(await idsOf(`?object=${kind}&limit=2&offset=2`)).toEqual([3, 2])
    const last = await get(admin, `/rest/audit?object=${kind}&limit=2&offset=4`)
    expect(last.body.audit).toHaveLength(1)
    expect(last.headers.get('link')).toBeNull()
  })

  test('links further pages as far as they are answered', async () => {
    const kind = uniqueName('Many')
    await execute(sql`INSERT INTO audit_log (happened_at, object_class, object_id, action, changes)
      SELECT key, ${kind}, key, 'update', '{}' FROM json_each(${JSON.stringify(Array(10_004).fill(0))})`)
    const linkAt = async (offset: number) =>
      (await get(admin, `/rest/audit?object=${kind}&limit=2&offset=${offset}`)).headers.get('link')

    expect(await linkAt(9_998)).toContain('offset=10000>; rel="next"')
    expect(await linkAt(10_000)).toBeNull()
  })

  test('reads no more rows than its page, among many', async () => {
    const kind = await insertEntries(admin, ...Array.from({ length: 300 }, (_, n) => n))
    const queries = [
      `?object=${kind}&limit=3`,
      `?object=${kind}&object_id=7`,
      `?who=${admin.login}&before=200&limit=3`.replace('200', '1970-01-02'),
      '?limit=3',
    ]
    for (const query of queries) {
      expect((await get(admin, `/rest/audit${query}`)).cost.read, query).toBeLessThan(100)
    }
  })

  test('ends a page ahead of a change with which it would be too long, and links the next one', async () => {
    const kind = uniqueName('Long')
    const changes = (letter: string) =>
      JSON.stringify({ description: { removed: '', added: letter.repeat(600_000) } })
    await executeBatch(
      ...[...'abc'].map(
        (
          letter,
          n,
        ) => sql`INSERT INTO audit_log (happened_at, object_class, object_id, action, changes)
          VALUES (${n}, ${kind}, 1, 'update', ${changes(letter)})`,
      ),
    )
    const first = await get(admin, `/rest/audit?object=${kind}&limit=3`)
    const last = await get(admin, `/rest/audit?object=${kind}&limit=3&offset=2`)

    const shownOf = ({ body }: typeof first) =>
      body.audit.map(({ added }: { added: string }) => `${added[0]} ${added.length}`)
    expect(shownOf(first)).toEqual(['c 600000', 'b 600000'])
    expect(first.headers.get('link')).toContain(`limit=3&offset=2>; rel="next"`)
    expect(shownOf(last)).toEqual(['a 600000'])
    expect(last.headers.get('link')).toBeNull()
  })

  test('never shows a password or a key', async () => {
    const password = 'a quite long password 7'
    const email = `${uniqueName('new')}@example.test`
    const made = await post(admin, '/rest/user', { email, password })
    await put(admin, `/rest/user/${made.body.id}`, { password: `${password}!` })
    const key = await post(admin, '/rest/api_key', { description: 'x', user: email })
    const { text } = await get(admin, `/rest/audit?who=${admin.login}&limit=1000`)
    expect(text).toContain(email)
    expect(text).toContain('"password"')
    expect(text).not.toContain(password)
    expect(text).not.toContain(key.body.api_key)
    expect(text).not.toContain('$scrypt')
  })
})

describe('GET /audit refuses', () => {
  test.each([
    ['an ID without a kind', '?object_id=1', 400, 50, 'object'],
    ['an offset without limit', '?offset=1', 400, 50, 'offset'],
    ['an offset too deep', '?limit=1&offset=10001', 400, 54, 'offset'],
    ['somebody unknown', '?who=nobody', 404, 51, 'nobody'],
    ['a limit that is no number', '?limit=x', 400, 52, 'limit'],
    ['a time that is none', '?after=soon', 400, 56, 'after'],
  ])('%s', async (_, query, status, code, naming) => {
    expectFault(await get(admin, `/rest/audit${query}`), status, code, naming)
  })

  test('callers who are no administrators, before it looks at the parameters', async () => {
    const editor = await insertPerson({ roles: ['editusers', 'editbugs', 'creategroups'] })
    expectFault(await get(ANYONE, '/rest/audit?limit=x'), 401, 410)
    expectFault(await get(editor, '/rest/audit'), 401, 304)
    expectFault(await get(editor, '/rest/audit?limit=x'), 401, 304)
  })
})
