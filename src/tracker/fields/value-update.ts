import * as z from 'zod'
import type { Changes } from '../../platform/db/audit.ts'
import { commit } from '../../platform/db/commit.ts'
import { sql } from '../../platform/db/sql.ts'
import { recordUpdates } from '../../platform/db/write-audited.ts'
import { fault, objectProtected } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { changedObjects, text } from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { cleanBody, fold } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { abortIfControllersGone, joinControllerNames } from './control.ts'
import { parseValueName } from './definition.ts'
import { createValueFaults } from './faults.ts'
import {
  assertValueNameFree,
  describeUse,
  findControllers,
  findUse,
  type LoadedValues,
  loadValues,
  ownerRevisionStatements,
  requireValue,
} from './value.ts'
import {
  decideControllers,
  type ExistingValue,
  type ValuePlan,
  valueDetails,
  valueStatements,
} from './value-plan.ts'
import {
  assertStatusDetailsAllowed,
  assertWorkflowUsable,
  decideMoves,
  findProtectionReason,
  type MoveTarget,
  moveStatements,
  presentMoves,
  STATUS_FIELD,
  statusDetails,
} from './workflow.ts'

const updateValueInput = z.object({
  field: z.string(),
  value: z.string(),
  name: text(),
  ...valueDetails,
  ...statusDetails,
})

type Input = z.output<typeof updateValueInput>

/** The moves out of a status, and whether new bugs may have it. */
type StatusMoves = { readonly moves: readonly MoveTarget[]; readonly isInitial: boolean }

/** Renames, sorts, describes, closes or reopens a value, and changes the moves of a status; bugs keep it. */
export const updateValue = operation(
  {
    method: 'PUT',
    path: '/field/bug/:field/values/:value{.+}',
    summary: 'Change a value of a field, or where a status leads',
    reference: 'fields.md#change-a-value-of-a-field',
    input: updateValueInput,
    output: changedObjects('values'),
    faults: [...createValueFaults, objectProtected],
    requires: role('admin', 'change values of fields'),
    scope: 'write',
  },
  async (ctx, input) => {
    const loaded = await loadValues(ctx, {
      field: input.field,
      value: input.value,
      controllerNames: input.visibility_values ?? [],
      withUses: input.is_open !== undefined,
    })
    assertStatusDetailsAllowed(loaded.owner.name, input)
    const before = requireValue(loaded, input.value)
    const after = decideValue(input, before, loaded)
    assertChangeAllowed(ctx.settings, before, after, loaded)
    const movesBefore = findMoves(before, loaded)
    const movesAfter =
      loaded.owner.name === STATUS_FIELD ? decideStatusMoves(input, before, after, loaded) : null
    const changes = {
      ...diffFields(
        presentState(before, joinControllerNames(findControllers(loaded, before))),
        presentState(
          after,
          joinControllerNames(after.controllers ?? findControllers(loaded, before)),
        ),
      ),
      ...(movesAfter === null ? {} : diffMoves(movesBefore, movesAfter, loaded.values)),
    }
    if (Object.keys(changes).length > 0) {
      const id = sql`${before.id}`
      await commit(ctx, {
        owner: ownerRevisionStatements(loaded),
        values: valueStatements(sql`${loaded.owner.id}`, [after]),
        controllers: abortIfControllersGone(loaded.owner.valueField ?? '', after.controllers ?? []),
        moves:
          movesAfter === null
            ? []
            : moveStatements(id, movesAfter.moves, diffInitial(movesBefore, movesAfter)),
        audit: recordUpdates(ctx, 'FieldValue', [{ id: before.id, changes }]),
      })
    }
    return { values: [{ id: before.id, changes }] }
  },
)

function decideValue(input: Input, before: ExistingValue, loaded: LoadedValues): ValuePlan {
  const name =
    input.name === undefined ? before.name : parseValueName(loaded.owner.name, input.name)
  assertValueNameFree(loaded, name, before.id)
  return {
    id: before.id,
    name,
    sortKey: input.sort_key ?? before.sortKey,
    isActive: input.is_active ?? before.isActive,
    description:
      input.description === undefined ? before.description : cleanBody(input.description),
    isOpen: input.is_open ?? before.isOpen,
    revision: before.revision,
    controllers: decideControllers(
      loaded.owner,
      input.visibility_values,
      findControllers(loaded, before),
    ),
  }
}

function assertChangeAllowed(
  settings: Settings,
  before: ExistingValue,
  after: ValuePlan,
  loaded: LoadedValues,
): void {
  const protectedFault = (reason: string) =>
    fault(objectProtected, { kind: 'value', name: before.name, reason })
  const reason = findProtectionReason(loaded.owner.name, before.name, settings)
  const changesIsOpen = before.isOpen !== after.isOpen
  const losesNameOrUse =
    fold(after.name) !== before.nameFold || (before.isActive && !after.isActive)
  if (reason !== null && (losesNameOrUse || changesIsOpen)) {
    throw protectedFault(reason)
  }
  const use = findUse(loaded, before)
  if (changesIsOpen && use === 'bugs') {
    throw protectedFault(describeUse(use))
  }
}

function findMoves({ id }: ExistingValue, { transitions }: LoadedValues): StatusMoves {
  return {
    moves: transitions.filter(({ fromId, toId }) => fromId === id && toId !== id),
    isInitial: transitions.some(({ fromId, toId }) => fromId === null && toId === id),
  }
}

function decideStatusMoves(
  input: Input,
  before: ExistingValue,
  after: ValuePlan,
  loaded: LoadedValues,
): StatusMoves {
  const statuses = loaded.values.map((value) => (value.id === before.id ? after : value))
  const movesBefore = findMoves(before, loaded)
  const isInitial = input.can_be_initial ?? movesBefore.isInitial
  const initialIds = new Set(
    loaded.transitions
      .filter(({ fromId }) => fromId === null)
      .map(({ toId }): number | null => toId),
  )
  if (isInitial) {
    initialIds.add(before.id)
  } else {
    initialIds.delete(before.id)
  }
  assertWorkflowUsable(before, loaded.values, statuses, initialIds)
  return { moves: decideMoves(after, input.can_change_to, movesBefore.moves, statuses), isInitial }
}

function diffMoves(
  before: StatusMoves,
  after: StatusMoves,
  statuses: readonly ExistingValue[],
): Changes {
  const [textsBefore, textsAfter] = [
    presentMoves(before.moves, statuses),
    presentMoves(after.moves, statuses),
  ]
  const removed = textsBefore.filter((text) => !textsAfter.includes(text)).join(', ')
  const added = textsAfter.filter((text) => !textsBefore.includes(text)).join(', ')
  return {
    ...(removed === '' && added === '' ? {} : { can_change_to: { removed, added } }),
    ...diffFields({ can_be_initial: before.isInitial }, { can_be_initial: after.isInitial }),
  }
}

/** Null when it stays, because writing it would drop whether an initial status requires a comment. */
function diffInitial(before: StatusMoves, after: StatusMoves): boolean | null {
  return before.isInitial === after.isInitial ? null : after.isInitial
}

function presentState(value: ExistingValue | ValuePlan, controllerNames: string) {
  return {
    name: value.name,
    sort_key: value.sortKey,
    is_active: value.isActive,
    description: value.description,
    visibility_values: controllerNames,
    ...(value.isOpen === null ? {} : { is_open: value.isOpen }),
  }
}
