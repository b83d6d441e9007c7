import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { jsonList } from '../../../../src/platform/db/sql.ts'
import { insertBugs } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const reporter = await insertPerson()

type Answer = { bugs: { id: number; see_also?: string[] }[] }

/** So many bugs, each with a thousand links. */
async function insertLinkedBugs(count: number): Promise<number[]> {
  const { ids } = await insertBugs(reporter, count)
  const [first = 0] = ids
  await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
    INSERT INTO see_also (bug_id, url, url_fold)
      SELECT bugs.id, 'https://far.test/' || i, 'https://far.test/' || i FROM bugs, n
      WHERE bugs.id >= ${first} AND bugs.id < ${first + count}`)
  return ids
}

const linksOf = ({ bugs }: Answer) => bugs.map(({ see_also }) => see_also?.length)

describe('bugs whose lists are long together', () => {
  test('are answered in parts, by ID and by a search', async () => {
    const ids = await insertLinkedBugs(20)
    const links = Array(20).fill(1000)
    const [first, ...others] = ids
    const fields = 'include_fields=id,see_also'
    const read = await get(ANYONE, `/rest/bug/${first}?ids=${others}&${fields}`)
    expect([read.status, linksOf(read.body)]).toEqual([200, links])
    const found = await get(ANYONE, `/rest/bug?id=${ids}&order=bug_id&${fields}`)
    expect([found.status, linksOf(found.body)]).toEqual([200, links])
    expect((found.body as Answer).bugs.map(({ id }) => id)).toEqual(ids)
  })

  test('are possible duplicates in parts', async () => {
    const ids = await insertLinkedBugs(20)
    const word = uniqueName('duplicate')
    await execute(
      sql`UPDATE bugs SET summary = ${word}, summary_fold = ${word.toLowerCase()} WHERE id IN ${jsonList(ids)}`,
      sql`UPDATE bugs_summary_fts SET summary_fold = ${word.toLowerCase()} WHERE rowid IN ${jsonList(ids)}`,
    )
    const query = `summary=${word}&product=nowhere&limit=25&include_fields=id,see_also`
    const none = await get(ANYONE, `/rest/bug/possible_duplicates?${query}`)
    expect([none.body.bugs, none.body.faults]).toEqual([
      [],
      [expect.objectContaining({ id: 'product' })],
    ])
    const found = await get(
      ANYONE,
      `/rest/bug/possible_duplicates?${query.replace('&product=nowhere', '')}`,
    )
    expect([found.status, linksOf(found.body)]).toEqual([200, Array(20).fill(1000)])
    const shown = (found.body as Answer).bugs.map(({ id }) => id)
    expect(shown).toEqual(ids.toReversed())
  })

  test('are counted once, and those without an item are not looked for', async () => {
    const linked = await insertLinkedBugs(10)
    const [first, ...others] = [...linked, ...(await insertBugs(reporter, 10)).ids]
    const path = `/rest/bug/${first}?ids=${others}&include_fields=id,see_also`
    const { body, headers } = await get(ANYONE, path)
    expect(linksOf(body)).toEqual([...Array(10).fill(1000), ...Array(10).fill(0)])
    const read = Number(/(\d+) read/.exec(headers.get('server-timing') ?? '')?.[1])
    // the sort of a list reads it again
    expect(read).toBeLessThan(3 * 10_000 + 300)
  })

  test('are refused with 1001 where one request would read more than 50,000 items', async () => {
    const ids = await insertLinkedBugs(60)
    const [first, ...others] = ids
    for (const path of [`/rest/bug/${first}?ids=${others}`, `/rest/bug?id=${ids}`]) {
      const refused = await get(ANYONE, path)
      expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ code: 1001 })])
      const short = await get(ANYONE, `${path}${path.includes('?') ? '&' : '?'}include_fields=id`)
      expect(short.body.bugs).toHaveLength(60)
    }
  })

  test('count each 1,000 bytes of a text', async () => {
    const { ids } = await insertBugs(reporter, 120)
    const text = 'ꝏ'.repeat(65_000)
    await execute(sql`UPDATE bugs SET whiteboard = ${text} WHERE id IN ${jsonList(ids)}`)
    const fields = 'include_fields=id,whiteboard'
    const read = await get(ANYONE, `/rest/bug?id=${ids}&order=bug_id&${fields}`)
    const whiteboards = (read.body.bugs as { whiteboard: string }[]).map((bug) => bug.whiteboard)
    expect(whiteboards).toEqual(ids.map(() => text))
    await execute(sql`UPDATE bugs SET url = whiteboard WHERE id IN ${jsonList(ids)}`)
    expect((await get(ANYONE, `/rest/bug?id=${ids}&${fields},url`)).status).toBe(200)
    const more = (await insertBugs(reporter, 20)).ids
    await execute(
      sql`UPDATE bugs SET whiteboard = ${text}, url = ${text} WHERE id IN ${jsonList(more)}`,
    )
    const all = await get(ANYONE, `/rest/bug?id=${[...ids, ...more]}&${fields},url`)
    expectFault(all, 400, 1001, '1,000 bytes')
  })

  test('are answered whatever their number where each has few, beside some with long texts', async () => {
    const { ids } = await insertBugs(reporter, 3000)
    const long = 'ꝏ'.repeat(65_000)
    await execute(
      sql`UPDATE bugs SET whiteboard = ${long} WHERE id IN ${jsonList(ids.slice(0, 20))}`,
      sql`INSERT INTO see_also (bug_id, url, url_fold)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20)
        SELECT bugs.id, 'https://far.test/' || i, 'https://far.test/' || i FROM bugs, n
        WHERE bugs.id IN ${jsonList(ids)}`,
    )
    const first = ids[0] ?? 0
    const query = `f1=bug_id&o1=greaterthan&v1=${first - 1}&f2=bug_id&o2=lessthan&v2=${first + 3000}`
    const read = await get(
      ANYONE,
      `/rest/bug?${query}&include_fields=id,whiteboard,see_also&limit=0`,
    )
    expect([read.status, read.body.bugs?.length], read.text.slice(0, 200)).toEqual([200, 3000])
  })

  test('count the texts of custom fields', async () => {
    const [{ id: field }, { ids }] = [
      await insertCustomField(FIELD_TYPE.largeText),
      await insertBugs(reporter, 300),
    ]
    const text = 'ꝏ'.repeat(65_000)
    await execute(sql`INSERT INTO custom_values (bug_id, field_id, text, text_fold)
      SELECT id, ${field}, ${text}, ${text} FROM bugs WHERE id IN ${jsonList(ids)}`)
    const read = (some: readonly number[]) => get(ANYONE, `/rest/bug?id=${some}`)
    expectFault(await read(ids), 400, 1001, '1,000 bytes')
    expect((await read(ids.slice(0, 100))).body.bugs).toHaveLength(100)
  })

  test('count the descriptions that the caller sees', async () => {
    const [text, texts] = ['ꝏ'.repeat(65_000), await insertBugs(reporter, 300)]
    await execute(sql`INSERT OR REPLACE INTO comments (bug_id, number, author_id, created_at, body)
      SELECT id, 0, reporter_id, 1, ${text} FROM bugs WHERE id IN ${jsonList(texts.ids)}`)
    const read = () => get(ANYONE, `/rest/bug?id=${texts.ids}&include_fields=id,description`)
    expectFault(await read(), 400, 1001, '1,000 bytes')
    await execute(sql`UPDATE comments SET is_private = 1 WHERE bug_id IN ${jsonList(texts.ids)}`)
    expect((await read()).status).toBe(200)
  })

  test('are counted for all calls of a request together', async () => {
    const ids = await insertLinkedBugs(30)
    const call = {
      version: '1.1',
      method: 'Bug.get',
      params: [{ ids, include_fields: ['id', 'see_also'] }],
    }
    const { body } = await post(ANYONE, '/jsonrpc.cgi', [
      { ...call, id: 1 },
      { ...call, id: 2 },
    ])
    const [first, second] = body as { result?: Answer; error?: { code: number } }[]
    expect(first?.result?.bugs).toHaveLength(30)
    expect(second?.error?.code).toBe(1001)
  })
})
