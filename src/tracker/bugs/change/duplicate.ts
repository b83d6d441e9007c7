import type { SQL } from 'drizzle-orm'
import {
  type BugSet,
  bugsNamed,
  parseBugRef,
  requireVisibleBugs,
  resolveBugs,
} from '../../../platform/access/bug-set.ts'
import type { Caller, Person } from '../../../platform/access/caller.ts'
import { bugVisibleToCondition } from '../../../platform/access/visibility.ts'
import { abortIf, type Statement } from '../../../platform/db/commit.ts'
import type { RowsOf } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { aliasColumns, db, jsonRows, sql } from '../../../platform/db/sql.ts'
import { fault, valueBlank } from '../../../platform/faults/fault.ts'
import { insertCommentsStatement } from '../../comments/plan.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'
import type { NewDuplicate } from '../model/capability.ts'
import type { CurrentBug } from '../model/current-bug.ts'
import { duplicateLoop, duplicatesAtOnce } from '../model/faults.ts'

const b = aliasColumns(bugs, 'b')

/** A bug that is no longer a duplicate of another. */
type LostDuplicate = { readonly bugId: number; readonly originalId: number }

/** Reads the original by its reference. */
export function loadDuplicate(caller: Caller, set: BugSet, given: string | null | undefined) {
  const isGiven = given !== undefined && given !== null && given.trim() !== ''
  const refs = isGiven ? [parseBugRef(given)] : []
  return {
    originalRef: isGiven ? resolveBugs(caller, refs) : undefined,
    originals: isGiven
      ? db
          .select({
            id: bugs.id,
            reporterId: bugs.reporterId,
            /** Whether the reporter of the duplicate sees the original. */
            isSeenByReporter: sql<boolean>`${seenByReporterOf(set)}`
              .mapWith(Boolean)
              .as('is_seen_by_reporter'),
            /** Whether the original is itself, perhaps through others, a duplicate of one of the bugs. */
            leadsBack: sql<boolean>`EXISTS (${chainFrom(sql`${bugs.id}`)}
              WHERE chain.id IN (${idsIn(set)}))`
              .mapWith(Boolean)
              .as('leads_back'),
          })
          .from(bugs)
          .where(bugsNamed(caller, refs).condition)
      : undefined,
  }
}

type Selects = ReturnType<typeof loadDuplicate>

/** What `loadDuplicate` read. */
export type KnownOriginal = { readonly [Name in keyof Selects]: RowsOf<Selects[Name]> }

/** Decides on `dupe_of`; null when it requests nothing new. Pure. */
export function decideDuplicate(
  person: Person,
  given: string | null | undefined,
  known: KnownOriginal,
  { bug, bugCount }: { readonly bug: CurrentBug; readonly bugCount: number },
): NewDuplicate | null {
  if (given === undefined) {
    return null
  }
  if (given === null || given.trim() === '') {
    throw fault(valueBlank, { field: 'dupe_of' })
  }
  const [originalId] = requireVisibleBugs(person, [parseBugRef(given)], known.originalRef ?? [])
  const original = known.originals?.find(({ id }) => id === originalId)
  if (original === undefined) {
    throw new Error('A bug that can be reached was not read')
  }
  if (original.id === bug.dupeOfId) {
    return null
  }
  if (bugCount !== 1) {
    throw fault(duplicatesAtOnce)
  }
  if (original.id === bug.id || original.leadsBack) {
    throw fault(duplicateLoop, { bug: String(bug.id), original: given })
  }
  const addsReporter = original.isSeenByReporter && original.reporterId !== bug.reporterId
  return { bugId: bug.id, originalId: original.id, ccId: addsReporter ? bug.reporterId : null }
}

/** Fails the commit when the original has become a duplicate of the bug meanwhile. */
export function duplicateLoopGuard({ bugId, originalId }: NewDuplicate): Statement {
  return abortIf(sql`EXISTS (${chainFrom(asId(originalId))} WHERE chain.id = ${bugId})`)
}

/** The history and the comment of an original that gets a duplicate, for a commit with its notice. */
export function recordDuplicateAdded(
  { bugId, originalId }: NewDuplicate,
  recording: HistoryOrigin,
) {
  const original = sql`SELECT ${asId(originalId)} AS bug_id`
  const comment = {
    body: '',
    isPrivate: false,
    isMarkdown: false,
    kind: 'has_duplicate',
    relatedBugId: bugId,
  } as const
  const from = sql`(${original}) o`
  const added = sql`${String(bugId)}`
  return {
    history: recordHistory({ field: 'duplicates', from, bugId: sql`o.bug_id`, added }, recording),
    comment: insertCommentsStatement(original, comment, recording.authorId),
  }
}

/** The history of originals that lose a duplicate, which does not move their time. */
export function recordDuplicatesRemoved(
  lost: readonly LostDuplicate[],
  authorId: number,
  at: number,
): Statement[] {
  const recording = { authorId, noticeOf: () => sql`NULL`, at }
  const removed = sql`CAST(r.value ->> 'bugId' AS TEXT)`
  const from = jsonRows(lost)
  const bugId = sql`r.value ->> 'originalId'`
  return lost.length === 0
    ? []
    : [recordHistory({ field: 'duplicates', from, bugId, removed }, recording)]
}

function seenByReporterOf(set: BugSet): SQL {
  return bugVisibleToCondition(
    sql`(SELECT ${bugs.reporterId} FROM bugs WHERE ${set.condition} LIMIT 1)`,
  )
}

function idsIn(set: BugSet): SQL {
  return sql`SELECT ${bugs.id} FROM bugs WHERE ${set.condition}`
}

/** The chain of originals from a bug: to select from, with a condition. */
function chainFrom(id: SQL): SQL {
  return sql`WITH RECURSIVE chain(id) AS (SELECT ${id}
    UNION SELECT ${b.dupeOfId} FROM chain JOIN bugs b ON ${b.id} = chain.id
      WHERE ${b.dupeOfId} IS NOT NULL)
    SELECT 1 FROM chain`
}

/** Parameters arrive as floating point, which must not get into text or lists of IDs. */
function asId(id: number): SQL {
  return sql`CAST(${id} AS INTEGER)`
}
