import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type BugRef, resolveBugs } from '../../../platform/access/bug-set.ts'
import type { Caller } from '../../../platform/access/caller.ts'
import { jsonSelect } from '../../../platform/db/json-select.ts'
import { bugs, customValues } from '../../../platform/db/schema/bugs.ts'
import {
  fields,
  fieldValues,
  fieldVisibility,
  valueVisibility,
} from '../../../platform/db/schema/fields.ts'
import { products } from '../../../platform/db/schema/products.ts'
import {
  aliasColumns,
  anyOf,
  columnName,
  db,
  jsonList,
  jsonRows,
  limitTo,
  sql,
} from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import { historyValueOf } from '../../fields/custom-value.ts'
import { LIST_COLUMNS } from '../../fields/names.ts'
import { MAX_WALKED_LINKS } from '../edits/relations/loops.ts'
import { type CustomInput, refsIn, textsIn } from './input.ts'
import { storedValuesCondition, visibleValueCondition } from './present.ts'
import { holdsBugCondition } from './types.ts'

const f = aliasColumns(fields, 'f')
const g = aliasColumns(fields, 'g')
const v = aliasColumns(fieldValues, 'v')
const s = aliasColumns(fieldVisibility, 's')
const o = aliasColumns(valueVisibility, 'o')
const c = aliasColumns(customValues, 'c')
const b = aliasColumns(bugs, 'b')
const p = aliasColumns(products, 'p')

/** How a select field of the table `bugs` is known, and the column with the ID of its value. */
const CONTROLLERS: Readonly<Record<string, SQLiteColumn>> = {
  product: bugs.productId,
  component: bugs.componentId,
  ...LIST_COLUMNS,
}

/**
 * Reads what setting custom fields of the bugs in `bugIds`, a select, needs; nothing when the input names
 * none. A new bug has no `bugIds`, and the fields that it has to have are read in any case.
 */
export function loadCustom(caller: Caller, input: CustomInput, bugIds: SQL | null) {
  const names = Object.keys(input)
  const refs = refsIn(input)
  const isNew = bugIds === null
  const edited = names.length > 0 ? bugIds : null
  return {
    customFields: names.length > 0 || isNew ? fieldsNamed(names, isNew) : undefined,
    customChoices: names.length > 0 ? choicesNamed(input) : undefined,
    customBugs: refs.length > 0 ? resolveBugs(caller, refs) : undefined,
    customLinks: refs.length > 0 && !isNew ? linksFrom(names, refs) : undefined,
    customValues: edited === null ? undefined : valuesOf(caller, names, edited),
    customControllers: edited === null ? undefined : controllersOf(edited),
  }
}

function fieldsNamed(names: readonly string[], isNew: boolean) {
  const isRequired = sql`${f.isMandatory} = 1 AND ${f.isOnBugEntry} = 1`
  const isNamed = sql`${f.name} IN ${jsonList(names)}`
  const conditions = [...(names.length > 0 ? [isNamed] : []), ...(isNew ? [isRequired] : [])]
  return fieldList(sql`FROM fields f WHERE ${f.isCustom} = 1 AND ${anyOf(conditions)}`)
}

const nameOf = (id: SQL) =>
  sql<string | null>`(SELECT ${g.name} FROM fields g WHERE ${g.id} = ${id})`

const fieldList = jsonSelect({
  id: sql<number>`${f.id}`,
  name: sql<`cf_${string}`>`${f.name}`,
  type: sql<number>`${f.type}`,
  isMandatory: sql`${f.isMandatory}`.mapWith(Boolean),
  isOnBugEntry: sql`${f.isOnBugEntry}`.mapWith(Boolean),
  isObsolete: sql`${f.isObsolete}`.mapWith(Boolean),
  hasChoices: sql`EXISTS (SELECT 1 FROM field_values v WHERE ${v.fieldId} = ${f.id})`.mapWith(
    Boolean,
  ),
  visibilityField: nameOf(sql`${f.visibilityFieldId}`),
  valueField: nameOf(sql`${f.valueFieldId}`),
  /** The IDs of the values under which the field is shown. */
  shownUnder: sql<number[]>`json((SELECT json_group_array(${s.controllingId})
    FROM field_visibility s WHERE ${s.fieldId} = ${f.id}))`,
})

function choicesNamed(input: CustomInput) {
  const names = textsIn(input).map(({ field, text }) => ({ field, name: fold(text) }))
  return choiceList(sql`FROM ${jsonRows(names)}
    JOIN fields f ON ${f.name} = r.value ->> 'field' AND ${f.isCustom} = 1
    JOIN field_values v ON ${v.fieldId} = ${f.id} AND ${v.nameFold} = r.value ->> 'name'`)
}

const choiceList = jsonSelect({
  id: sql<number>`${v.id}`,
  fieldId: sql<number>`${f.id}`,
  name: sql<string>`${v.name}`,
  nameFold: sql<string>`${v.nameFold}`,
  isActive: sql`${v.isActive}`.mapWith(Boolean),
  /** The IDs of the values under which this one is offered. */
  offeredUnder: sql<number[]>`json((SELECT json_group_array(${o.controllingId})
    FROM value_visibility o WHERE ${o.valueId} = ${v.id}))`,
})

/** The values that bugs have of these fields and of those that these depend on. */
function valuesOf(caller: Caller, names: readonly string[], bugIds: SQL) {
  const ids = (column: SQLiteColumn) =>
    sql`SELECT ${columnName(column)} FROM fields WHERE ${fields.isCustom} = 1 AND ${fields.name} IN ${jsonList(names)}`
  return db
    .select({
      bugId: sql<number>`${c.bugId}`.as('bug_id'),
      fieldId: sql<number>`${c.fieldId}`.as('field_id'),
      fieldName: sql<string>`${f.name}`.as('field_name'),
      valueId: sql<number | null>`${c.valueId}`.as('value_id'),
      historyValue: historyValueOf(sql`${f.type}`).as('history_value'),
      isVisible: sql<boolean>`${visibleValueCondition(caller)}`.mapWith(Boolean).as('is_visible'),
    })
    .from(
      sql`(${bugIds}) AS t JOIN custom_values c ON ${storedValuesCondition(sql`t.id`)}
        JOIN fields f ON ${f.id} = ${c.fieldId}`,
    )
    .where(
      sql`${c.fieldId} IN (${ids(fields.id)}
        UNION ${ids(fields.visibilityFieldId)} UNION ${ids(fields.valueFieldId)})`,
    )
}

/** Where fields that hold bugs lead on from the bugs that are named, however far. */
function linksFrom(names: readonly string[], refs: readonly BugRef[]) {
  const bugValues = sql`custom_values c ON ${c.bugId} = walk.id AND ${c.fieldId} = walk.field_id
    AND ${c.valueId} IS NULL`
  return db
    .select({
      fieldId: sql<number>`g.field_id`.as('field_id'),
      from: sql<number>`g.from_id`.as('from_id'),
      to: sql<number>`g.to_id`.as('to_id'),
    })
    .from(
      sql`(WITH RECURSIVE walk(field_id, id) AS (
          SELECT ${f.id}, coalesce(r.value ->> 'id',
            (SELECT ${b.id} FROM bugs b WHERE ${b.aliasFold} = r.value ->> 'alias'))
          FROM fields f, ${jsonRows(refs)}
          WHERE ${holdsBugCondition(f.type)} AND ${f.name} IN ${jsonList(names)}
          UNION
          SELECT walk.field_id, CAST(${c.number} AS INTEGER) FROM walk JOIN ${bugValues} ${limitTo(MAX_WALKED_LINKS)})
        SELECT walk.field_id, ${c.bugId} AS from_id, CAST(${c.number} AS INTEGER) AS to_id
        FROM walk JOIN ${bugValues}) AS g`,
    )
}

/** For each bug the IDs of its values by the internal names of the fields. */
function controllersOf(bugIds: SQL) {
  const pairs = Object.entries(CONTROLLERS).map(([name, column]) => sql`${name}, ${column}`)
  return db
    .select({
      bugId: sql<number>`${bugs.id}`.as('bug_id'),
      values: sql`json_object('classification', (SELECT ${p.classificationId}
        FROM products p WHERE ${p.id} = ${bugs.productId}), ${sql.join(pairs, sql`, `)})`
        .mapWith((json): Record<string, number> => JSON.parse(String(json)))
        .as('values'),
    })
    .from(sql`bugs`)
    .where(sql`${bugs.id} IN (${bugIds})`)
}
