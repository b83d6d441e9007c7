import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { itemBugId, namesBugsCondition, splitItems } from '../../../src/tracker/history/links.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { execute } from '../../support/database/execute.ts'

async function itemsOf(list: string): Promise<unknown[]> {
  const rows = await execute(sql`SELECT item.value FROM ${splitItems(sql`${list}`)} item`)
  return rows.map(({ value }) => value)
}

async function numberIn(field: string, item: string, baseUrl: string): Promise<unknown> {
  const [row] = await execute(sql`SELECT ${itemBugId(baseUrl)} AS number
    FROM (SELECT ${field} AS field) history, (SELECT ${item} AS value) item`)
  return row?.number
}

async function isLinking(field: string): Promise<boolean> {
  const [row] = await execute(
    sql`SELECT ${namesBugsCondition()} AS found FROM (SELECT ${field} AS field) history`,
  )
  return row?.found === 1
}

describe('a list in a history row', () => {
  test.each<[string, string[]]>([
    ['1', ['1']],
    ['1, 22, 3', ['1', '22', '3']],
    ['', ['']],
    ['https://a.test/?x=1,2&y="z"', ['https://a.test/?x=1,2&y="z"']],
    ['ann@example.test, Ünïcode\\"', ['ann@example.test', 'Ünïcode\\"']],
  ])('%j has the items %j', async (list, expected) => {
    expect(await itemsOf(list)).toEqual(expected)
  })
})

describe('the bug of an item', () => {
  test.each<[string, string, string, number | null]>([
    ['blocks', '12', 'https://here.test', 12],
    ['cf_bug', '12', 'https://here.test', 12],
    ['see_also', '/bug/12', 'https://here.test', 12],
    ['see_also', '/bug/12', '', 12],
    ['see_also', 'https://here.test/bug/12', 'https://here.test', 12],
    ['see_also', 'https://here.test/show_bug.cgi?id=12', 'https://here.test', 12],
    ['see_also', 'https://here.test/show_bug.cgi?id=12#c3', 'https://here.test', 12],
    ['see_also', 'https://here.test/bugs/show_bug.cgi?id=12', 'https://here.test', null],
    ['see_also', 'https://here.test/bugs/bug/12', 'https://here.test/bugs', 12],
    ['see_also', 'https://away.test/bug/12', 'https://here.test', null],
    ['see_also', 'https://away.test/?to=https://here.test/bug/12', 'https://here.test', null],
    ['see_also', 'https://away.test/bug/12', '', 12],
    ['see_also', 'https://away.test/issues/12', '', null],
  ])('of %s, in %j, at %j is %j', async (field, item, baseUrl, expected) => {
    expect(await numberIn(field, item, baseUrl)).toBe(expected)
  })
})

test('fields that name bugs are the relations and custom fields of bug numbers', async () => {
  const [aBug, aText] = [await insertCustomField(6), await insertCustomField(1)]

  for (const field of ['depends_on', 'blocks', 'dupe_of', 'see_also', aBug.name]) {
    expect(await isLinking(field), field).toBe(true)
  }
  for (const field of ['summary', 'id', 'whiteboard', aText.name, 'cf_none']) {
    expect(await isLinking(field), field).toBe(false)
  }
})
