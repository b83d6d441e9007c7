import { beforeAll, describe, expect, test } from 'vitest'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'

let id: number

beforeAll(async () => {
  const author = await insertPerson()
  id = await postAttachment(author, await postBug(author, await insertProduct()))
})

describe('the download of an attachment', () => {
  test.each([
    ['/attachment/<id>', () => `/attachment/${id}`],
    ['/attachment/<id>/', () => `/attachment/${id}/`],
    ['/attachment.cgi?id=<id>', () => `/attachment.cgi?id=${id}`],
  ])('answers the bytes at %s', async (_, path) => {
    const answer = await get(ANYONE, path())
    expect(answer).toMatchObject({ status: 200, text: 'hi' })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('answers 404 without an ID in the path and 50 without one in the query', async () => {
    expect((await get(ANYONE, '/attachment')).status).toBe(404)
    expectFault(await get(ANYONE, '/attachment.cgi'), 400, 50, 'id')
  })

  test('sets its cache headers on no other page', async () => {
    const { headers } = await get(ANYONE, '/robots.txt')
    expect(headers.get('cache-control')).toBeNull()
  })
})
