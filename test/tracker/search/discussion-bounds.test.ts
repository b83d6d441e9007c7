import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { hideBugs, insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { readBug } from '../../support/clients/bugs.ts'
import { readFaultCode, readResult } from '../../support/clients/rpc.ts'
import { execute } from '../../support/database/execute.ts'

const owner = await insertPerson({ roles: ['editbugs'] })
const many = await insertProductOfBugs(1001)
/** With comments of 150 KB each. */
const long = await insertProductOfBugs(70)
await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
  SELECT ids.value, 1 + n.value, ${owner.id}, ${NOW}, hex(zeroblob(25000))
  FROM json_each(${JSON.stringify(long.ids)}) ids, json_each('[0, 1, 2]') n`)

async function insertProductOfBugs(count: number) {
  const { place, ids } = await insertBugs(owner, count)
  return { name: place.name, ids }
}

const DISCUSSIONS = ['comments', 'history', 'attachments']
const READS = ['Bug.comments', 'Bug.history', 'Bug.attachments']

describe('the discussions of a thousand bugs', () => {
  test.each(DISCUSSIONS)('come with what a search finds: %s', async (field) => {
    const path = `/rest/bug?product=${many.name}&include_fields=id,${field}`
    const first = await get(ANYONE, `${path}&limit=1000`)
    expect(first.body.bugs.map(({ id }: { id: number }) => id)).toEqual(many.ids.slice(0, 1000))
    const last = await get(ANYONE, `${path}&limit=1000&offset=1000`)
    expect(last.body.bugs).toHaveLength(1)
  })

  test.each(READS)('are read at once by %s', async (method) => {
    const { bugs } = await readResult(ANYONE, method, { ids: many.ids.slice(0, 1000) })
    expect(Object.keys(bugs)).toHaveLength(1000)
  })
})

describe('the discussions of more bugs are refused', () => {
  test.each(DISCUSSIONS)('with a search: %s', async (field) => {
    const path = `/rest/bug?product=${many.name}&include_fields=id,${field}`
    expectFault(await get(ANYONE, path), 400, 1001, "'limit'")
    expectFault(await get(ANYONE, `${path}&limit=5000`), 400, 1001, '1000 bugs')
  })

  test.each(DISCUSSIONS)('of bugs by their IDs: %s', async (field) => {
    const params = { ids: many.ids, include_fields: ['id', field] }
    expect(await readFaultCode(ANYONE, 'Bug.get', params)).toBe(1001)
  })

  test.each(READS)('by %s', async (method) => {
    expect(await readFaultCode(ANYONE, method, { ids: many.ids })).toBe(1001)
  })

  test('when a list of calls asks for them', async () => {
    const calls = [0, 1].map((id) => ({
      ...{ jsonrpc: '2.0', id, method: 'Bug.history' },
      params: { ids: many.ids.slice(id * 500, id * 500 + 501) },
    }))
    const { body } = await post(ANYONE, '/jsonrpc.cgi', calls)
    expect(body.map((answer: { error?: { code: number } }) => answer.error?.code)).toEqual([
      undefined,
      1001,
    ])
  })

  test('and those of a run for somebody who has changed meanwhile do not count', async () => {
    const somebody = await insertPerson()
    for (const method of READS) {
      await readResult(somebody, method, { ids: many.ids.slice(0, 1) })
      await execute(sql`UPDATE users SET real_name = ${method} WHERE id = ${somebody.id}`)
      const { bugs } = await readResult(somebody, method, { ids: many.ids.slice(0, 600) })
      expect(Object.keys(bugs)).toHaveLength(600)
    }
  })

  test('and bugs without them are not', async () => {
    const { bugs } = await readResult(ANYONE, 'Bug.get', { ids: many.ids, include_fields: ['id'] })
    expect(bugs).toHaveLength(1001)
    const found = await get(ANYONE, `/rest/bug?product=${many.name}&include_fields=id`)
    expect(found.body.bugs).toHaveLength(1001)
  })
})

describe('more than 10 MB of comments are refused', () => {
  test('with a search, before any of them is read', async () => {
    const path = `/rest/bug?product=${long.name}&include_fields=id,comments`
    const answer = await get(ANYONE, path)
    expectFault(answer, 400, 1001, '10 MB')
    expect((await get(ANYONE, `${path}&limit=60`)).body.bugs).toHaveLength(60)
    expect((await get(ANYONE, `${path}&limit=60&offset=60`)).body.bugs).toHaveLength(10)
    const others = await get(ANYONE, `/rest/bug?product=${long.name}&include_fields=id,history`)
    expect(others.body.bugs).toHaveLength(70)
  })

  test('of bugs by their IDs', async () => {
    const [all, fewer] = [long.ids, long.ids.slice(0, 60)]
    const comments = { include_fields: ['id', 'comments'] }
    expect(await readFaultCode(ANYONE, 'Bug.get', { ids: all, ...comments })).toBe(1001)
    expect(await readFaultCode(ANYONE, 'Bug.comments', { ids: all })).toBe(1001)
    const { bugs } = await readResult(ANYONE, 'Bug.get', { ids: fewer, ...comments })
    expect(bugs.at(-1).comments).toHaveLength(3)
    const read = await readResult(ANYONE, 'Bug.comments', { ids: fewer })
    expect(Object.keys(read.bugs)).toHaveLength(60)
  })

  test('but not for one of them that is longer alone', async () => {
    const { name, ids } = await insertProductOfBugs(60)
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
      SELECT ${ids[30]}, value, ${owner.id}, ${NOW}, hex(zeroblob(1000000))
      FROM json_each('[1, 2, 3, 4, 5, 6]')`)
    const found = await get(ANYONE, `/rest/bug?product=${name}&include_fields=id,comments`)
    expect(found.body.bugs[30].comments).toHaveLength(6)
    const read = await readResult(ANYONE, 'Bug.comments', { ids })
    expect(Object.keys(read.bugs)).toHaveLength(60)
    const xml = await get(
      ANYONE,
      `/show_bug.cgi?ctype=xml&${ids.map((id) => `id=${id}`).join('&')}`,
    )
    expect(xml.status).toBe(200)
  })

  test('in XML', async () => {
    const body = (ids: readonly number[]) => `ctype=xml&${ids.map((id) => `id=${id}`).join('&')}`
    expect((await get(ANYONE, `/show_bug.cgi?${body(long.ids)}`)).status).toBe(400)
    expect((await get(ANYONE, `/show_bug.cgi?${body(long.ids.slice(0, 60))}`)).status).toBe(200)
  })

  test('hidden ones do not count', async () => {
    const hidden = await insertProductOfBugs(70)
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
      SELECT value, 1, ${owner.id}, ${NOW}, hex(zeroblob(25000))
      FROM json_each(${JSON.stringify(hidden.ids)})`)
    await hideBugs(hidden.ids)
    const ids = [...hidden.ids, ...long.ids.slice(0, 60)]
    const { bugs } = await readResult(ANYONE, 'Bug.get', {
      ...{ ids, include_fields: ['id', 'comments'], permissive: true },
    })
    expect(bugs).toHaveLength(60)
  })
})

/** More than 50 MB in texts of 1.8 MB. */
const TEXTS = JSON.stringify(Array.from({ length: 28 }, (_, n) => n + 1))

describe('more than 50 MB of one bug are refused', () => {
  let id: number
  let name: string

  beforeAll(async () => {
    const product = await insertProductOfBugs(1)
    name = product.name
    id = product.ids[0] ?? 0
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
      SELECT ${id}, value, ${owner.id}, ${NOW} + value, hex(zeroblob(900000)) FROM json_each(${TEXTS})`)
    await execute(sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
      SELECT ${id}, ${owner.id}, ${NOW} + value, 'whiteboard', '', '', hex(zeroblob(900000)), ''
      FROM json_each(${TEXTS})`)
  })

  test.each(['comment', 'history'])('where all of it is asked for: %s', async (list) => {
    const path = `/rest/bug/${id}/${list}`
    expectFault(await get(ANYONE, path), 400, 1001, '50 MB')
    const since = new Date((NOW + 20) * 1000).toISOString()
    for (const part of ['newest=20', 'limit=20', `new_since=${since}`]) {
      expect((await get(ANYONE, `${path}?${part}`)).status, part).toBe(200)
    }
  })

  test.each(['comments', 'history'])('with the bug: %s', async (field) => {
    const fields = `include_fields=id,${field}`
    const { summary } = await readBug(id)
    expectFault(await get(ANYONE, `/rest/bug/${id}?${fields}`), 400, 1001, '50 MB')
    const [query, words] = [`product=${name}&${fields}`, `summary=${summary.replaceAll(' ', '+')}`]
    expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 1001, '50 MB')
    const duplicates = await get(ANYONE, `/rest/bug/possible_duplicates?${query}&${words}`)
    expectFault(duplicates, 400, 1001, '50 MB')
  })

  test('in XML, and all of it is not read for what shows less', async () => {
    expect((await get(ANYONE, `/show_bug.cgi?ctype=xml&id=${id}`)).status).toBe(400)
    expect((await get(ANYONE, `/bug/${id}`)).status).toBe(200)
  })
})
