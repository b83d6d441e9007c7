import { expect } from 'vitest'
import { ANYONE, get, type Sender } from '../client.ts'

type ShownComment = Record<string, unknown>

/** Reads the comments of a bug. */
export async function readComments(
  bug: number | string,
  who: Sender = ANYONE,
  query = '',
): Promise<ShownComment[]> {
  const answer = await get(who, `/rest/bug/${bug}/comment${query}`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.comments).toEqual({})
  const [only] = Object.values(answer.body.bugs) as { comments: ShownComment[] }[]
  return only?.comments ?? []
}

/** Reads one comment by its ID. */
export async function readComment(
  id: number | string,
  who: Sender = ANYONE,
  query = '',
): Promise<ShownComment> {
  const answer = await get(who, `/rest/bug/comment/${id}${query}`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.bugs).toEqual({})
  const own = String(Number(decodeURIComponent(String(id))))
  expect(Object.keys(answer.body.comments)).toEqual([own])
  return answer.body.comments[own]
}

/** The texts of comments. */
export function textsOf(list: readonly ShownComment[]): unknown[] {
  return list.map(({ text }) => text)
}

/** Of each comment but the description its text, with the first line that the service composes, and without. */
export async function readBothTexts(who: Sender, bug: number): Promise<unknown[][]> {
  const [, ...others] = await readComments(bug, who)
  return others.map(({ text, raw_text }) => [text, raw_text])
}
