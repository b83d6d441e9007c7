import { expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { get, post, put, send } from '../../support/client.ts'

test('versions are added, become the default, close and go, as the product shows them', async () => {
  const editor = await insertPerson({ roles: ['editcomponents'] })
  const { id } = await insertProduct()
  const path = `/rest/product/${id}`
  await post(editor, `${path}/version`, { name: 'next' })
  await put(editor, path, { default_version: 'next' })
  const gone = '1.0'
  expect((await send(editor, 'DELETE', `${path}/version/${gone}`)).body).toEqual({ success: 1 })
  await put(editor, `${path}/version/next`, { name: 'last', is_active: false })
  const [shown] = (await get(editor, path)).body.products
  expect(shown.default_version).toBe('last')
  expect(shown.versions).toContainEqual(expect.objectContaining({ name: 'last', is_active: false }))
  expect(shown.versions).not.toContainEqual(expect.objectContaining({ name: gone }))
})

test('a closed version takes no new bugs', async () => {
  const editor = await insertPerson({ roles: ['editcomponents'] })
  const place = await insertProduct()
  const path = `/rest/product/${place.id}/version`
  await post(editor, path, { name: 'old', is_active: false })
  const body = buildBugBody(place, { version: 'old' })
  expect((await post(editor, '/rest/bug', body)).body.code).toBe(51)
})
