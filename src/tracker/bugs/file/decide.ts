import { canTrackTime, type Person } from '../../../platform/access/caller.ts'
import type { Ctx } from '../../../platform/context.ts'
import type { bugs } from '../../../platform/db/schema/bugs.ts'
import { fault, valueBlank } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { decideMarkdown, type NewComment, parseCommentBody } from '../../comments/plan.ts'
import { type CommentTag, parseTagsOfNewComment } from '../../comments/tagging.ts'
import { productMissing } from '../../fields/faults.ts'
import type { FlagEdits } from '../../flags/plan-edits.ts'
import { listNewRequestees } from '../../flags/write.ts'
import { decideNewFlags } from '../change/flags.ts'
import type { FilingRequest, ListEdit } from '../model/capability.ts'
import { bugTypeRequired, componentMissing } from '../model/faults.ts'
import {
  assertAliasFree,
  type Choice,
  requireChoice,
  requireDefault,
  requirePerson,
} from '../model/field-values.ts'
import { decideNewHours } from '../model/hours.ts'
import { requireActive, requireDestination } from '../model/obstacle.ts'
import { plainColumns } from '../model/plain-fields.ts'
import { rightsIn } from '../model/standing.ts'
import { normalizeAlias, normalizeSummary } from '../model/text-rules.ts'
import { FILING_CAPABILITIES } from './capabilities.ts'
import { decideInitialStatus } from './initial-status.ts'
import type { FileBugInput } from './input.ts'
import type { KnownForFiling } from './load.ts'

/** A bug that is ready to be written. */
export type NewBug = {
  readonly row: typeof bugs.$inferInsert
  readonly groupIds: readonly number[]
  readonly ccIds: readonly number[]
  readonly keywordIds: readonly number[]
  /** What else it begins with, and what that means for other bugs. */
  readonly edits: readonly ListEdit[]
  readonly flags: readonly FlagEdits[]
  readonly description: NewComment
  /** What the description is tagged with. */
  readonly tags: readonly CommentTag[]
  /** What the decision depends on: it has to be the same when the bug is written. */
  readonly place: PlaceVersions
}

type FilingSite = Pick<Ctx, 'settings' | 'baseUrl' | 'now'>
/** The rows that place the bug, in the versions that were read. */
type PlaceVersions = Readonly<Record<'product' | 'component' | 'version' | 'milestone', Part>>
type Part = { readonly id: number; readonly revision: number }

const FILED_VIA = ['standard_form', 'custom_form', 'api']

/**
 * Decides what a new bug will be, or throws the first fault in this order: product,
 * component, summary, version, then everything else. Fields that the caller may not set become defaults.
 * Pure.
 */
export function decideNewBug(
  person: Person,
  ctx: FilingSite,
  input: FileBugInput,
  known: KnownForFiling,
): NewBug {
  const bug = decideFields(person, ctx, input, known)
  const { row, groupIds, ccIds } = bug
  const flags = decideNewFlags(person, known, { ...row, groupIds, ccIds }, input.flags)
  const requesteeIds = listNewRequestees(flags).flatMap(({ userIds }) => userIds)
  return {
    ...bug,
    ccIds: [...new Set([...ccIds, ...requesteeIds])],
    flags,
    tags: parseTagsOfNewComment(input.comment_tags, known.tagRight),
  }
}

function decideFields(
  person: Person,
  { settings, baseUrl, now }: FilingSite,
  input: FileBugInput,
  known: KnownForFiling,
) {
  const { summary, ...place } = decidePlace(input, known)
  const { product, component, version, milestone } = place
  const rights = rightsIn(person, known.controls)
  const description = decideDescription(person, settings, input, component.template)
  const plain = plainColumns(input)
  const row = {
    productId: product.id,
    componentId: component.id,
    versionId: version.id,
    milestoneId: milestone.id,
    summary,
    summaryFold: fold(summary),
    ...decideAlias(input, known),
    ...decideChoices(settings, input, known, component.defaultTypeId ?? product.defaultTypeId),
    ...decideInitialStatus({
      statuses: known.statuses,
      hasUnconfirmed: product.hasUnconfirmed,
      mayChoose: rights.editBugs || rights.canConfirm,
      status: input.status,
      resolution: input.resolution,
      resolutions: known.values.filter((value) => value.field === 'resolution'),
      hasDescription: description.body !== '',
    }),
    ...decidePeople(input, known, component, rights.editBugs),
    reporterId: person.id,
    isCcAccessible: input.is_cc_accessible ?? true,
    isCreatorAccessible: input.is_creator_accessible ?? true,
    ...plain,
    ...decideNewHours(input, canTrackTime(person)),
    filedVia: filedVia(input.filed_via),
    createdAt: now,
    changedAt: now,
  }
  const lists = decideLists({
    person,
    settings,
    baseUrl,
    input,
    known,
    people: known.people,
    draft: {
      product,
      controls: known.controls,
      componentCc: component.defaultCc,
      editBugs: rights.editBugs,
      row,
    },
  })
  return { row, ...lists, description, place }
}

function decideLists(request: FilingRequest) {
  const lists = FILING_CAPABILITIES.map((capability) => capability.decide(request))
  return {
    groupIds: lists.flatMap(({ groupIds = [] }) => groupIds),
    ccIds: lists.flatMap(({ ccIds = [] }) => ccIds),
    keywordIds: lists.flatMap(({ keywordIds = [] }) => keywordIds),
    edits: lists.flatMap(({ edits = [] }) => edits),
  }
}

function decidePlace(input: FileBugInput, known: KnownForFiling) {
  if (isBlank(input.product)) {
    throw fault(productMissing)
  }
  const product = requireDestination(known.products[0], input.product.trim())
  if (isBlank(input.component)) {
    throw fault(componentMissing)
  }
  const component = requireActive(known.components[0], 'component', input.component.trim(), product)
  const summary = normalizeSummary(input.summary)
  if (isBlank(input.version)) {
    throw fault(valueBlank, { field: 'version' })
  }
  const version = requireActive(known.versions[0], 'version', input.version.trim(), product)
  const milestone = decideMilestone(input, known, product)
  return { product, component, version, milestone, summary }
}

function decideMilestone(
  input: FileBugInput,
  { milestones }: KnownForFiling,
  product: KnownForFiling['products'][0],
): KnownForFiling['milestones'][0] {
  const [milestone] = milestones
  const given = input.target_milestone
  if (given !== undefined) {
    if (isBlank(given)) {
      throw fault(valueBlank, { field: 'target_milestone' })
    }
    return requireActive(milestone, 'milestone', given.trim(), product)
  }
  if (milestone === undefined) {
    throw new Error(`The product ${product.id} has no default milestone`)
  }
  return milestone
}

/** The component's template, unless the request has a description, even an empty one. */
function decideDescription(
  person: Person,
  settings: Settings,
  input: FileBugInput,
  template: string,
): NewComment {
  const isPrivate = input.comment_is_private ?? false
  const body = parseCommentBody(person, input.description ?? input.comment ?? template, isPrivate)
  return { body, isPrivate, isMarkdown: decideMarkdown(settings, undefined, true) }
}

function decideAlias(input: FileBugInput, { sameAlias }: KnownForFiling) {
  const alias = normalizeAlias(input.alias ?? null)
  assertAliasFree(alias ?? '', sameAlias)
  return { alias, aliasFold: alias === null ? null : fold(alias) }
}

function decideChoices(
  settings: Settings,
  input: FileBugInput,
  { values, types }: KnownForFiling,
  defaultTypeId: number | null,
) {
  const type = isBlank(input.type) ? undefined : input.type
  if (settings.REQUIRE_BUG_TYPE && (type === undefined || type.trim() === '--')) {
    const offered = (types ?? []).filter(({ name, isActive }) => isActive && name !== '--')
    throw fault(bugTypeRequired, { types: offered.map(({ name }) => name).join(', ') })
  }
  const idOf = (choice: Choice, given: string | undefined, fallback: string) =>
    (given === undefined
      ? requireDefault(values, choice, fallback)
      : requireChoice(values, choice, given)
    ).id
  const priority = settings.SUBMITTER_CHOOSES_PRIORITY ? input.priority : undefined
  return {
    typeId:
      type === undefined && defaultTypeId !== null
        ? defaultTypeId
        : idOf('type', type, settings.DEFAULT_BUG_TYPE),
    priorityId: idOf('priority', priority, settings.DEFAULT_PRIORITY),
    severityId: idOf('severity', input.severity, settings.DEFAULT_SEVERITY),
    platformId: idOf('platform', input.platform ?? input.rep_platform, settings.DEFAULT_PLATFORM),
    opSysId: idOf('op_sys', input.op_sys, settings.DEFAULT_OP_SYS),
  }
}

/** The component's people, unless somebody with editbugs names others. */
function decidePeople(
  input: FileBugInput,
  { people }: KnownForFiling,
  component: KnownForFiling['components'][0],
  mayName: boolean,
) {
  const idOf = (field: 'assigned_to' | 'qa_contact') => {
    const login = input[field]
    return mayName && !isBlank(login) ? requirePerson(people, field, login).id : undefined
  }
  return {
    assignedToId: idOf('assigned_to') ?? component.defaultAssigneeId,
    qaContactId: idOf('qa_contact') ?? component.defaultQaContactId,
  }
}

function filedVia(given: string | undefined): string {
  const name = given?.trim() || 'api'
  return FILED_VIA.includes(name) ? name : 'unknown'
}

function isBlank(text: string | undefined): text is undefined | '' {
  return text === undefined || text.trim() === ''
}
