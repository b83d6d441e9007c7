import { presentAlias } from '../../../platform/lib/alias.ts'
import { toDatetime } from '../../../platform/lib/time.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { expandLinks } from '../../history/links.ts'
import type { recordedNotices } from '../../notices/record-notice.ts'
import { presentTagChanges } from '../edits/tags.ts'
import type { BugDecision, RequestSite } from '../model/capability.ts'
import { CAPABILITIES } from './capabilities.ts'
import type { ChangeDecision } from './decide.ts'

type Row = Readonly<Record<string, unknown>>

/** What a commit returned. */
type WrittenChanges = {
  /** The history of the commit in its order, with `bug_id`, `field`, `removed` and `added`. */
  readonly history: readonly Row[]
  readonly notices: ReturnType<typeof recordedNotices>
  /** The `id` of each bug of other groups than before that the caller still sees. */
  readonly visible: readonly Row[]
  /** The tags of the caller that were added and removed. */
  readonly lists: readonly Row[]
}

type Change = { readonly removed: string; readonly added: string }

/** Presents the changes that the commit recorded, bug by bug in the order of the request. */
export function presentChangedBugs(
  {
    person,
    settings,
    baseUrl,
  }: Pick<RequestSite, 'person' | 'baseUrl'> & {
    readonly settings: Settings
  },
  { bugs, outcomes }: ChangeDecision,
  { history, notices, visible, lists }: WrittenChanges,
) {
  const unanswered = CAPABILITIES.flatMap((one) => one.unansweredFields?.(person) ?? [])
  const hidden = new Set(
    [...outcomes.values()].flatMap(({ hiddenValues = [] }) =>
      hiddenValues.map(({ bugId, field }) => `${bugId} ${field}`),
    ),
  )
  const stillVisible = new Set(visible.map(({ id }) => id))
  const momentOf = new Map(notices.map(({ bugId, at }) => [bugId, at]))
  const tagChanges = presentTagChanges(lists)
  const historyOf = Map.groupBy(history, (row) => row.bug_id)
  return bugs.map(({ bug }) => {
    const rows = (historyOf.get(bug.id) ?? []).filter(
      ({ field }) =>
        !unanswered.includes(String(field)) && (field !== 'groups' || stillVisible.has(bug.id)),
    )
    const tags = tagChanges.get(bug.id)
    const changes = Object.fromEntries(
      [
        ...rows.map(
          (row) => [String(row.field), presentChange(bug, row, { hidden, baseUrl })] as const,
        ),
        ...(tags === undefined ? [] : [['tags', tags] as const]),
      ].filter(([, { removed, added }]) => removed !== added),
    )
    return {
      id: bug.id,
      alias: presentAlias(changes.alias?.added ?? bug.historyValues.alias, settings.ALIAS_AS_LIST),
      last_change_time: toDatetime(momentOf.get(bug.id) ?? bug.changedAt),
      changes,
    }
  })
}

/** A row of history without the old value when the caller may not know that. */
function presentChange(
  { id }: BugDecision['bug'],
  row: Row,
  { hidden, baseUrl }: { hidden: ReadonlySet<string>; baseUrl: string },
): Change {
  const expand = (list: unknown) => expandLinks(String(row.field), String(list), baseUrl)
  const isHidden = hidden.has(`${id} ${row.field}`)
  return { removed: isHidden ? '' : expand(row.removed), added: expand(row.added) }
}
