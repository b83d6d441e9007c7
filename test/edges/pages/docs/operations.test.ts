import { expect, test } from 'vitest'
import { listOperations } from '../../../../src/edges/pages/docs/operations.ts'
import type { ApiDocument } from '../../../../src/platform/http/openapi/shape.ts'
import { fetchDocument } from '../../../support/clients/api-document.ts'

async function findOperation(method: string, path: string) {
  const document = (await fetchDocument()) as unknown as ApiDocument
  return listOperations(document).find((one) => one.method === method && one.path === path)
}

test('an operation has its headers, its body and its refusals beside each other', async () => {
  const change = await findOperation('PUT', '/rest/bug/{id_or_alias}')
  expect(change?.parameters.map(({ name }) => name)).toEqual(['id_or_alias', 'If-Match'])
  expect(change?.place).toBe('bugs#change-bugs')
  expect(change?.body?.schema.properties).toHaveProperty('status')
  expect(change?.answer.status).toBe('200')
  expect(change?.faults).toContainEqual(expect.objectContaining({ code: 101, status: '404' }))
  const codes = change?.faults.map(({ code }) => code) ?? []
  expect(codes).toEqual(codes.toSorted((a, b) => a - b))
})

test.each([
  ['GET', '/rest/bug', 'optional'],
  ['POST', '/rest/bug', 'needed'],
  ['GET', '/rest/openapi.json', 'ignored'],
  ['POST', '/rest/codehost/push_comment', 'signature'],
])('%s %s has credentials that are %s', async (method, path, credentials) => {
  expect((await findOperation(method, path))?.credentials).toBe(credentials)
})
