import { expect } from 'vitest'
import type { TestProduct } from '../builders/types.ts'
import { ANYONE, get, type Sender } from '../client.ts'

/** The fields that a path below /rest/field/bug returns. */
export async function readFields(path: string, who: Sender = ANYONE) {
  const answer = await get(who, `/rest/field/bug${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.fields
}

/** The legal values that a path below /rest/field/bug returns. */
export async function readLegalValues(path: string, who: Sender = ANYONE): Promise<string[]> {
  const answer = await get(who, `/rest/field/bug${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.values
}

/** What a field answers of the values of one product. */
export async function readValuesOf(field: string, of: TestProduct, who: Sender = ANYONE) {
  const [{ values }] = await readFields(`/${field}`, who)
  return values.filter((one: { visibility_values: string[] }) =>
    one.visibility_values.includes(of.name),
  )
}
