import { bugs as bugsTable } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import { fault, parameterUnknown, valueBlank } from '../../../platform/faults/fault.ts'
import { EMPTY_CHOICE, hasEmptyChoice } from '../../fields/empty-choice.ts'
import { findClosingLink, type Link } from '../edits/relations/loops.ts'
import { NEW_BUG } from '../edits/statements.ts'
import {
  type BugDecision,
  type Capability,
  capability,
  type FilingCapability,
  filingCapability,
  type NewBugDraft,
} from '../model/capability.ts'
import { dependencyLoop } from '../model/faults.ts'
import { CHOICES } from '../model/field-values.ts'
import { assertMayEdit } from '../model/permissions.ts'
import { isCustomField, isSameValue, parseCustomInput, parseNewCustomInput } from './input.ts'
import { loadCustom } from './load.ts'
import type { CustomValue } from './types.ts'
import {
  type Controllers,
  type CurrentValue,
  type CustomFieldDefinition,
  FieldValues,
  isChoice,
  isUnderController,
  type KnownCustom,
} from './values.ts'
import { type CustomCell, editCustom, isLink } from './write.ts'

/** Values of custom fields. Names of no field change nothing, as all unknown keys of an update do. */
export const customFieldsCapability: Capability = capability({
  input: {},

  isRequestedBy(parameter) {
    return isCustomField(parameter)
  },

  load({ person, bugs }, input) {
    const bugIds = sql`SELECT ${bugsTable.id} FROM bugs WHERE ${bugs.condition}`
    return loadCustom(person, parseCustomInput({ ...input }), bugIds)
  },

  decideAll(decisions, { input, known, person, settings }) {
    const values = new FieldValues(person, parseCustomInput({ ...input }), known)
    const byBug = Map.groupBy(known.customValues ?? [], ({ bugId }) => bugId)
    const storedControllers = new Map(
      (known.customControllers ?? []).map((row) => [row.bugId, row.values]),
    )
    const hiddenValues: { bugId: number; field: string }[] = []
    const cells = decisions.flatMap((decision) => {
      const bugId = decision.bug.id
      const all = byBug.get(bugId) ?? []
      const controllers = controllersAfter(storedControllers.get(bugId), decision, all, values)
      return values.fields.flatMap((field): CustomCell[] => {
        const own = all.filter(({ fieldId }) => fieldId === field.id)
        const current = own.filter(({ isVisible }) => isVisible)
        const next = values.valuesOf(field, controllers, current)
        if (isSameValue(current, next)) {
          return []
        }
        assertNotEmpty(field, next, controllers)
        const [removed, added] = [historyValue(field, current), historyValue(field, next)]
        assertMayEdit(decision, settings, field.name, { removed, added })
        if (current.length < own.length) {
          hiddenValues.push({ bugId, field: field.name })
        }
        return [cellOf(field, bugId, next)]
      })
    })
    const shared = mergeCells(cells)
    assertNoLoop(shared, known.customLinks ?? [])
    return {
      edits: cells.length > 0 ? [editCustom(shared)] : [],
      editedBugs: cells.flatMap(({ bugs }) => bugs),
      unused: Object.keys(input).filter((key) => isCustomField(key) && !values.hasField(key)),
      hiddenValues,
    }
  },
})

/**
 * Custom fields of a new bug. Unlike an update, this refuses names of no field, and empty mandatory fields
 * that the form shows.
 */
export const customFieldsOfNewBug: FilingCapability = filingCapability({
  input: {},

  load({ person }, input) {
    return loadCustom(person, parseNewCustomInput({ ...input }), null)
  },

  decide({ input, known, person, draft }) {
    const requested = parseNewCustomInput({ ...input })
    const values = new FieldValues(person, requested, known)
    const { fields } = values
    const unknown = Object.keys(requested).find((name) => !values.hasField(name))
    if (unknown !== undefined) {
      throw fault(parameterUnknown, { field: unknown })
    }
    const controllers = values.withOwnChoices(controllersIn(draft))
    for (const field of known.customFields ?? []) {
      if (field.isMandatory && field.isOnBugEntry && !field.isObsolete) {
        assertNotEmpty(field, values.valuesOf(field, controllers, []), controllers)
      }
    }
    const cells = fields.flatMap((field): CustomCell[] => {
      const next = values.valuesOf(field, controllers, [])
      return next.length > 0 ? [cellOf(field, NEW_BUG, next)] : []
    })
    return { edits: cells.length > 0 ? [editCustom(cells)] : [] }
  },
})

/** The values of a new bug on which fields may depend, by the internal names of their fields. */
function controllersIn({ product, row }: NewBugDraft): Map<string, number[]> {
  return new Map([
    ['classification', [product.classificationId]],
    ['product', [row.productId]],
    ['component', [row.componentId]],
    ['bug_status', [row.statusId]],
    ['resolution', [row.resolutionId]],
    ['bug_type', [row.typeId]],
    ['priority', [row.priorityId]],
    ['bug_severity', [row.severityId]],
    ['rep_platform', [row.platformId]],
    ['op_sys', [row.opSysId]],
  ])
}

/** The values of a bug on which fields depend, as they are once the request is carried out. */
function controllersAfter(
  stored: Readonly<Record<string, number>> = {},
  { changes }: BugDecision,
  current: readonly CurrentValue[],
  values: FieldValues,
): Controllers {
  const internalNames: Readonly<Record<string, string>> = { ...CHOICES, status: 'bug_status' }
  const ids = new Map(Object.entries(stored).map(([name, id]) => [name, [id]]))
  for (const { field, value } of changes) {
    const name = internalNames[field] ?? field
    if (ids.has(name) && typeof value === 'number') {
      ids.set(name, [value])
    }
  }
  for (const [name, rows] of Map.groupBy(current, ({ fieldName }) => fieldName)) {
    ids.set(
      name,
      rows.flatMap(({ valueId }) => valueId ?? []),
    )
  }
  return values.withOwnChoices(ids)
}

function historyValue(
  { type }: CustomFieldDefinition,
  values: readonly { readonly historyValue: string }[],
): string {
  return values.length === 0 && hasEmptyChoice({ isCustom: true, type })
    ? EMPTY_CHOICE
    : values.map((value) => value.historyValue).join(', ')
}

/** Refuses a mandatory field that is shown and would be empty, where there is a choice. */
function assertNotEmpty(
  field: CustomFieldDefinition,
  next: readonly CustomValue[],
  controllers: Controllers,
): void {
  const isShown = isUnderController(field.visibilityField, field.shownUnder, controllers)
  if (next.length === 0 && field.isMandatory && isShown && (!isChoice(field) || field.hasChoices)) {
    throw fault(valueBlank, { field: field.name })
  }
}

/** Refuses a link from a bug to itself, even through others. */
function assertNoLoop(
  cells: readonly CustomCell[],
  links: NonNullable<KnownCustom['customLinks']>,
): void {
  for (const [fieldId, same] of Map.groupBy(cells.filter(isLink), (cell) => cell.fieldId)) {
    const set = new Set(same.flatMap(({ bugs }) => bugs))
    const remaining = links.filter((link) => link.fieldId === fieldId && !set.has(link.from))
    const added = same.flatMap(({ bugs, values }) =>
      bugs.flatMap((bug) => values.map(({ number = 0 }): Link => [bug, number])),
    )
    const closing = findClosingLink(
      remaining.map(({ from, to }): Link => [from, to]),
      [],
      added,
    )
    if (closing !== undefined) {
      throw fault(dependencyLoop, { field: same[0]?.field ?? '' })
    }
  }
}

function cellOf(
  field: CustomFieldDefinition,
  bugId: number,
  values: readonly CustomValue[],
): CustomCell {
  return { bugs: [bugId], fieldId: field.id, field: field.name, type: field.type, values }
}

/** Joins the cells of bugs whose field gets the same, so that a long text is sent once. */
function mergeCells(cells: readonly CustomCell[]): CustomCell[] {
  const alike = Map.groupBy(cells, (cell) => JSON.stringify([cell.fieldId, cell.values]))
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map((cell) => ({ ...cell, bugs: same.flatMap(({ bugs }) => bugs) })),
  )
}
