import { expect, test } from 'vitest'
import { operations } from '../../../../src/app.ts'
import { indexOperations } from '../../../../src/platform/http/operations/operations-by-name.ts'

test('an operation is found by its method and path, without the pattern of a parameter', () => {
  const byName = indexOperations(operations)
  expect(byName.get('PUT /component/:product/:component')).toMatchObject({
    method: 'PUT',
    path: '/component/:product/:component{.+}',
  })
  expect(byName.has('PUT /component/:product/:component{.+}')).toBe(false)
})

test('no two operations have one name', () => {
  expect(indexOperations(operations).size).toBe(operations.length)
})
