import type { Person } from '../access/caller.ts'
import { acceptedBody, type NewComment } from '../comments/plan.ts'
import type { bugs } from '../db/schema/bugs.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import type { FileBugInput } from './file-input.ts'
import type { Known } from './file-load.ts'
import { chosen, personNamed } from './lookup.ts'
import { groupsOfNewBug, rightsIn } from './restrict.ts'
import { acceptedAlias, acceptedSummary, acceptedUrl, acceptedWhiteboard } from './texts.ts'
import { startOf } from './workflow.ts'

/** A bug that is ready to be written. */
export type NewBug = {
  readonly row: typeof bugs.$inferInsert
  readonly groupIds: readonly number[]
  readonly ccIds: readonly number[]
  readonly keywordIds: readonly number[]
  readonly description: NewComment
}

const FILED_VIA = ['standard_form', 'custom_form', 'api']

/**
 * Decides what a new bug will be, or throws the first fault of the contract's Create Bug table: product,
 * component, summary, version, then everything else. Fields that the caller may not set become defaults.
 */
export function decideNewBug(
  person: Person,
  settings: Settings,
  input: FileBugInput,
  known: Known,
  now: number,
): NewBug {
  const place = decidePlace(input, known)
  const rights = rightsIn(person, known.controls)
  const mayAssign = rights.editBugs
  const start = startOf({
    statuses: known.statuses,
    hasUnconfirmed: place.product.hasUnconfirmed,
    mayChoose: rights.editBugs || rights.canConfirm,
    status: input.status,
    resolution: input.resolution,
    resolutions: known.values.filter((value) => value.field === 'resolution'),
  })
  const isPrivate = input.comment_is_private ?? false
  const url = acceptedUrl(input.url ?? '')
  const whiteboard = acceptedWhiteboard(input.whiteboard ?? '')
  return {
    row: {
      ...place.columns,
      ...decideAlias(input, known),
      ...decideChoices(settings, input, known, place.defaultTypeId),
      ...start,
      assignedToId:
        mayAssign && input.assigned_to !== undefined
          ? personNamed(known.people, 'assigned_to', input.assigned_to).id
          : place.component.defaultAssigneeId,
      qaContactId:
        mayAssign && input.qa_contact !== undefined
          ? qaContact(known, input.qa_contact)
          : place.component.defaultQaContactId,
      reporterId: person.id,
      isCcAccessible: input.is_cc_accessible ?? true,
      isCreatorAccessible: input.is_creator_accessible ?? true,
      url,
      urlFold: fold(url),
      whiteboard,
      whiteboardFold: fold(whiteboard),
      filedVia: filedVia(input.filed_via),
      createdAt: now,
      changedAt: now,
    },
    groupIds: groupsOfNewBug(person, place.product.name, known.controls, input.groups),
    ccIds: ccOf(input, known, place.component.defaultCc),
    keywordIds: (input.keywords ?? []).map((name) => keywordId(known, name)),
    description: {
      body: acceptedBody(person, input.description ?? input.comment ?? '', isPrivate),
      isPrivate,
      isMarkdown: true,
    },
  }
}

function decidePlace(input: FileBugInput, known: Known) {
  const product = known.products[0]
  if (product === undefined || product.isEnterable !== 1) {
    throw deniedProduct(input, product)
  }
  if (input.component === undefined || input.component.trim() === '') {
    throw fault('componentMissing')
  }
  const component = active(known.components[0], 'component', input.component, product.name)
  const summary = acceptedSummary(input.summary)
  if (input.version === undefined || input.version.trim() === '') {
    throw fault('valueBlank', { field: 'version' })
  }
  const version = active(known.versions[0], 'version', input.version, product.name)
  const wantedMilestone = input.target_milestone
  if (wantedMilestone !== undefined && wantedMilestone.trim() === '') {
    throw fault('valueBlank', { field: 'target_milestone' })
  }
  const milestone =
    wantedMilestone === undefined
      ? known.milestones[0]
      : active(known.milestones[0], 'milestone', wantedMilestone, product.name)
  if (milestone === undefined) {
    throw new Error(`The product ${product.id} has no default milestone`)
  }
  return {
    product,
    component,
    defaultTypeId: component.defaultTypeId ?? product.defaultTypeId,
    columns: {
      productId: product.id,
      componentId: component.id,
      versionId: version.id,
      milestoneId: milestone.id,
      summary,
      summaryFold: fold(summary),
    },
  }
}

/** Unknown and forbidden products answer alike; that one is closed is told to who may see it. */
function deniedProduct(input: FileBugInput, product: Known['products'][0] | undefined) {
  const name = input.product?.trim() ?? ''
  return product !== undefined && product.isSelectable === 1 && !product.isActive
    ? fault('productClosed', { product: product.name })
    : fault('productDenied', { product: name })
}

function active<Part extends { isActive: boolean }>(
  part: Part | undefined,
  kind: string,
  name: string,
  product: string,
): Part {
  if (part === undefined) {
    throw fault('productPartUnknown', { kind, name, product })
  }
  if (!part.isActive) {
    throw fault('productPartInactive', { kind, name, product })
  }
  return part
}

function decideChoices(
  settings: Settings,
  input: FileBugInput,
  { values, types }: Known,
  defaultTypeId: number | null,
) {
  const type = input.type?.trim() === '' ? undefined : input.type
  if (settings.REQUIRE_BUG_TYPE && (type === undefined || type === '--')) {
    throw fault('bugTypeRequired', { types: (types ?? []).map(({ name }) => name).join(', ') })
  }
  const priority = settings.SUBMITTER_CHOOSES_PRIORITY ? input.priority : undefined
  return {
    typeId:
      type === undefined && defaultTypeId !== null
        ? defaultTypeId
        : chosen(values, 'type', type ?? settings.DEFAULT_BUG_TYPE).id,
    priorityId: chosen(values, 'priority', priority ?? settings.DEFAULT_PRIORITY).id,
    severityId: chosen(values, 'severity', input.severity ?? settings.DEFAULT_SEVERITY).id,
    platformId: chosen(
      values,
      'platform',
      input.platform ?? input.rep_platform ?? settings.DEFAULT_PLATFORM,
    ).id,
    opSysId: chosen(values, 'op_sys', input.op_sys ?? settings.DEFAULT_OP_SYS).id,
  }
}

function decideAlias(input: FileBugInput, { sameAlias }: Known) {
  const alias = acceptedAlias(input.alias ?? null)
  if (alias !== null && sameAlias !== undefined && sameAlias.length > 0) {
    throw fault('aliasInvalid', { alias, reason: 'is taken by another bug' })
  }
  return { alias, aliasFold: alias === null ? null : fold(alias) }
}

function qaContact({ people }: Known, login: string): number | null {
  return login.trim() === '' ? null : personNamed(people, 'qa_contact', login).id
}

function ccOf(input: FileBugInput, { people }: Known, defaults: string): number[] {
  const named = (input.cc ?? [])
    .filter((login) => login.trim() !== '')
    .map((login) => personNamed(people, 'cc', login).id)
  return [...new Set([...named, ...(JSON.parse(defaults) as number[])])]
}

function keywordId({ keywords }: Known, name: string): number {
  const keyword = keywords.find((one) => one.nameFold === fold(name))
  if (keyword === undefined || !keyword.isActive) {
    throw fault('keywordUnknown', { name })
  }
  return keyword.id
}

function filedVia(given: string | undefined): string {
  const name = given === undefined || given.trim() === '' ? 'api' : given.trim()
  return FILED_VIA.includes(name) ? name : 'unknown'
}
