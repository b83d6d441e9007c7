import { expect, test } from 'vitest'
import { loadKeyword } from '../../src/keywords/load.ts'
import { post } from '../support/client.ts'
import { onPrimary } from '../support/statements.ts'
import { newBug, person, product, unique } from '../support/world.ts'

test('a keyword is found with whether it is used and whether its new name is free', async () => {
  const editor = await person({ roles: ['editkeywords', 'editbugs'] })
  const name = unique('keyword')
  const { id } = (await post(editor, '/rest/keyword', { name, description: 'x' })).body
  const ctx = onPrimary()
  const unused = await loadKeyword(ctx, ` ${name.toUpperCase()} `, unique('free'))
  expect(unused).toMatchObject({ keyword: { id, name, isUsed: false }, sameName: [] })
  await post(editor, '/rest/bug', newBug(await product(), { keywords: [name] }))
  const used = await loadKeyword(ctx, String(id), name)
  expect(used).toMatchObject({ keyword: { id, isUsed: true }, sameName: [{ id }] })
  expect(ctx.session.cost.trips).toBe(2)
  await expect(loadKeyword(ctx, unique('none'))).rejects.toMatchObject({ code: 51 })
})
