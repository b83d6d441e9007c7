import { expect } from 'vitest'
import { ANYONE, get, put, type Sender } from '../client.ts'
import type { Row } from '../database/execute.ts'

/** A bug with all its fields, as Get Bug returns it to the sender. */
export async function readWholeBug(who: Sender, id: number | string): Promise<Row> {
  const answer = await get(who, `/rest/bug/${id}?include_fields=_all`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0]
}

/** A bug as Get Bug returns it to the sender. */
export async function readBug(bugId: number, who: Sender = ANYONE, query = '') {
  const answer = await get(who, `/rest/bug/${bugId}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0]
}

/** The IDs that Search Bugs returns, in order. */
export async function searchBugIds(query: string, who: Sender = ANYONE): Promise<number[]> {
  const answer = await get(who, `/rest/bug?include_fields=id&${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs.map((bug: { id: number }) => bug.id)
}

/** Changes a bug; returns the changes that the answer reports. */
export async function changeBug(who: Sender, id: number, body: Row): Promise<Row> {
  const answer = await put(who, `/rest/bug/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0].changes
}
