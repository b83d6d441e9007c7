import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { commit, retryOnConflict } from '../db/commit.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, text } from '../http/shapes.ts'
import { diffFields } from '../lib/differences.ts'
import { cleanBody, fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import { listed, whileThere } from './control.ts'
import { valueName } from './definition.ts'
import { heldUnder, type Known, loadValues, stepOwner, toldUse, useOf, valueIn } from './value.ts'
import {
  type Existing,
  offeredUnder,
  type Planned,
  valueDetails,
  writeValues,
} from './value-plan.ts'
import {
  type Move,
  movesFrom,
  neededFor,
  refuseBrokenWorkflow,
  refuseStatusDetails,
  STATUS_FIELD,
  statusDetails,
  toldMoves,
  writeMoves,
} from './workflow.ts'

export const updateValueInput = z.object({
  field: z.string(),
  value: z.string(),
  name: text(),
  ...valueDetails,
  ...statusDetails,
})
export const updateValueOutput = z.strictObject({
  values: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

type Input = z.output<typeof updateValueInput>

/** What becomes of a status beside what every value has. */
type Steps = { readonly moves: readonly Move[]; readonly isInitial: boolean }

/**
 * PUT /field/bug/{field}/values/{value}: renames, sorts, describes, closes or reopens a value, and says
 * where a status leads; bugs that have it follow. Administration API "Fields, values, workflow". Faults as
 * for a new one, 51 for a value that does not exist, and 32000 for what the service cannot do without.
 */
export async function updateValue(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'admin', 'change values of fields')
  return retryOnConflict(ctx, async (ctx) => {
    const { field, value: asked, visibility_values: under = [] } = input
    const use = input.is_open !== undefined
    const known = await loadValues(ctx, { field, value: asked, under, use })
    refuseStatusDetails(known.owner.name, input)
    const before = valueIn(known, asked)
    const after = afterwards(input, before, known)
    refuseLoss(ctx.settings, before, after, known)
    const held = stepsBefore(before, known)
    const steps = known.owner.name === STATUS_FIELD ? stepsAfter(input, before, after, known) : null
    const changes = {
      ...diffFields(
        toldValue(before, listed(heldUnder(known, before))),
        toldValue(after, listed(after.under ?? heldUnder(known, before))),
      ),
      ...(steps === null ? {} : changedSteps(held, steps, known.values)),
    }
    if (Object.keys(changes).length > 0) {
      const id = sql`${before.id}`
      await commit(ctx, {
        owner: stepOwner(known),
        values: writeValues(sql`${known.owner.id}`, [after]),
        controllers: whileThere(known.owner.valueField ?? '', after.under ?? []),
        moves: steps === null ? [] : writeMoves(id, steps.moves, startOf(held, steps)),
        audit: auditStatement({
          by: caller.id,
          at: ctx.now,
          objectClass: 'FieldValue',
          objectId: before.id,
          action: 'update',
          changes,
        }),
      })
    }
    return { values: [{ id: before.id, changes }] }
  })
}

function afterwards(input: Input, before: Existing, known: Known): Planned {
  const name = input.name === undefined ? before.name : valueName(known.owner.name, input.name)
  if (known.values.some(({ id, nameFold }) => nameFold === fold(name) && id !== before.id)) {
    throw fault('nameTaken', { kind: 'value', name })
  }
  return {
    id: before.id,
    name,
    sortKey: input.sort_key ?? before.sortKey,
    isActive: input.is_active ?? before.isActive,
    description:
      input.description === undefined ? before.description : cleanBody(input.description),
    isOpen: input.is_open ?? before.isOpen,
    revision: before.revision,
    under: offeredUnder(known.owner, input.visibility_values, heldUnder(known, before)),
  }
}

function refuseLoss(settings: Settings, before: Existing, after: Planned, known: Known): void {
  const refuse = (reason: string) =>
    fault('objectProtected', { kind: 'value', name: before.name, reason })
  const needed = neededFor(known.owner.name, before.name, settings)
  const opens = before.isOpen !== after.isOpen
  const loses = fold(after.name) !== before.nameFold || (before.isActive && !after.isActive)
  if (needed !== null && (loses || opens)) {
    throw refuse(needed)
  }
  const use = useOf(known, before)
  if (opens && use === 'bugs') {
    throw refuse(toldUse(use))
  }
}

function stepsBefore({ id }: Existing, { edges }: Known): Steps {
  return {
    moves: edges.filter(({ fromId, toId }) => fromId === id && toId !== id),
    isInitial: edges.some(({ fromId, toId }) => fromId === null && toId === id),
  }
}

function stepsAfter(input: Input, before: Existing, after: Planned, known: Known): Steps {
  const statuses = known.values.map((one) => (one.id === before.id ? after : one))
  const held = stepsBefore(before, known)
  const isInitial = input.can_be_initial ?? held.isInitial
  const initial = new Set(
    known.edges.filter(({ fromId }) => fromId === null).map(({ toId }): number | null => toId),
  )
  if (isInitial) {
    initial.add(before.id)
  } else {
    initial.delete(before.id)
  }
  refuseBrokenWorkflow(before, known.values, statuses, initial)
  return { moves: movesFrom(after, input.can_change_to, held.moves, statuses), isInitial }
}

function changedSteps(before: Steps, after: Steps, statuses: readonly Existing[]): Changes {
  const [had, has] = [toldMoves(before.moves, statuses), toldMoves(after.moves, statuses)]
  const removed = had.filter((move) => !has.includes(move)).join(', ')
  const added = has.filter((move) => !had.includes(move)).join(', ')
  return {
    ...(removed === '' && added === '' ? {} : { can_change_to: { removed, added } }),
    ...diffFields({ can_be_initial: before.isInitial }, { can_be_initial: after.isInitial }),
  }
}

/** Null while nothing changes: a start may ask for a comment, and goes on asking. */
function startOf(before: Steps, after: Steps): boolean | null {
  return before.isInitial === after.isInitial ? null : after.isInitial
}

function toldValue(value: Existing | Planned, under: string) {
  return {
    name: value.name,
    sort_key: value.sortKey,
    is_active: value.isActive,
    description: value.description,
    visibility_values: under,
    ...(value.isOpen === null ? {} : { is_open: value.isOpen }),
  }
}
