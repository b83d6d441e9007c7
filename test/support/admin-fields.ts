import { expect } from 'vitest'
import { post, type Sender } from './client.ts'
import { unique } from './world.ts'

/** Creates a custom field over HTTP; answers its ID and its name. */
export async function createdField(
  admin: Sender,
  body: Record<string, unknown>,
): Promise<{ id: number; name: string }> {
  const name = `cf_${unique('f').toLowerCase()}`
  const answer = await post(admin, '/rest/field/bug', { name, ...body })
  expect(answer.status, answer.text).toBe(201)
  return { id: answer.body.id, name }
}

/** Adds a value to a field over HTTP; answers its ID. */
export async function createdValue(
  admin: Sender,
  field: string,
  name: string,
  more: Record<string, unknown> = {},
): Promise<number> {
  const answer = await post(admin, `/rest/field/bug/${field}/values`, { name, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}
