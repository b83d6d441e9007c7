import { expect, test } from 'vitest'
import { loadKeyword } from '../../../src/tracker/keywords/load.ts'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { post } from '../../support/client.ts'
import { onPrimary } from '../../support/database/statements.ts'

test('a keyword is found with whether it is used and whether its new name is free', async () => {
  const editor = await insertPerson({ roles: ['editkeywords', 'editbugs'] })
  const name = uniqueName('keyword')
  const { id } = (await post(editor, '/rest/keyword', { name, description: 'x' })).body
  const ctx = onPrimary()
  const unused = await loadKeyword(ctx, ` ${name.toUpperCase()} `, uniqueName('free'))
  expect(unused).toMatchObject({ keyword: { id, name, isUsed: false }, sameName: [] })
  await post(editor, '/rest/bug', buildBugBody(await insertProduct(), { keywords: [name] }))
  const used = await loadKeyword(ctx, String(id), name)
  expect(used).toMatchObject({ keyword: { id, isUsed: true }, sameName: [{ id }] })
  expect(ctx.session.cost.trips).toBe(2)
  await expect(loadKeyword(ctx, uniqueName('none'))).rejects.toMatchObject({ code: 51 })
})
