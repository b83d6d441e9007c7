import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, post, type Sender } from '../../support/client.ts'
import { executeBatch } from '../../support/database/execute.ts'

async function keyword(): Promise<string> {
  const editor = await insertPerson({ roles: ['editkeywords'] })
  const name = uniqueName('keyword')
  await post(editor, '/rest/keyword', { name, description: `What ${name} is` })
  return name
}

async function readKeyword(name: string, who: Sender = ANYONE) {
  const { keywords } = (await get(who, '/rest/keyword')).body
  return keywords.find((each: { name: string }) => each.name === name)
}

describe('GET /keyword', () => {
  test('is public and ordered by name', async () => {
    const name = await keyword()
    await keyword()
    expect(await readKeyword(name)).toEqual({
      id: expect.any(Number),
      name,
      description: `What ${name} is`,
      is_active: true,
      bug_count: 0,
    })
    const names = (await get(ANYONE, '/rest/keyword')).body.keywords.map((each: { name: string }) =>
      each.name.toLowerCase(),
    )
    expect(names).toEqual([...names].sort())
  })

  test('shows the selected fields alone', async () => {
    await keyword()
    const { keywords } = (await get(ANYONE, '/rest/keyword?include_fields=name')).body
    expect(Object.keys(keywords[0])).toEqual(['name'])
  })
})

test('the list of keywords hides bugs that the caller may not see, even as a number', async () => {
  const name = await keyword()
  const member = await insertPerson({ roles: ['editbugs'] })
  const secret = await insertGroup([member])
  const place = await insertProduct()
  await post(member, '/rest/bug', buildBugBody(place, { keywords: [name] }))
  const hidden = (await post(member, '/rest/bug', buildBugBody(place, { keywords: [name] }))).body
    .id
  await executeBatch(
    sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${hidden}, ${secret.id})`,
  )
  expect((await readKeyword(name, member)).bug_count).toBe(2)
  expect((await readKeyword(name)).bug_count).toBe(1)
})
