import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import { SELECT_TYPES } from '../../platform/db/schema/fields.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { EMPTY_CHOICE, hasEmptyChoice } from '../../tracker/fields/empty-choice.ts'
import { type FieldRows, selectFieldsWithValues } from '../../tracker/fields/get-load.ts'
import { toInternalName, toPublicName } from '../../tracker/fields/names.ts'
import { filterOfferedValues } from '../../tracker/fields/present.ts'
import {
  DEFAULT_VALUE_SETTINGS,
  STATUS_FIELD,
  selectInitialStatuses,
} from '../../tracker/fields/workflow.ts'

export const fieldMapShape = z.record(
  z.string(),
  z.strictObject({
    description: z.string(),
    is_active: z.boolean(),
    type: z.int(),
    /** The values to choose from, for fields with a list. */
    values: z.array(z.string()).optional(),
    default: z.string().optional(),
    is_on_bug_entry: z.boolean().optional(),
    open: z.array(z.string()).optional(),
    closed: z.array(z.string()).optional(),
    /** The moves of the workflow; `{Start}` is the origin of new bugs. */
    transitions: z.record(z.string(), z.array(z.string())).optional(),
  }),
)

type FieldConfiguration = z.output<typeof fieldMapShape>[string]
type FieldRow = FieldRows['fields'][number]
type ValueRow = NonNullable<FieldRows['values']>[number]

export type FieldConfigurationRows = Pick<
  FieldRows,
  'values' | 'controllers' | 'transitions' | 'keywords'
> & {
  readonly fields?: FieldRows['fields']
  readonly starts?: readonly { readonly name: string }[]
}

/** Selects fields, the values that belong to no product, and the workflow, for one `readBatch`; `names` null for all. */
export function selectFieldConfiguration(caller: Caller, names: readonly string[] | null) {
  const parts = { visibility: false, values: true, transitions: true }
  const { fields, values, controllers, transitions, keywords } = selectFieldsWithValues(
    caller,
    names && { ids: [], names: names.map(toInternalName) },
    parts,
  )
  return { fields, values, controllers, transitions, keywords, starts: selectInitialStatuses() }
}

/** Maps the names that fields have in bugs to the fields that are not obsolete. */
export function mapFields(
  rows: FieldConfigurationRows,
  settings: Settings,
): z.output<typeof fieldMapShape> {
  const offeredValues = filterOfferedValues(rows.values ?? [], rows.controllers ?? [])
  const choices = Map.groupBy(
    offeredValues.filter((value) => value.isActive),
    (value) => value.fieldId,
  )
  const presentField = (field: FieldRow): FieldConfiguration => {
    const values = choices.get(field.id) ?? []
    const setting = DEFAULT_VALUE_SETTINGS[field.name]
    return {
      description: field.displayName,
      is_active: true,
      type: field.type,
      ...presentValues(field, values, rows),
      ...(setting === undefined ? {} : { default: settings[setting] }),
      ...(field.isCustom ? { is_on_bug_entry: field.isOnBugEntry } : {}),
      ...(field.name === STATUS_FIELD ? presentWorkflow(values, rows) : {}),
    }
  }
  return Object.fromEntries(
    (rows.fields ?? []).map((field) => [toPublicName(field.name), presentField(field)]),
  )
}

function presentValues(
  field: FieldRow,
  values: readonly ValueRow[],
  { keywords }: FieldConfigurationRows,
) {
  if (field.name === 'keywords') {
    return { values: (keywords ?? []).map(({ name = '' }) => name) }
  }
  const belongsToProduct = ['product', 'component', 'classification'].includes(field.name)
  const isList = SELECT_TYPES.includes(field.type) && !belongsToProduct
  const empty = hasEmptyChoice(field) ? [EMPTY_CHOICE] : []
  return isList ? { values: [...empty, ...values.map(({ name }) => name)] } : {}
}

function presentWorkflow(statuses: readonly ValueRow[], rows: FieldConfigurationRows) {
  const statusNames = (isOpen: boolean) =>
    statuses.filter((status) => status.isOpen === isOpen).map(({ name }) => name)
  const movesFrom = Map.groupBy(rows.transitions ?? [], ({ fromId }) => fromId)
  const moves = statuses.map(({ id, name }): [string, string[]] => [
    name,
    (movesFrom.get(id) ?? []).map((move) => move.name),
  ])
  const starts = (rows.starts ?? []).map(({ name }) => name)
  return {
    open: statusNames(true),
    closed: statusNames(false),
    transitions: Object.fromEntries([['{Start}', starts], ...moves]),
  }
}
