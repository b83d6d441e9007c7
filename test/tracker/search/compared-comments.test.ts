import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { compile } from '../../../src/platform/db/compile.ts'
import { readBatch, selectOf } from '../../../src/platform/db/read-batch.ts'
import { ReadLimit } from '../../../src/platform/db/read-limit.ts'
import { openSession } from '../../../src/platform/db/session.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { commentCandidates } from '../../../src/tracker/search/compile/text-index.ts'
import { compareAtOnce } from '../../../src/tracker/search/condition.ts'
import { insertDiscussion } from '../../support/builders/discussions.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { get } from '../../support/client.ts'

/** So many words with signs that one statement compares 400 comments with them. */
const OTHERS = Array.from({ length: 49 }, (_, n) => `other${n}*`)

const word = uniqueName('zebra').toLowerCase()
const reader = await insertPerson()
const texts = Array.from({ length: 450 }, () => `the ${word} and no sign`)
const found = [
  await insertDiscussion('First', [`${word}- first`, ...texts]),
  await insertDiscussion('Last', [...texts, `a ${word}-`]),
]
await insertDiscussion('None', texts)

const ROW = { condition: sql`1`, isAlone: true, comparisons: 3 }

test.each([
  ['by ID', 'limit=20'],
  ['by summary', 'order=short_desc&limit=20'],
  ['with their number', 'count_total=1&limit=20'],
  ['beside another criterion', 'limit=20&f1=longdesc&o1=notsubstring&v1=qqqqq'],
])('a search that compares more comments than one statement may finds bugs %s', async (_, more) => {
  const query = `f0=longdesc&o0=anywords&v0=${[`${word}-`, ...OTHERS].join('%20')}`
  const { body } = await get(reader, `/rest/bug?include_fields=id&${query}&${more}`)
  expect([body.code, body.bugs]).toEqual([undefined, found.map((id) => ({ id }))])
  const counted = await get(reader, `/rest/bug?${query}&${more}&count_only=1`)
  expect(counted.body).toEqual({ bug_count: found.length })
})

test('a statement that would compare too many comments fails before it compares one', async () => {
  const { compared } = commentCandidates('anywords', [`${word}-`], sql`1`, ROW) ?? {}
  expect(compared).toBeDefined()
  const read = (looks: number) => {
    const select = compared ? compareAtOnce({ ...compared, looks }) : sql`SELECT 1`
    const session = openSession(env.DB, 'first-primary')
    return readBatch(
      { session },
      { all: selectOf({ n: sql<number>`count(*)` }, sql`FROM (${select})`) },
    )
  }
  expect(await read(1)).toEqual({ all: [{ n: 1352 }] })
  await expect(read(100)).rejects.toThrow(ReadLimit)
})

test.each([
  ['anywords', 'crash wi* print', '"wi*"'],
  ['anywords', 'wi* c#', '"wi*" OR "c#"'],
  ['allwords', 'crash wi*', '"crash" AND "wi*"'],
] as const)('of %s %j comments are compared with %s', (operator, value, query) => {
  const { compared } = commentCandidates(operator, [value], sql`1`, ROW) ?? {}
  expect(compared && compile(compared.commentsBehind(0)).params[0]).toBe(query)
})
