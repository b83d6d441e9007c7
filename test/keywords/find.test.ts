import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { openSession } from '../../src/db/session.ts'
import { findKeyword } from '../../src/keywords/find.ts'
import { buildBugBody } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { post } from '../support/client.ts'

test('a keyword is found with whether it is used and whether its new name is free', async () => {
  const editor = await insertPerson({ roles: ['editkeywords', 'editbugs'] })
  const name = uniqueName('keyword')
  const { id } = (await post(editor, '/rest/keyword', { name, description: 'x' })).body
  const session = openSession(env.DB, 'first-primary')
  const unused = await findKeyword(session, ` ${name.toUpperCase()} `, uniqueName('free'))
  expect(unused).toMatchObject({ keyword: { id, name, isUsed: false }, sameName: [] })
  await post(editor, '/rest/bug', buildBugBody(await insertProduct(), { keywords: [name] }))
  const used = await findKeyword(session, String(id), name)
  expect(used).toMatchObject({ keyword: { id, isUsed: true }, sameName: [{ id }] })
  expect(session.tally.trips).toBe(2)
  await expect(findKeyword(session, uniqueName('none'))).rejects.toMatchObject({ code: 51 })
})
