import { expect } from 'vitest'
import { get, post, type Sender } from '../client.ts'

/** Saves a search; returns its ID. */
export async function saveSearch(
  who: Sender,
  name: string,
  query: string,
  more: { shared_with?: string } = {},
): Promise<number> {
  const answer = await post(who, '/rest/saved_search', { name, query, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}

/** The saved searches that the sender is shown, in order. */
export async function listSearches(who: Sender, query = '') {
  const answer = await get(who, `/rest/saved_search${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.saved_searches
}

/** The names of these searches. */
export async function listSearchNames(who: Sender, query = ''): Promise<string[]> {
  const searches: { name: string }[] = await listSearches(who, query)
  return searches.map(({ name }) => name)
}
