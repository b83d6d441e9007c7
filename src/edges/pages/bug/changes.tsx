import type { PageRequest } from '../page.ts'
import { labelOf } from '../parts/labels.ts'
import { Moment } from '../parts/moment.tsx'
import { type BugPage, changesBefore } from './load.ts'
import {
  type HistoryEntry,
  type HistoryPlace,
  historyAddress,
  type ShownHistory,
} from './load-history.ts'
import { type Known, Who } from './people.tsx'

/** What changed while the comments of a page were written; all that was read where it has the newest ones. */
export function historyOn(
  { history, comments, isNewest }: BugPage,
  request: PageRequest,
): Pick<ShownHistory, 'entries' | 'earlier'> {
  if (isNewest) {
    return history
  }
  const [first, last] = [comments.at(0)?.creation_time ?? '', comments.at(-1)?.creation_time ?? '']
  const isUpTo = changesBefore(request) !== null
  const entries = history.entries.filter(
    ({ when = '' }) => when >= first && (isUpTo || when <= last),
  )
  const isCut = history.earlier !== null && (history.entries[0]?.when ?? '') >= first
  const earlier = entries.length > 0 ? history.earlier : { before: last }
  return { entries, earlier: isCut ? earlier : null }
}

/** Leads to the changes before those that are shown, if there are any. */
export function Earlier({ page: { bug }, place }: { page: BugPage; place: HistoryPlace | null }) {
  return place === null ? null : (
    <p class="notice" id="earlier">
      Earlier changes are not shown.{' '}
      <a href={historyAddress(bug.id, place)}>Show earlier changes</a>
    </p>
  )
}

type ChangesProps = {
  readonly page: BugPage
  readonly entries: readonly HistoryEntry[]
  readonly isOpen: boolean
}

/** A line of what changed, which unfolds. */
export function ChangeList({ page, entries, isOpen }: ChangesProps) {
  const names = entries.flatMap(({ changes = [] }) =>
    changes.map(({ field_name: name }) => labelOf(name, page.fields)),
  )
  const [first] = entries
  const isAlone = entries.length === 1 && names.length <= 2
  return isAlone && first !== undefined ? (
    <p class="changes">
      <ChangeEntry page={page} entry={first} />
    </p>
  ) : (
    <details class="changes plain" open={isOpen}>
      <summary>{[...new Set(names)].join(', ')} changed</summary>
      <ul class="plain">
        {entries.map((entry) => (
          <li>
            <ChangeEntry page={page} entry={entry} />
          </li>
        ))}
      </ul>
    </details>
  )
}

/** What a page knows of those whom changes name, and of the fields. */
type Knowing = Known & Pick<BugPage, 'fields'>

/** Who changed what, and when. */
export function ChangeEntry({ page, entry }: { page: Knowing; entry: HistoryEntry }) {
  return (
    <>
      <Who page={page} login={entry.who} /> <Moment at={entry.when} />:{' '}
      {(entry.changes ?? []).map((change, n) => (
        <>
          {n > 0 && '; '}
          <ChangeOfField page={page} change={change} />
        </>
      ))}
    </>
  )
}

type Change = NonNullable<HistoryEntry['changes']>[number]

/** What was removed from a field, and what was added. */
export function ChangeOfField({
  page,
  change: { field_name, removed, added, attachment_id: attachment },
}: {
  page: Pick<BugPage, 'fields'>
  change: Change
}) {
  return (
    <>
      {attachment !== undefined && (
        <>
          <a href={`/attachment/${attachment}`}>attachment {attachment}</a>{' '}
        </>
      )}
      {labelOf(field_name, page.fields)} {removed !== '' && <del>{shorten(removed)}</del>}{' '}
      {added !== '' && <ins>{shorten(added)}</ins>}
    </>
  )
}

const MAX_SHOWN_VALUE = 200

function shorten(text: string): string {
  return text.length > MAX_SHOWN_VALUE ? `${text.slice(0, MAX_SHOWN_VALUE)}…` : text
}
