import type { SQL } from 'drizzle-orm'
import { abortIf } from '../../../platform/db/commit.ts'
import { customValues } from '../../../platform/db/schema/bugs.ts'
import {
  BUG_TYPES,
  fieldValues,
  SINGLE_SELECT_TYPES,
  TEXT_TYPES,
} from '../../../platform/db/schema/fields.ts'
import { aliasColumns, columnNames, limitTo, sql } from '../../../platform/db/sql.ts'
import { historyValueOf } from '../../fields/custom-value.ts'
import { EMPTY_CHOICE } from '../../fields/empty-choice.ts'
import { MAX_WALK_STEPS } from '../edits/relations/loops.ts'
import { realId } from '../edits/statements.ts'
import type { ListEdit } from '../model/capability.ts'
import { storedValuesCondition } from './present.ts'
import { type CustomValue, holdsBugCondition } from './types.ts'

const v = aliasColumns(fieldValues, 'v')
const c = aliasColumns(customValues, 'c')

const CUSTOM_VALUES_COLUMNS = columnNames(
  customValues.bugId,
  customValues.fieldId,
  customValues.text,
  customValues.textFold,
  customValues.number,
  customValues.valueId,
)

/** What a custom field of some bugs is to hold; nothing clears it. */
export type CustomCell = {
  readonly bugs: readonly number[]
  readonly fieldId: number
  readonly field: string
  readonly type: number
  readonly values: readonly CustomValue[]
}

/** The values of other types are whole in their number or their choice. */
const TEXT_COLUMN_TYPES = TEXT_TYPES.join(', ')

/** Replaces the values of custom fields, in one statement per step for all fields and bugs. */
export function editCustom(cells: readonly CustomCell[]): ListEdit {
  const cellRows = sql`SELECT ${realId(sql`b.value`)} AS bug_id, g.value ->> 'fieldId' AS field_id,
      g.value ->> 'field' AS field, g.value ->> 'type' AS type, g.value -> 'values' AS vals
    FROM json_each(${JSON.stringify(cells)}) g, json_each(g.value, '$.bugs') b`
  const value = historyValueOf(sql`t.type`)
  const removed = sql`(${cellRows}) t JOIN custom_values c
      ON ${storedValuesCondition(sql`t.bug_id`, sql`t.field_id`)}
    WHERE NOT EXISTS (SELECT 1 FROM json_each(t.vals) w WHERE w.value ->> 'historyValue' = ${value})`
  const added = sql`(${cellRows}) t JOIN json_each(t.vals) w
    WHERE NOT EXISTS (SELECT 1 FROM custom_values c
      WHERE ${storedValuesCondition(sql`t.bug_id`, sql`t.field_id`)} AND w.value ->> 'historyValue' = ${value})`
  return {
    changed: [
      sql`SELECT t.bug_id, t.field, 0 AS is_added, ${value} AS name,
          coalesce((SELECT ${v.nameFold} FROM field_values v WHERE ${v.id} = ${c.valueId}), ${c.textFold},
            lower(${value})) AS name_fold, ${value} AS place
        FROM ${removed}
        UNION ALL
        SELECT t.bug_id, t.field, 1, w.value ->> 'historyValue', w.value ->> 'fold', w.value ->> 'historyValue'
        FROM ${added}
        ${cells.some(isSingleSelect) ? sql`UNION ALL ${emptyChoices(cellRows)}` : sql``}`,
    ],
    statements: [
      sql`DELETE FROM custom_values WHERE ${customValues.id} IN (SELECT ${c.id} FROM ${removed})`,
      sql`INSERT INTO custom_values (${CUSTOM_VALUES_COLUMNS})
        SELECT t.bug_id, t.field_id,
          CASE WHEN t.type IN (${sql.raw(TEXT_COLUMN_TYPES)}) THEN w.value ->> 'historyValue' END,
          CASE WHEN t.type IN (${sql.raw(TEXT_COLUMN_TYPES)}) THEN w.value ->> 'fold' END,
          w.value ->> 'number', w.value ->> 'valueId'
        FROM ${added}`,
      ...(cells.some(isLink) ? [abortIf(loopThrough(cellRows))] : []),
    ],
  }
}

function isSingleSelect({ type }: CustomCell): boolean {
  return SINGLE_SELECT_TYPES.includes(type)
}

/** The empty choice, in the form of history, of bugs that leave it or come back to it. */
function emptyChoices(cellRows: SQL): SQL {
  const isStored = sql`EXISTS (SELECT 1 FROM custom_values c
    WHERE ${storedValuesCondition(sql`t.bug_id`, sql`t.field_id`)})`
  return sql`SELECT t.bug_id, t.field, json_array_length(t.vals) = 0 AS is_added, ${EMPTY_CHOICE} AS name,
      ${EMPTY_CHOICE} AS name_fold, '' AS place
    FROM (${cellRows}) t WHERE t.type IN (${sql.raw(SINGLE_SELECT_TYPES.join(', '))})
      AND ${isStored} = (json_array_length(t.vals) = 0)`
}

/** Whether a cell makes a bug lead to another one. */
export function isLink({ type, values }: CustomCell): boolean {
  return BUG_TYPES.includes(type) && values.length > 0
}

/** Whether a field that holds bugs leads from one that is set here back to it. */
function loopThrough(cellRows: SQL): SQL {
  return sql`EXISTS (WITH RECURSIVE walk(field_id, origin, id) AS (
      SELECT t.field_id, t.bug_id, w.value ->> 'number' FROM (${cellRows}) t JOIN json_each(t.vals) w
        WHERE ${holdsBugCondition(sql`t.type`)}
      UNION
      SELECT walk.field_id, walk.origin, CAST(${c.number} AS INTEGER) FROM walk JOIN custom_values c
        ON ${c.bugId} = walk.id AND ${c.fieldId} = walk.field_id AND ${c.valueId} IS NULL
      ${limitTo(MAX_WALK_STEPS)})
    SELECT 1 FROM walk WHERE walk.id = walk.origin)`
}
