import type { SQL } from 'drizzle-orm'
import { allReachable, type BugSet, bugRef, bugsNamed, resolveBugs } from '../../access/bug-set.ts'
import type { Caller, Person } from '../../access/caller.ts'
import { bugVisibleToCondition } from '../../access/visibility.ts'
import { addComments } from '../../comments/plan.ts'
import { db } from '../../db/client.ts'
import { abortIf, type Statement } from '../../db/commit.ts'
import type { RowsOf } from '../../db/read-batch.ts'
import { bugs } from '../../db/schema/bugs.ts'
import { jsonRows, sql } from '../../db/sql.ts'
import { fault } from '../../faults.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'

/** A bug that becomes a duplicate of another. */
export type Marking = {
  readonly bugId: number
  readonly originalId: number
  /** The person who reported the duplicate, to be told about the original from now on; null for nobody. */
  readonly ccId: number | null
}

/** A bug that is no longer a duplicate of another. */
export type Unmarking = { readonly bugId: number; readonly originalId: number }

/** What deciding on a duplicate needs: what became of the reference to the original, and that bug. */
export function readingsOfDuplicate(caller: Caller, set: BugSet, given: string | null | undefined) {
  const isGiven = given !== undefined && given !== null && given.trim() !== ''
  const refs = isGiven ? [bugRef(given)] : []
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
            /** Whether the original is itself, perhaps over others, a duplicate of the bug at hand. */
            leadsBack: sql<boolean>`EXISTS (${chainFrom(sql`bugs.id`)}
              WHERE chain.id IN (${idsIn(set)}))`
              .mapWith(Boolean)
              .as('leads_back'),
          })
          .from(bugs)
          .where(bugsNamed(caller, refs).condition)
      : undefined,
  }
}

type Read = { [Name in keyof ReturnType<typeof readingsOfDuplicate>]: Rows<Name> }
type Rows<Name extends keyof ReturnType<typeof readingsOfDuplicate>> =
  | RowsOf<NonNullable<ReturnType<typeof readingsOfDuplicate>[Name]>>
  | undefined

type Duplicate = {
  readonly id: number
  readonly dupeOfId: number | null
  readonly reporterId: number
}

/**
 * What `dupe_of` asks for; null when it asks for nothing new. Pure. Contract "Bug", dupe_of. Faults 50
 * for none, 100, 101 and 102 for the original, 118 for a bug that would come to be its own duplicate,
 * 32000 for several bugs at once.
 */
export function markingOf(
  person: Person,
  given: string | null | undefined,
  read: Read,
  bug: Duplicate,
  isAlone: boolean,
): Marking | null {
  if (given === undefined) {
    return null
  }
  if (given === null || given.trim() === '') {
    throw fault('valueBlank', { field: 'dupe_of' })
  }
  const [originalId] = allReachable(person, [bugRef(given)], read.originalRef ?? [])
  const original = read.originals?.find(({ id }) => id === originalId)
  if (original === undefined) {
    throw new Error('A bug that can be reached was not read')
  }
  if (original.id === bug.dupeOfId) {
    return null
  }
  if (!isAlone) {
    throw fault('duplicatesAtOnce')
  }
  if (original.id === bug.id || original.leadsBack) {
    throw fault('duplicateLoop', { bug: String(bug.id), original: given })
  }
  const isToldOf = original.isSeenByReporter && original.reporterId !== bug.reporterId
  return { bugId: bug.id, originalId: original.id, ccId: isToldOf ? bug.reporterId : null }
}

/** Fails the commit as stale when the original has become a duplicate of the bug meanwhile. */
export function refuseLoop({ bugId, originalId }: Marking): Statement {
  return abortIf(sql`EXISTS (${chainFrom(asId(originalId))} WHERE chain.id = ${bugId})`)
}

/** What an original is given for a new duplicate: history and a comment. For a commit that announced it. */
export function recordDuplicateAdded(marking: Marking, recording: HistoryOrigin): Statement[] {
  const { bugId, originalId } = marking
  const onOriginal = sql`SELECT ${asId(originalId)} AS bug_id`
  const comment = {
    body: '',
    isPrivate: false,
    isMarkdown: false,
    kind: 'has_duplicate',
    relatedBugId: bugId,
  } as const
  return [
    recordHistory(linkOf(sql`(${onOriginal}) o`, sql`o.bug_id`, '', String(bugId)), recording),
    addComments(onOriginal, comment, recording.authorId),
  ]
}

/** The history of originals that lose a duplicate, which does not move their time. */
export function recordDuplicatesRemoved(
  lost: readonly Unmarking[],
  authorId: number,
  at: number,
): Statement[] {
  const recording = { authorId, noticeOf: () => sql`NULL`, at }
  const number = sql`CAST(r.value ->> 'bugId' AS TEXT)`
  const from = jsonRows(lost)
  const bugId = sql`r.value ->> 'originalId'`
  return lost.length === 0 ? [] : [recordHistory(linkOf(from, bugId, number, ''), recording)]
}

function linkOf(from: SQL, bugId: SQL, removed: SQL | string, added: SQL | string) {
  const left = sql`${removed}`
  const right = sql`${added}`
  return {
    field: 'duplicates',
    from,
    bugId,
    removed: left,
    removedFolded: left,
    added: right,
    addedFolded: right,
  }
}

function seenByReporterOf(set: BugSet): SQL {
  return bugVisibleToCondition(
    sql`(SELECT bugs.reporter_id FROM bugs WHERE ${set.condition} LIMIT 1)`,
  )
}

function idsIn(set: BugSet): SQL {
  return sql`SELECT bugs.id FROM bugs WHERE ${set.condition}`
}

/** A bug, what it is a duplicate of, what that is one of, and so on: to select from, with a condition. */
function chainFrom(id: SQL): SQL {
  return sql`WITH RECURSIVE chain(id) AS (SELECT ${id}
    UNION SELECT b.dupe_of_id FROM chain JOIN bugs b ON b.id = chain.id
      WHERE b.dupe_of_id IS NOT NULL)
    SELECT 1 FROM chain`
}

/** Parameters arrive as floating point, which must not get into text or lists of IDs. */
function asId(id: number): SQL {
  return sql`CAST(${id} AS INTEGER)`
}
