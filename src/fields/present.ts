import { sortInNaturalOrder } from '../lib/natural-order.ts'
import type { FieldRows } from './get-load.ts'
import type { Field, FieldValue } from './shapes.ts'

type FieldRow = FieldRows['fields'][number]
type ValueRow = NonNullable<FieldRows['values']>[number]
type ControllerRow = NonNullable<FieldRows['controllers']>[number]
type PartRow = NonNullable<FieldRows['versions']>[number]

/**
 * The Field objects of the contract, in the order of the rows. Parts that were not read are empty and are
 * left for the selection to drop.
 */
export function presentFields(rows: FieldRows): Field[] {
  const visibleUnder = Map.groupBy(rows.visibility ?? [], (row) => row.fieldId)
  const valuesOf = valuesByField(rows)
  return rows.fields.map((row) => ({
    id: row.id,
    name: row.name,
    display_name: row.displayName,
    type: row.type,
    is_custom: row.isCustom,
    is_mandatory: row.isMandatory,
    is_on_bug_entry: row.isOnBugEntry,
    visibility_field: row.visibilityField,
    visibility_values: known(visibleUnder.get(row.id) ?? []),
    value_field: row.valueField,
    values: valuesOf(row),
  }))
}

/**
 * The values that a caller may know of, each with the values of the value field under which it is offered
 * (none: always). One that is offered under nothing but what is hidden from the caller is left out.
 */
export function offered<Value extends { readonly id: number }>(
  values: readonly Value[],
  controllers: readonly ControllerRow[],
): (Value & { readonly under: string[] })[] {
  const controllersOf = Map.groupBy(controllers, (row) => row.valueId)
  return values.flatMap((value) => {
    const all = controllersOf.get(value.id) ?? []
    const under = known(all)
    return all.length > 0 && under.length === 0 ? [] : [{ ...value, under }]
  })
}

function valuesByField(rows: FieldRows): (field: FieldRow) => FieldValue[] {
  const choices = Map.groupBy(
    offered(rows.values ?? [], rows.controllers ?? []),
    (value) => value.fieldId,
  )
  const movesFrom = Map.groupBy(rows.transitions ?? [], (row) => row.fromId)
  return (field) => {
    switch (field.name) {
      case 'keywords':
        return rows.keywords ?? []
      case 'classification':
        return (rows.classifications ?? []).map(({ name, sortKey }) => ranked(name, sortKey, []))
      case 'version':
        return byProductNaturally(rows.versions ?? []).map(presentPart)
      case 'component':
        return (rows.components ?? []).map(presentPart)
      case 'target_milestone':
        return (rows.milestones ?? []).map(presentPart)
      case 'bug_status':
        return (choices.get(field.id) ?? []).map((value) => ({
          ...presentChoice(value),
          is_open: value.isOpen,
          can_change_to: (movesFrom.get(value.id) ?? []).map((move) => ({
            name: move.name,
            comment_required: move.commentRequired,
          })),
        }))
      default:
        return (choices.get(field.id) ?? []).map(presentChoice)
    }
  }
}

function presentChoice(value: ValueRow & { readonly under: string[] }): FieldValue {
  const { name, sortKey, under, description } = value
  return { ...ranked(name, sortKey, under), ...(description === '' ? {} : { description }) }
}

/** One value of one product; a name that several products have stands there once for each. */
function presentPart(row: PartRow): FieldValue {
  return { ...ranked(row.name, row.sortKey, [row.product]), is_active: row.isActive }
}

function ranked(name: string, sortKey: number, visibleUnder: string[]) {
  return { name, sort_key: sortKey, sortkey: sortKey, visibility_values: visibleUnder }
}

function byProductNaturally(rows: readonly PartRow[]): PartRow[] {
  return [...Map.groupBy(rows, (row) => row.product).values()].flatMap(sortInNaturalOrder)
}

function known(rows: readonly { readonly controller: string | null }[]): string[] {
  return rows.flatMap(({ controller }) => controller ?? [])
}
