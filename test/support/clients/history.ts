import { expect } from 'vitest'
import { ANYONE, get, type Sender } from '../client.ts'

export type HistoryEntry = { when: string; who: string; changes: Record<string, unknown>[] }

/** Reads the history of a bug. */
export async function readEntries(
  id: number,
  who: Sender = ANYONE,
  query = '',
): Promise<HistoryEntry[]> {
  const answer = await get(who, `/rest/bug/${id}/history${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0].history
}

/** The changes that somebody is shown, each as `field: removed > added`. */
export async function readHistory(id: number, who: Sender = ANYONE): Promise<string[]> {
  return (await readEntries(id, who))
    .flatMap(({ changes }) => changes)
    .map(({ field_name, removed, added }) => `${field_name}: ${removed} > ${added}`)
}
