import { allReachable, type BugRef, bugsNamed, resolveBugs } from '../../access/bug-set.ts'
import type { Person } from '../../access/caller.ts'
import { canTrackTime } from '../../access/rights.ts'
import type { Ctx } from '../../context.ts'
import { readBatch } from '../../db/read-batch.ts'
import { fault } from '../../faults.ts'
import { noticeOf } from '../../notices/record-notice.ts'
import {
  type Capability,
  type ChangeRequest,
  mergeUnique,
  type RequestSite,
} from '../model/capability.ts'
import { type CurrentBug, currentBugs } from '../model/current-bug.ts'
import type { BugDecision, Outcome } from '../model/decision.ts'
import { peopleNamed } from '../model/field-values.ts'
import type { Field } from '../model/history-fields.ts'
import { assertMayChange } from '../model/permissions.ts'
import { standingOf } from '../model/standing.ts'
import { CAPABILITIES } from './capabilities.ts'
import { currentPlacement } from './product-move.ts'

type Input = ChangeRequest['input']

/** Everything that one request does to its bugs. */
export type ChangeDecision = {
  readonly bugs: readonly BugDecision[]
  readonly outcomes: ReadonlyMap<Capability, Outcome>
}

/**
 * Reads the bugs, as `refs` name them, and all that capabilities need in one round trip, and decides what
 * becomes of them. Faults 100 to 102 for the bugs, 109 for their products, 115 for fields that the caller
 * may not change, then those of the capabilities in the order of the table.
 */
export async function decideChange(
  ctx: Ctx,
  person: Person,
  refs: readonly BugRef[],
  input: Input,
): Promise<ChangeDecision> {
  const site = { person, settings: ctx.settings, baseUrl: ctx.baseUrl }
  const { resolved, bugs, people, ...known } = await loadChange(ctx, site, refs, input)
  const ids = allReachable(person, refs, resolved)
  const byId = new Map(bugs.map((bug) => [bug.id, bug]))
  const current = ids.flatMap((id) => byId.get(id) ?? [])
  const request: ChangeRequest = {
    ...site,
    input,
    known,
    people,
    bugCount: current.length,
    recording: { authorId: person.id, noticeOf },
    now: ctx.now,
  }
  const closed = current.find((bug) => !bug.isEditable)
  if (closed !== undefined) {
    throw fault('productEditDenied', { product: closed.product })
  }
  for (const capability of CAPABILITIES) {
    capability.assertInput?.(request)
  }
  return decideOutcomes(
    request,
    current.map((bug) => decideBug(request, bug)),
  )
}

function loadChange(ctx: Ctx, site: RequestSite, refs: readonly BugRef[], input: Input) {
  const bugs = bugsNamed(site.person, refs)
  const logins = CAPABILITIES.flatMap((capability) => capability.logins?.(input) ?? []).filter(
    (login) => typeof login === 'string',
  )
  const reads = CAPABILITIES.map((capability) => capability.load?.({ ...site, bugs }, input) ?? {})
  return readBatch(ctx, {
    ...mergeUnique(reads),
    resolved: resolveBugs(site.person, refs),
    bugs: currentBugs(site.person, bugs),
    people: logins.length > 0 ? peopleNamed(logins) : undefined,
  })
}

/** The decisions on one bug by itself: values first, then rights to them, then what has its own rules. */
function decideBug(request: ChangeRequest, bug: CurrentBug): BugDecision {
  let decision: BugDecision = {
    bug,
    standing: standingOf(request.person, bug),
    placement: currentPlacement(bug),
    changes: [],
    duplicate: null,
    remaining: 'stays',
    groups: null,
    cc: null,
    preconditions: [],
  }
  for (const capability of CAPABILITIES) {
    decision = { ...decision, ...capability.proposeChanges?.(decision, request) }
  }
  assertRights(request, decision)
  for (const capability of CAPABILITIES) {
    decision = { ...decision, ...capability.decideBug?.(decision, request) }
  }
  return decision
}

/** Throws fault 115 for the first change, in the order of the table, that the caller may not make. */
function assertRights(request: ChangeRequest, decision: BugDecision): void {
  const { person, settings } = request
  const { bug, standing, changes } = decision
  const claims = CAPABILITIES.flatMap(
    (capability) =>
      capability.claims?.(decision, request) ??
      changes.filter(({ field }) => Object.hasOwn(capability.input, field)),
  )
  for (const { field, added: to } of claims) {
    const from = field in bug.historyValues ? bug.historyValues[field as Field] : ''
    assertMayChange({ field, from, to, standing, tracksTime: canTrackTime(person), settings })
  }
}

/** The decisions on all bugs together: each capability sees what those ahead of it added. */
function decideOutcomes(request: ChangeRequest, decided: readonly BugDecision[]): ChangeDecision {
  let bugs = decided
  const outcomes = new Map<Capability, Outcome>()
  for (const capability of CAPABILITIES) {
    const outcome = capability.decideAll?.(bugs, request) ?? {}
    outcomes.set(capability, outcome)
    bugs = outcome.decisions ?? bugs
  }
  return { bugs, outcomes }
}
