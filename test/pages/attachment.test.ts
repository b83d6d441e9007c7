import { beforeAll, describe, expect, test } from 'vitest'
import { postAttachment } from '../support/builders/attachments.ts'
import { postBug } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { ANYONE, expectFault, get } from '../support/client.ts'

let id: number

beforeAll(async () => {
  const author = await insertPerson()
  id = await postAttachment(author, await postBug(author, await insertProduct()))
})

describe('the bytes of an attachment are found', () => {
  test.each([
    () => `/attachment/${id}`,
    () => `/attachment/${id}/`,
    () => `/attachment.cgi?id=${id}`,
  ])('at %s', async (path) => {
    const answer = await get(ANYONE, path())
    expect(answer).toMatchObject({ status: 200, text: 'hi' })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('nowhere else', async () => {
    expect((await get(ANYONE, '/attachment')).status).toBe(404)
    expectFault(await get(ANYONE, '/attachment.cgi'), 400, 50, 'id')
  })

  test('and what guards them leaves the other pages alone', async () => {
    const { headers } = await get(ANYONE, '/robots.txt')
    expect(headers.get('cache-control')).toBeNull()
  })
})
