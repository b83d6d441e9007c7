import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { SELECT_TYPES } from '../db/schema/fields.ts'
import { type FieldRows, selectFieldsWithValues } from '../fields/get-load.ts'
import { toPublicName } from '../fields/names.ts'
import { filterOfferedValues } from '../fields/present.ts'
import { STATUS_FIELD, selectInitialStatuses } from '../fields/workflow.ts'
import type { Settings } from '../settings.ts'

export const fieldMap = z.record(
  z.string(),
  z.strictObject({
    description: z.string(),
    is_active: z.boolean(),
    type: z.int(),
    /** Of fields with a list: what may be chosen. */
    values: z.array(z.string()).optional(),
    default: z.string().optional(),
    is_on_bug_entry: z.boolean().optional(),
    open: z.array(z.string()).optional(),
    closed: z.array(z.string()).optional(),
    /** From each status to those that it leads to; new bugs come from `{Start}`. */
    transitions: z.record(z.string(), z.array(z.string())).optional(),
  }),
)

type ShownField = z.output<typeof fieldMap>[string]
type FieldRow = FieldRows['fields'][number]
type ValueRow = NonNullable<FieldRows['values']>[number]

export type TermRows = Pick<FieldRows, 'values' | 'controllers' | 'transitions' | 'keywords'> & {
  readonly fields?: FieldRows['fields']
  readonly starts?: readonly { readonly name: string }[]
}

/** The settings that name the value of a new bug, by the internal names of the fields. */
const DEFAULTS: Readonly<Record<string, keyof Settings>> = {
  bug_type: 'DEFAULT_BUG_TYPE',
  priority: 'DEFAULT_PRIORITY',
  bug_severity: 'DEFAULT_SEVERITY',
  rep_platform: 'DEFAULT_PLATFORM',
  op_sys: 'DEFAULT_OP_SYS',
}

/** The reads that tell of fields, of values that belong to no product, and of the workflow. */
export function termReadings(caller: Caller) {
  const wanted = { visibility: false, values: true, transitions: true }
  const { fields, values, controllers, transitions, keywords } = selectFieldsWithValues(
    caller,
    null,
    wanted,
  )
  return { fields, values, controllers, transitions, keywords, starts: selectInitialStatuses() }
}

/** The fields that are not obsolete, by the names that bugs show them under. */
export function mapFields(rows: TermRows, settings: Settings): z.output<typeof fieldMap> {
  const known = filterOfferedValues(rows.values ?? [], rows.controllers ?? [])
  const choices = Map.groupBy(
    known.filter((value) => value.isActive),
    (value) => value.fieldId,
  )
  const show = (field: FieldRow): ShownField => {
    const values = choices.get(field.id) ?? []
    const setting = DEFAULTS[field.name]
    return {
      description: field.displayName,
      is_active: true,
      type: field.type,
      ...valuesShown(field, values, rows),
      ...(setting === undefined ? {} : { default: String(settings[setting]) }),
      ...(field.isCustom ? { is_on_bug_entry: field.isOnBugEntry } : {}),
      ...(field.name === STATUS_FIELD ? workflowShown(values, rows) : {}),
    }
  }
  return Object.fromEntries(
    (rows.fields ?? []).map((field) => [toPublicName(field.name), show(field)]),
  )
}

function valuesShown(field: FieldRow, values: readonly ValueRow[], { keywords }: TermRows) {
  if (field.name === 'keywords') {
    return { values: (keywords ?? []).map(({ name = '' }) => name) }
  }
  const ofProducts = ['product', 'component', 'classification'].includes(field.name)
  const isList = SELECT_TYPES.includes(field.type) && !ofProducts
  return isList ? { values: values.map(({ name }) => name) } : {}
}

function workflowShown(statuses: readonly ValueRow[], rows: TermRows) {
  const named = (isOpen: boolean) =>
    statuses.filter((status) => status.isOpen === isOpen).map(({ name }) => name)
  const movesFrom = Map.groupBy(rows.transitions ?? [], ({ fromId }) => fromId)
  const moves = statuses.map(({ id, name }): [string, string[]] => [
    name,
    (movesFrom.get(id) ?? []).map((move) => move.name),
  ])
  const starts = (rows.starts ?? []).map(({ name }) => name)
  return {
    open: named(true),
    closed: named(false),
    transitions: Object.fromEntries([['{Start}', starts], ...moves]),
  }
}
