import * as z from 'zod'
import { allReachable, bugRefsToWrite, bugsById } from '../../access/bug-set.ts'
import type { Person } from '../../access/caller.ts'
import { assertLoggedIn, canTrackTime } from '../../access/rights.ts'
import { editableProductCondition, visibleBugCondition } from '../../access/visibility.ts'
import { acceptedWork } from '../../comments/hours.ts'
import { acceptedBody, acceptedMarkdown, type NewComment } from '../../comments/plan.ts'
import { tagsOfNewComment } from '../../comments/tagging.ts'
import type { Ctx } from '../../context.ts'
import { abortIf, commit, retryOnConflict, type Statement } from '../../db/commit.ts'
import type { DbSession } from '../../db/session.ts'
import { jsonList, sql } from '../../db/sql.ts'
import { changesOutput } from '../../http/shapes.ts'
import { toDatetime } from '../../lib/time.ts'
import { enqueueDelivery, recordedNotices } from '../../notices/record-notice.ts'
import type { Settings } from '../../settings.ts'
import { underApiNames } from '../model/legacy-names.ts'
import { decidePrivacy } from './comment-privacy.ts'
import { type Decision, decideChanges, standingOf } from './decide.ts'
import { flagsOfChange } from './flags.ts'
import { type ChangeBugInput, commentText } from './input.ts'
import { decideLists, refuseEndless } from './lists.ts'
import { type Current, type CurrentBug, loadForChange } from './load.ts'
import { addRequesteesToCc } from './requestees.ts'
import { changeStatements, type Plan } from './write.ts'

export const changeBugOutput = z.strictObject({
  bugs: z.array(
    z.strictObject({
      id: z.int(),
      alias: z.string().nullable(),
      last_change_time: z.iso.datetime(),
      changes: changesOutput,
    }),
  ),
})

/** Fields that only people who track time may see. */
const HOURS = ['estimated_time', 'remaining_time']

/** What history alone tells of. */
const HISTORY_ONLY = ['work_time', 'longdescs.isprivate']

type Row = Record<string, unknown>

/**
 * PUT /bug/{id_or_alias}: changes the bugs of the path and of `ids`, all or none, in one commit with
 * history and notices. Contract "Bugs", Update Bug.
 */
export async function changeBugs(ctx: Ctx, given: ChangeBugInput) {
  const input = underApiNames(given)
  const person = assertLoggedIn(ctx.caller)
  refuseEndless(input)
  return retryOnConflict(ctx.session, async (session) => {
    const plan = await decide(ctx, session, person, input)
    const written = changeStatements(plan)
    const rows = await commit(
      session,
      written.length === 0
        ? []
        : [refuseLost(person, plan), ...written, ...stillSeen(person, plan)],
    )
    enqueueDelivery(ctx, recordedNotices(rows))
    return { bugs: answers(person, plan, rows) }
  })
}

async function decide(
  ctx: Ctx,
  session: DbSession,
  person: Person,
  input: ChangeBugInput,
): Promise<Plan> {
  const refs = bugRefsToWrite(input.id_or_alias, input.ids)
  const current = await loadForChange(ctx, person, session, refs, input)
  const ids = allReachable(ctx.caller, refs, current.resolved)
  const decided = decideChanges(person, ctx.settings, input, current, ids)
  const lists = decideLists(ctx, person, input, current, decided)
  const flags = flagsOfChange(person, current, decided, input.flags)
  const decisions = addRequesteesToCc(decided, flags)
  return {
    personId: person.id,
    now: ctx.now,
    isMinor: (input.minor_update ?? false) && mayKeepQuiet(person, current),
    decisions,
    comment: commentOf(person, ctx.settings, input, decisions),
    tags: tagsOfNewComment(input.comment_tags, current.tagRight),
    lists,
    flags,
    privacy: decidePrivacy(person, input.comment_is_private, current.switched),
  }
}

/** Fails the commit as stale when a bug has been hidden from the caller, or closed to them, meanwhile. */
function refuseLost(person: Person, { decisions }: Plan): Statement {
  return abortIf(sql`EXISTS (SELECT 1 FROM bugs JOIN products ON products.id = bugs.product_id
    WHERE bugs.id IN ${jsonList(decisions.map(({ bug }) => bug.id))}
      AND NOT (${visibleBugCondition(person)} AND ${editableProductCondition(person)}))`)
}

/** The bugs of other groups than before that the caller still sees, as `seen_id`. */
function stillSeen(person: Person, { decisions }: Plan): Statement[] {
  const ids = decisions.filter(({ groups }) => groups !== null).map(({ bug }) => bug.id)
  return ids.length === 0
    ? []
    : [sql`SELECT bugs.id AS seen_id FROM bugs WHERE ${bugsById(person, ids).condition}`]
}

/** To spare people the mail about a change is for those who may change everything about the bugs. */
function mayKeepQuiet(person: Person, { bugs }: Current): boolean {
  return bugs.every((bug) => standingOf(person, bug).editBugs)
}

/** A comment without text is none, unless it brings hours or says that the bug is a duplicate. */
function commentOf(
  person: Person,
  settings: Settings,
  input: ChangeBugInput,
  decisions: readonly Decision[],
): NewComment | null {
  const text = commentText(input)
  const [marking] = decisions.flatMap((decision) => decision.marking ?? [])
  const workTime = acceptedWork(input.work_time)
  if (text.trim() === '' && workTime === 0 && marking === undefined) {
    return null
  }
  const isPrivate = input.comment?.is_private ?? false
  return {
    body: acceptedBody(person, text.trim() === '' ? '' : text, isPrivate),
    isPrivate,
    isMarkdown: acceptedMarkdown(settings, input.comment?.is_markdown, true),
    workTime,
    ...(marking === undefined ? {} : { kind: 'duplicate_of', relatedBugId: marking.originalId }),
  }
}

/** What the commit wrote down, which is what it changed, in the order of the request. */
function answers(person: Person, { decisions, lists }: Plan, rows: readonly Row[][]) {
  const recorded = rows.flat().filter((row) => 'field' in row)
  const seen = new Set(rows.flat().map((row) => row.seen_id))
  const moments = new Map(recordedNotices(rows).map(({ bugId, at }) => [bugId, at]))
  return decisions.map(({ bug }) => {
    const own = recorded.filter((row) => row.bug_id === bug.id)
    const changes = Object.fromEntries(
      own.flatMap((row) =>
        presentChange(person, bug, row, { isSeen: seen.has(bug.id), secret: lists.secret }),
      ),
    )
    return {
      id: bug.id,
      alias: (changes.alias?.added ?? bug.words.alias) || null,
      last_change_time: toDatetime(moments.get(bug.id) ?? bug.changedAt),
      changes,
    }
  })
}

/** A row of history as the caller may know of it; nothing at all of some. */
function presentChange(
  person: Person,
  bug: CurrentBug,
  row: Row,
  { isSeen, secret }: { isSeen: boolean; secret: ReadonlySet<string> },
): [field: string, change: { removed: string; added: string }][] {
  const field = String(row.field)
  if (HISTORY_ONLY.includes(field) || (HOURS.includes(field) && !canTrackTime(person))) {
    return []
  }
  if (field === 'groups' && !isSeen) {
    // the groups of a bug are for those who see it
    return []
  }
  const isHidden = secret.has(`${bug.id} ${field}`) || (field === 'dupe_of' && !bug.seesOriginal)
  const change = { removed: isHidden ? '' : String(row.removed), added: String(row.added) }
  return change.removed === change.added ? [] : [[field, change]]
}
