import type { SQL } from 'drizzle-orm'
import { expect } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import { visibleBugCondition } from '../../../src/platform/access/visibility.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { allOf, jsonList, sql } from '../../../src/platform/db/sql.ts'
import { EMPTY_CONFIGURATION } from '../../../src/tracker/search/configuration.ts'
import type { CompileContext } from '../../../src/tracker/search/context.ts'
import type { Expression, FieldCondition } from '../../../src/tracker/search/expression.ts'
import type { Operator } from '../../../src/tracker/search/operators.ts'
import { NOW } from '../builders/unique.ts'
import { execute } from '../database/execute.ts'
import { compileSearch, formsOf } from '../search-forms.ts'

export function buildContext(
  caller: Caller = ANONYMOUS,
  patternMatches: CompileContext['patternMatches'] = new Map(),
): CompileContext {
  return {
    caller,
    now: NOW,
    configuration: EMPTY_CONFIGURATION,
    baseUrl: '',
    hidesDomains: false,
    patternMatches,
  }
}

export function buildCondition(
  field: string,
  operator: Operator,
  ...values: string[]
): FieldCondition {
  return { kind: 'condition', field, operator, values, source: field }
}

/** The places, among these bugs, of the visible ones that match, after all forms of the condition have agreed. */
export async function findInAllForms(
  expression: Expression,
  among: readonly number[],
  context: CompileContext = buildContext(),
): Promise<number[]> {
  const { test, bulk, lead, candidates } = formsOf(compileSearch(expression, context))
  const find = (condition: SQL) => selectAmong(among, context.caller, condition)
  const found = await find(test)
  const forms: Record<string, SQL | undefined> = {
    bulk,
    lead,
    candidates: candidates && allOf([sql`${bugs.id} IN (${candidates})`, test]),
  }
  for (const [form, condition] of Object.entries(forms)) {
    if (condition !== undefined) {
      expect(await find(condition), form).toEqual(found)
    }
  }
  return found
}

async function selectAmong(among: readonly number[], caller: Caller, condition: SQL) {
  const rows = await execute(sql`SELECT ${bugs.id} FROM bugs
    WHERE ${bugs.id} IN ${jsonList(among)} AND ${condition} AND ${visibleBugCondition(caller)}
    ORDER BY ${bugs.id}`)
  return rows.map(({ id }) => among.indexOf(Number(id)))
}
