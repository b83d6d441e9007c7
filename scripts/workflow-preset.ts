import { compile } from '../src/platform/db/compile.ts'
import { Fault } from '../src/platform/faults/fault.ts'
import { presetStatements } from '../src/tracker/fields/presets/apply.ts'
import { describePlan, planPreset } from '../src/tracker/fields/presets/plan.ts'
import {
  isPresetName,
  listPresetNames,
  type PresetName,
} from '../src/tracker/fields/presets/presets.ts'
import { STATUS_FIELD } from '../src/tracker/fields/workflow.ts'
import { CommandError } from './command.ts'
import type { Statement, StatementRunner } from './statement-runner.ts'

const STATUS_FIELD_ROW: Statement = {
  sql: 'SELECT id, revision FROM fields WHERE name = ?',
  params: [STATUS_FIELD],
}

const STATUS_ROWS: Statement = {
  sql: `SELECT v.* FROM field_values v JOIN fields f ON f.id = v.field_id WHERE f.name = ?
    ORDER BY v.sort_key, v.name_fold`,
  params: [STATUS_FIELD],
}

const MOVE_ROWS: Statement = { sql: 'SELECT from_id, to_id FROM status_transitions', params: [] }

/** Returns the name of a preset. Throws a CommandError that lists the presets for another text. */
export function requirePresetName(name: string): PresetName {
  if (!isPresetName(name)) {
    throw new CommandError(`--workflow must be one of: ${listPresetNames()}.`)
  }
  return name
}

/**
 * Adds what the workflow of a database lacks of a preset, as PUT /workflow does, and returns a sentence about
 * it. Throws a CommandError for a status that is open here and closed there. `now` is in Unix seconds.
 */
export async function applyPresetTo(
  { select, run }: StatementRunner,
  name: PresetName,
  now: number,
): Promise<string> {
  const [owner] = await select(STATUS_FIELD_ROW)
  const statuses = await select(STATUS_ROWS)
  const moves = await select(MOVE_ROWS)
  const present = {
    statuses: statuses.map(readStatus),
    transitions: moves.map((row) => ({
      fromId: row.from_id === null ? null : Number(row.from_id),
      toId: Number(row.to_id),
      commentRequired: false,
    })),
  }
  const plan = planOrRefuse(name, present)
  const changed = describePlan(plan, present).map((status) => status.name)
  if (changed.length === 0) {
    return `The workflow has everything of '${name}' already.`
  }
  const field = { id: Number(owner?.id), revision: Number(owner?.revision) }
  const statements = presetStatements(plan, present, { owner: field, by: null, at: now })
  await run(statements.map((statement) => compile(statement) as Statement))
  return `Added the workflow '${name}'. Statuses that are new or changed: ${changed.join(', ')}.`
}

function readStatus(row: Record<string, unknown>) {
  return {
    id: Number(row.id),
    name: String(row.name),
    nameFold: String(row.name_fold),
    sortKey: Number(row.sort_key),
    isActive: row.is_active === 1,
    description: String(row.description),
    isOpen: row.is_open === null ? null : row.is_open === 1,
    revision: Number(row.revision),
  }
}

function planOrRefuse(...[name, present]: Parameters<typeof planPreset>) {
  try {
    return planPreset(name, present)
  } catch (error) {
    throw error instanceof Fault ? new CommandError(error.message) : error
  }
}
