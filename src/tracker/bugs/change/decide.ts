import {
  type BugRef,
  bugsNamed,
  requireVisibleBugs,
  resolveBugs,
} from '../../../platform/access/bug-set.ts'
import { canTrackTime, type Person } from '../../../platform/access/caller.ts'
import { productEditDenied } from '../../../platform/access/faults.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { RowsTooLong } from '../../../platform/db/read-limit.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { noticeOf } from '../../notices/record-notice.ts'
import {
  type BugDecision,
  type Capability,
  type ChangeRequest,
  isRequested,
  mergeUnique,
  type Outcome,
  type RequestSite,
  undecided,
} from '../model/capability.ts'
import { type CurrentBug, currentBugs } from '../model/current-bug.ts'
import { indexPeople, selectPeopleByLogin } from '../model/field-values.ts'
import type { RecordedField } from '../model/history-fields.ts'
import { assertMayChange } from '../model/permissions.ts'
import { standingOf } from '../model/standing.ts'
import { CAPABILITIES } from './capabilities.ts'
import { assertTextsFit, selectTextsWithinLimit, textsTooLong } from './text-bounds.ts'

type Input = ChangeRequest['input']

/** Everything that one request does to its bugs. */
export type ChangeDecision = {
  readonly bugs: readonly BugDecision[]
  readonly outcomes: ReadonlyMap<Capability, Outcome>
}

/**
 * Reads the bugs of `refs` and what the requested capabilities need, in one round trip, and decides. Refusals
 * of bugs and products come first, then those of values in the order of the table, then those of rights.
 */
export async function decideChange(
  ctx: Ctx,
  person: Person,
  refs: readonly BugRef[],
  input: Input,
): Promise<ChangeDecision> {
  const site = { person, settings: ctx.settings, baseUrl: ctx.baseUrl }
  const capabilities = CAPABILITIES.filter((capability) => isRequested(capability, input))
  const { resolved, bugs, people, ...known } = await loadBugsToChange(ctx, {
    ...site,
    capabilities,
    refs,
    input,
  })
  const ids = requireVisibleBugs(person, refs, resolved)
  const byId = new Map(bugs.map((bug) => [bug.id, bug]))
  const current = ids.flatMap((id) => byId.get(id) ?? [])
  const request: ChangeRequest = {
    ...site,
    input,
    known,
    people: indexPeople(people),
    bugCount: current.length,
    recording: { authorId: person.id, noticeOf },
    now: ctx.now,
  }
  const closed = current.find((bug) => !bug.isEditable)
  if (closed !== undefined) {
    throw fault(productEditDenied, { product: closed.product })
  }
  assertTextsFit(input, current.length)
  for (const capability of capabilities) {
    capability.assertInput?.(request)
  }
  const decided = current.map((bug) => decideBug(capabilities, request, bug))
  return decideOutcomes(capabilities, request, decided)
}

type LoadRequest = RequestSite & {
  readonly capabilities: readonly Capability[]
  readonly refs: readonly BugRef[]
  readonly input: Input
}

function loadBugsToChange(ctx: Ctx, { capabilities, refs, input, ...site }: LoadRequest) {
  const bugs = bugsNamed(site.person, refs)
  const logins = capabilities
    .flatMap((capability) => capability.logins?.(input) ?? [])
    .filter((login) => typeof login === 'string')
  const reads = capabilities.map((capability) => capability.load?.({ ...site, bugs }, input) ?? {})
  return readBatch(ctx, {
    // first, because it ends all others
    within: refs.length > 1 ? selectTextsWithinLimit(bugs, input) : undefined,
    ...mergeUnique(reads),
    resolved: resolveBugs(site.person, refs),
    bugs: currentBugs(site.person, bugs, input),
    people: logins.length > 0 ? selectPeopleByLogin(logins) : undefined,
  }).catch((error) => {
    throw error instanceof RowsTooLong ? textsTooLong() : error
  })
}

/** The decisions on one bug by itself: values first, then rights to them, then what has its own rules. */
function decideBug(
  capabilities: readonly Capability[],
  request: ChangeRequest,
  bug: CurrentBug,
): BugDecision {
  let decision = undecided(bug, standingOf(request.person, bug))
  for (const capability of capabilities) {
    decision = { ...decision, ...capability.proposeChanges?.(decision, request) }
  }
  assertRights(capabilities, request, decision)
  for (const capability of capabilities) {
    decision = { ...decision, ...capability.decideBug?.(decision, request) }
  }
  return decision
}

/** Refuses the first change, in the order of the table, that the caller may not make. */
function assertRights(
  capabilities: readonly Capability[],
  request: ChangeRequest,
  decision: BugDecision,
): void {
  const { person, settings } = request
  const { bug, standing, changes } = decision
  const claims = capabilities.flatMap(
    (capability) =>
      capability.claims?.(decision, request) ??
      changes.filter(({ field }) => Object.hasOwn(capability.input, field)),
  )
  for (const { field, added: to } of claims) {
    const from = field in bug.historyValues ? bug.historyValues[field as RecordedField] : ''
    assertMayChange({ field, from, to, standing, tracksTime: canTrackTime(person), settings })
  }
}

/** The decisions on all bugs together: each capability sees what those ahead of it added. */
function decideOutcomes(
  capabilities: readonly Capability[],
  request: ChangeRequest,
  decided: readonly BugDecision[],
): ChangeDecision {
  let bugs = decided
  const outcomes = new Map<Capability, Outcome>()
  for (const capability of capabilities) {
    const outcome = capability.decideAll?.(bugs, request) ?? {}
    outcomes.set(capability, outcome)
    bugs = outcome.decisions ?? bugs
  }
  return { bugs, outcomes }
}
