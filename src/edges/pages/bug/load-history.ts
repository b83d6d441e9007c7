import { getBugHistory } from '../../../tracker/history/get.ts'
import { type Answer, askPaged, type PageRequest } from '../page.ts'

export type HistoryEntry = NonNullable<
  Answer<typeof getBugHistory>['bugs'][number]['history']
>[number]

/** Changes that a page shows. */
const MAX_CHANGES = 200

/** A position in the history: the page ends before it, or begins at it. The newest changes where there is none. */
export type HistoryPlace = { readonly before?: string; readonly from?: string }

/** A page of the history of a bug, oldest change first. */
export type ShownHistory = {
  readonly entries: readonly HistoryEntry[]
  /** Where the changes before these are; null where there are none. */
  readonly earlier: HistoryPlace | null
  /** Where those behind these are. */
  readonly later: HistoryPlace | null
}

/** The newest changes of a bug, the last ones before a position, or the first ones from it on. */
export async function loadHistory(
  request: PageRequest,
  name: string,
  place: HistoryPlace,
): Promise<ShownHistory> {
  const bug = { id_or_alias: name, include_fields: ['history'] }
  const { body, page } = await askPaged(request, getBugHistory, {
    ...bug,
    ...place,
    newest: MAX_CHANGES,
  })
  const { before, from } = page.next ?? {}
  return {
    entries: body.bugs.flatMap(({ history = [] }) => history),
    // what is behind a position that an address has was on the page that led to it
    earlier: place.from !== undefined ? { before: place.from } : before ? { before } : null,
    later: place.before !== undefined ? { from: place.before } : from ? { from } : null,
  }
}

/** The address of the changes of a bug at a place. */
export function historyAddress(bug: number | undefined, place: HistoryPlace): string {
  const query = new URLSearchParams(place)
  return `/bug/${bug}/history${query.size === 0 ? '' : `?${query}`}`
}
