import { type SQL, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Caller } from '../../src/platform/access/caller.ts'
import { visibleBugCondition } from '../../src/platform/access/visibility.ts'
import { jsonList } from '../../src/platform/db/sql.ts'
import { compileExpression } from '../../src/tracker/search/compile/compile.ts'
import {
  bulkOf,
  isFound,
  leadOf,
  listOf,
  type SearchCondition,
} from '../../src/tracker/search/condition.ts'
import { EMPTY_CONFIGURATION } from '../../src/tracker/search/configuration.ts'
import type { CompileContext } from '../../src/tracker/search/context.ts'
import { type Expression, negate } from '../../src/tracker/search/expression.ts'
import { rewrite } from '../../src/tracker/search/rewrite.ts'
import { NOW } from './builders/unique.ts'
import { executeBatch, type Row } from './database/execute.ts'

/** The context of compiling: the caller alone, unless `more` has more. */
export function buildCompileContext(
  caller: Caller,
  more: Partial<CompileContext> = {},
): CompileContext {
  return {
    caller,
    now: NOW,
    configuration: EMPTY_CONFIGURATION,
    hidesDomains: false,
    baseUrl: 'https://tracker.test',
    patternMatches: new Map(),
    ...more,
  }
}

/** The condition of a search, as it is compiled once it is rewritten. */
export function compileSearch(expression: Expression, context: CompileContext): SearchCondition {
  return compileExpression(rewrite(expression, context), context)
}

/** The forms of a condition; undefined are those of an index where none serves it. */
export function formsOf(condition: SearchCondition) {
  const { test } = condition
  return isFound(condition)
    ? {
        test,
        bulk: bulkOf(condition),
        lead: leadOf(condition),
        candidates: listOf(condition).select,
      }
    : { test, bulk: test }
}

/**
 * The bugs among these that the caller sees and the expression finds, ascending. Expects that all forms of the
 * compiled condition agree: `bulk` and `lead` are true where `test` is, `candidates` have all bugs where it is, and
 * the negation is false where it is true, true where it is false, and NULL where it is NULL.
 */
export async function findByAllForms(
  expression: Expression,
  context: CompileContext,
  ids: readonly number[],
): Promise<number[]> {
  const compiled = compileSearch(expression, context)
  const negated = compileSearch(negate(expression), context)
  const { test, bulk, lead = test, candidates } = formsOf(compiled)
  const among = sql`bugs.id IN ${jsonList(ids)} AND ${visibleBugCondition(context.caller)}`
  const truthOf = (condition: SQL) =>
    sql`SELECT bugs.id, (${condition}) AS truth FROM bugs WHERE ${among} ORDER BY bugs.id`
  const where = (condition: SQL) =>
    sql`SELECT bugs.id FROM bugs WHERE ${among} AND (${condition}) ORDER BY bugs.id`
  const [tests = [], negations = [], ...founds] = await executeBatch(
    truthOf(test),
    truthOf(negated.test),
    where(test),
    where(bulk),
    where(lead),
    where(candidates === undefined ? sql`1` : sql`bugs.id IN (SELECT * FROM (${candidates}))`),
  )
  const [hits = [], byBulkTest = [], byLead = [], byCandidates = []] = founds.map(idsOf)
  const about = JSON.stringify(expression)
  expect(negations, `negation of ${about}`).toEqual(tests.map(negateTruth))
  expect(byBulkTest, `bulk of ${about}`).toEqual(hits)
  expect(byLead, `lead of ${about}`).toEqual(hits)
  expect(
    hits.filter((id) => !byCandidates.includes(id)),
    `hits that no candidate of ${about} is`,
  ).toEqual([])
  return hits
}

function idsOf(rows: readonly Row[]): number[] {
  return rows.map(({ id }) => Number(id))
}

function negateTruth({ id, truth }: Row): Row {
  return { id, truth: truth === null ? null : 1 - Number(truth) }
}
