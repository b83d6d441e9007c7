import { sortInNaturalOrder } from '../../platform/lib/natural-order.ts'
import { EMPTY_CHOICE, hasEmptyChoice } from './empty-choice.ts'
import type { FieldRows } from './get-load.ts'
import type { Field, FieldValue } from './shapes.ts'

type FieldRow = FieldRows['fields'][number]
type ValueRow = NonNullable<FieldRows['values']>[number]
type ControllerRow = NonNullable<FieldRows['controllers']>[number]
type PartRow = NonNullable<FieldRows['versions']>[number]

/**
 * Presents fields in the order of the rows. Parts that were not read are empty; the selection of fields drops
 * them.
 */
export function presentFields(rows: FieldRows): Field[] {
  const controllersOf = Map.groupBy(rows.visibility ?? [], (row) => row.fieldId)
  const valuesOf = rows.values === undefined ? () => [] : presentValuesByField(rows)
  return rows.fields.map((row) => ({
    id: row.id,
    name: row.name,
    display_name: row.displayName,
    type: row.type,
    is_custom: row.isCustom,
    is_mandatory: row.isMandatory,
    is_on_bug_entry: row.isOnBugEntry,
    visibility_field: row.visibilityField,
    visibility_values: collectControllerNames(controllersOf.get(row.id) ?? []),
    value_field: row.valueField,
    values: valuesOf(row),
  }))
}

/**
 * Adds to each value the names of its controllers; a value without controllers is always offered. Values whose
 * controllers are all hidden from the caller are left out.
 */
export function filterOfferedValues<Value extends { readonly id: number }>(
  values: readonly Value[],
  controllers: readonly ControllerRow[],
): (Value & { readonly controllerNames: string[] })[] {
  const controllersOf = Map.groupBy(controllers, (row) => row.valueId)
  return values.flatMap((value) => {
    const rows = controllersOf.get(value.id) ?? []
    const controllerNames = collectControllerNames(rows)
    return rows.length > 0 && controllerNames.length === 0 ? [] : [{ ...value, controllerNames }]
  })
}

function presentValuesByField(rows: FieldRows): (field: FieldRow) => FieldValue[] {
  const listValuesOf = Map.groupBy(
    filterOfferedValues(rows.values ?? [], rows.controllers ?? []),
    (value) => value.fieldId,
  )
  const transitionsFrom = Map.groupBy(rows.transitions ?? [], (row) => row.fromId)
  return (field) => {
    switch (field.name) {
      case 'keywords':
        return rows.keywords ?? []
      case 'classification':
        return (rows.classifications ?? []).map(({ name, sortKey }) =>
          presentValue(name, sortKey, []),
        )
      case 'version':
        return sortVersions(rows.versions ?? []).map(presentPart)
      case 'component':
        return (rows.components ?? []).map(presentPart)
      case 'target_milestone':
        return (rows.milestones ?? []).map(presentPart)
      case 'bug_status':
        return (listValuesOf.get(field.id) ?? []).map((value) => ({
          ...presentListValue(value),
          is_open: value.isOpen,
          can_change_to: (transitionsFrom.get(value.id) ?? []).map((transition) => ({
            name: transition.name,
            comment_required: transition.commentRequired,
          })),
        }))
      default:
        return [
          ...(hasEmptyChoice(field) ? [presentValue(EMPTY_CHOICE, 0, [])] : []),
          ...(listValuesOf.get(field.id) ?? []).map(presentListValue),
        ]
    }
  }
}

function presentListValue(value: ValueRow & { readonly controllerNames: string[] }): FieldValue {
  const { name, sortKey, controllerNames, description } = value
  return {
    ...presentValue(name, sortKey, controllerNames),
    ...(description === '' ? {} : { description }),
  }
}

/** Presents a version, component or milestone; one name may occur once for each product. */
function presentPart(row: PartRow): FieldValue {
  return { ...presentValue(row.name, row.sortKey, [row.product]), is_active: row.isActive }
}

function presentValue(name: string, sortKey: number, controllerNames: string[]) {
  return { name, sort_key: sortKey, sortkey: sortKey, visibility_values: controllerNames }
}

function sortVersions(rows: readonly PartRow[]): PartRow[] {
  return [...Map.groupBy(rows, (row) => row.product).values()].flatMap(sortInNaturalOrder)
}

function collectControllerNames(rows: readonly { readonly controller: string | null }[]): string[] {
  return rows.flatMap(({ controller }) => controller ?? [])
}
