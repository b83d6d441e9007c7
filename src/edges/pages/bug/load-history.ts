import { getBugHistory } from '../../../tracker/history/get.ts'
import { type Answer, askPaged, type PageRequest } from '../page.ts'

export type HistoryEntry = NonNullable<
  Answer<typeof getBugHistory>['bugs'][number]['history']
>[number]

/** Changes that a page shows. */
const MAX_CHANGES = 200

/** A page of the history of a bug, oldest change first. */
export type HistoryPage = {
  readonly entries: readonly HistoryEntry[]
  /** The position that has all earlier changes before it; null where there are none. */
  readonly earlier: string | null
}

/** The newest changes of a bug, or those before a position. */
export async function loadHistory(
  request: PageRequest,
  name: string,
  before: string | null,
): Promise<HistoryPage> {
  const parameters = { id_or_alias: name, newest: MAX_CHANGES, before, include_fields: ['history'] }
  const { body, page } = await askPaged(request, getBugHistory, parameters)
  return {
    entries: body.bugs.flatMap(({ history = [] }) => history),
    earlier: page.next?.before ?? null,
  }
}

/** The address of the changes of a bug, or of those before a position. */
export function historyAddress(bug: number | undefined, before: string | null): string {
  return `/bug/${bug}/history${before === null ? '' : `?${new URLSearchParams({ before })}`}`
}
