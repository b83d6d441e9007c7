import { expect } from 'vitest'
import type { TestPerson } from '../builders/types.ts'
import { type Answer, get, put } from '../client.ts'

type Body = Record<string, unknown>

/** Changes an attachment and returns any answer. */
export function updateAttachment(who: TestPerson, id: number, body: Body): Promise<Answer> {
  return put(who, `/rest/bug/attachment/${id}`, body)
}

/** An attachment as Get Attachments returns it to the sender. */
export async function readAttachment(
  who: { key?: string },
  id: number,
  query = '?exclude_fields=data',
) {
  const answer = await get(who, `/rest/bug/attachment/${id}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.attachments[id]
}
