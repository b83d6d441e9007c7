import type { SQL } from 'drizzle-orm'
import { visibleBugCondition } from '../../../platform/access/visibility.ts'
import { type ExpressionSelect, selectOf } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, allOf, limitTo, sql } from '../../../platform/db/sql.ts'
import {
  leadersOf,
  listedCondition,
  listOf,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
} from '../condition.ts'
import type { FieldCondition } from '../expression.ts'
import { planAll } from '../plan.ts'
import { shapeOf } from './compile.ts'
import type { CompileContext } from './compile-context.ts'
import { loginOperand } from './people.ts'
import { indexedColumn } from './single-value.ts'
import type { ValueSource } from './value-source.ts'
import type { Operand } from './value-test.ts'

const u = aliasColumns(users, 'u')

/** The values that a regular expression is compared with: where they are, and what identifies one. */
export type PatternValues = {
  readonly from: SQL
  readonly key: SQL
  readonly value: SQL
  readonly condition: SQL
}

/** A value; null where a text is missing that every match contains. */
export type PatternValue = {
  readonly key: number | string
  readonly value: string | null
  /** The number of values from which those of a block were taken. */
  readonly size: number
}

/** Rows of one block, and about how many bytes they may have: the last one may have more. */
export const BLOCK_ROWS = 2000
const BLOCK_BYTES = 1_000_000

/**
 * The values of a field. Of what bugs own, only that of visible bugs which fulfil the conditions `beside`, and
 * which an index finds for `mandatory`, a text that every match contains. Null when the field has no values.
 */
export function patternValues(
  { field }: FieldCondition,
  beside: readonly SearchCondition[],
  mandatory: string | null,
  context: CompileContext,
): PatternValues | null {
  const shape = shapeOf(field, context)
  if (shape === undefined || shape.shape === 'special') {
    return null
  }
  const access = mandatory === null ? undefined : shape.textCandidates?.('substring', [mandatory])
  const found = access && listedCondition(listOf({ access }).select, SELECTIVITY.text)
  const all = found === undefined ? beside : [...beside, found]
  if (shape.shape === 'single') {
    const source = shape.source(indexedColumn)
    return valuesOf(source, sql`bugs`, bugsCondition(all, context), context)
  }
  const [leader] = leadersOf(all)
  // a plus keeps SQLite from looking up the rows of many bugs one by one
  const plus = sql.raw(
    (leader === undefined ? SELECTIVITY.many : selectivityOf(leader)) < SELECTIVITY.product
      ? ''
      : '+',
  )
  const ofBugs = sql`${plus}${shape.bugId} IN (SELECT ${bugs.id} FROM bugs WHERE ${bugsCondition(all, context)})`
  return valuesOf(shape.source, shape.from, allOf([shape.visible ?? sql`1`, ofBugs]), context)
}

function bugsCondition(members: readonly SearchCondition[], { caller }: CompileContext): SQL {
  return allOf([planAll(members), visibleBugCondition(caller)])
}

function valuesOf(
  source: ValueSource,
  from: SQL,
  condition: SQL,
  context: CompileContext,
): PatternValues {
  switch (source.kind) {
    case 'own':
      return { from, key: source.key, value: ownText(source), condition }
    case 'named': {
      const { id, key, operand, where } = source
      return {
        from: source.from,
        key: key ?? id,
        value: textOf(operand),
        condition: where ?? sql`1`,
      }
    }
    case 'person': {
      const value = textOf(loginOperand('regexp', context))
      return { from: sql`users u`, key: u.id, value, condition: sql`1` }
    }
  }
}

function ownText({ operand, within }: ValueSource & { readonly kind: 'own' }): SQL {
  const text = textOf(operand)
  return within?.(text) ?? text
}

function textOf(operand: Operand): SQL {
  return operand.kind === 'text' ? operand.original : operand.text
}

/** Selects the next values in the order of their keys; an empty block is behind the last one. */
export function selectBlock(
  { from, key, value, condition }: PatternValues,
  behind: number | string | null,
  mandatory: string | null,
): ExpressionSelect<PatternValue> {
  const isBehind = behind === null ? sql`1` : sql`${key} > ${behind}`
  return selectOf(
    {
      key: sql<number | string>`key`,
      value: hasText(mandatory),
      size: sql<number>`rows_found`,
    },
    sql`FROM (
      SELECT key, value, count(*) OVER () AS rows_found,
        sum(octet_length(value)) OVER (ORDER BY key) - octet_length(value) AS bytes_ahead
      FROM (SELECT DISTINCT ${key} AS key, coalesce(${value}, '') AS value FROM ${from}
        WHERE ${isBehind} AND ${condition} ORDER BY ${key} ${limitTo(BLOCK_ROWS)}))
      WHERE bytes_ahead < ${BLOCK_BYTES} ORDER BY key`,
  )
}

/** Beside letters outside ASCII, a text may match though it does not contain the letters that are given. */
function hasText(mandatory: string | null): SQL<string | null> {
  return mandatory === null
    ? sql`value`
    : sql`CASE WHEN instr(lower(value), ${mandatory}) > 0 OR octet_length(value) <> length(value) THEN value END`
}
