import * as z from 'zod'
import type { Person } from '../access/caller.ts'
import { allReachable, bugRefsToWrite } from '../access/reach.ts'
import { requireLogin, tracksTime } from '../access/rights.ts'
import { acceptedBody, type NewComment } from '../comments/plan.ts'
import type { Ctx } from '../context.ts'
import { commit, untilFresh } from '../db/commit.ts'
import type { Door } from '../db/door.ts'
import { changesOutput } from '../http/shapes.ts'
import { toDatetime } from '../lib/time.ts'
import { announced, nudge } from '../notices/announce.ts'
import { decideChanges, standingOf } from './change-decide.ts'
import { type ChangeBugInput, commentText, refuseUnserved } from './change-input.ts'
import { type Current, loadForChange } from './change-load.ts'
import { changeStatements, type Plan } from './change-write.ts'
import { decideLists } from './lists.ts'
import { underApiNames } from './spellings.ts'

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
const HOURS = ['remaining_time']

type Row = Record<string, unknown>

/**
 * PUT /bug/{id_or_alias}: changes the bugs of the path and of `ids`, all or none, in one commit with
 * history and notices. Contract "Bugs", Update Bug.
 */
export async function changeBugs(ctx: Ctx, given: ChangeBugInput) {
  const input = underApiNames(given)
  const person = requireLogin(ctx.caller)
  refuseUnserved(input)
  return untilFresh(ctx.door, async (door) => {
    const plan = await decide(ctx, door, person, input)
    const rows = await commit(door, changeStatements(plan))
    nudge(ctx, announced(rows))
    return { bugs: answers(person, plan, rows) }
  })
}

async function decide(ctx: Ctx, door: Door, person: Person, input: ChangeBugInput): Promise<Plan> {
  const refs = bugRefsToWrite(input.id_or_alias, input.ids)
  const current = await loadForChange(ctx, door, refs, input)
  const ids = allReachable(ctx.caller, refs, current.resolved)
  const decisions = decideChanges(person, ctx.settings, input, current, ids)
  return {
    personId: person.id,
    now: ctx.now,
    isMinor: (input.minor_update ?? false) && mayKeepQuiet(person, current),
    decisions,
    comment: commentOf(person, input),
    lists: decideLists(ctx, person, input, current, decisions),
  }
}

/** To spare people the mail about a change is for those who may change everything about the bugs. */
function mayKeepQuiet(person: Person, { bugs }: Current): boolean {
  return bugs.every((bug) => standingOf(person, bug).editBugs)
}

/** A comment without text is none. */
function commentOf(person: Person, input: ChangeBugInput): NewComment | null {
  const text = commentText(input)
  if (text.trim() === '') {
    return null
  }
  const isPrivate = input.comment?.is_private ?? false
  return {
    body: acceptedBody(person, text, isPrivate),
    isPrivate,
    isMarkdown: input.comment?.is_markdown ?? true,
  }
}

/** What the commit wrote down, which is what it changed, in the order of the request. */
function answers(person: Person, { decisions }: Plan, rows: readonly Row[][]) {
  const recorded = rows.flat().filter((row) => 'field' in row)
  const moments = new Map(announced(rows).map(({ bugId, at }) => [bugId, at]))
  return decisions.map(({ bug }) => {
    const changes = Object.fromEntries(
      recorded
        .filter((row) => row.bug_id === bug.id)
        .filter((row) => tracksTime(person) || !HOURS.includes(String(row.field)))
        .map(({ field, removed, added }) => [
          String(field),
          { removed: String(removed), added: String(added) },
        ]),
    )
    return {
      id: bug.id,
      alias: (changes.alias?.added ?? bug.words.alias) || null,
      last_change_time: toDatetime(moments.get(bug.id) ?? bug.changedAt),
      changes,
    }
  })
}
