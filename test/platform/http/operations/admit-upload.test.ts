import { exports } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { buildAttachmentBody } from '../../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'

const author = await insertPerson()
const place = await insertProduct()
const bug = await postBug(author, place)
const hidden = await postBug(await insertPerson(), place)
await restrictBug(hidden, await insertGroup([]))

/** Sends a body whose JSON is broken at its end, which is only found once all of it has been read. */
async function sendBroken(
  path: string,
  headers: Record<string, string>,
  data = 'aGk='.repeat(20_000),
) {
  const body = `${JSON.stringify(buildAttachmentBody({ data })).slice(0, -1)},`
  const answer = await exports.default.fetch(`https://tracker.test${path}`, {
    method: 'POST',
    headers,
    body,
  })
  const { code, message } = await answer.json<{ code: number; message: string }>()
  return { status: answer.status, code, message }
}

describe('a large upload', () => {
  test.each<[string, () => [string, Record<string, string>], number, number]>([
    ['a wrong key in a header', () => [`${bug}`, { 'x-tracker-api-key': 'x' }], 400, 306],
    ['a wrong key in the query', () => [`${bug}?api_key=x`, {}], 400, 306],
    ['a hidden bug', () => [`${hidden}`, { 'x-tracker-api-key': author.key }], 401, 102],
    ['an unknown bug', () => ['987654321', { 'x-tracker-api-key': author.key }], 404, 101],
  ])('is refused for %s before its body is looked at', async (_, place, status, code) => {
    const [named, headers] = place()
    const path = `/rest/bug/${named.replace(/(\?|$)/, '/attachment$1')}`
    expect(await sendBroken(path, headers)).toMatchObject({ status, code })
  })

  test('is read when its sender may attach it', async () => {
    const headers = { 'x-tracker-api-key': author.key }
    const answer = await sendBroken(`/rest/bug/${bug}/attachment`, headers)
    expect(answer).toMatchObject({
      status: 400,
      code: 32000,
      message: expect.stringContaining('JSON'),
    })
  })
})

test('a small upload is read before its sender is known', async () => {
  const path = `/rest/bug/${bug}/attachment`
  const answer = await sendBroken(path, { 'x-tracker-api-key': 'x' }, 'aGk=')
  expect(answer.message).toContain('JSON')
})
