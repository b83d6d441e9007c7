import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../../platform/access/caller.ts'
import { visibleBugCondition } from '../../../../platform/access/visibility.ts'
import { dependencies, regressions, seeAlso } from '../../../../platform/db/schema/bug-sets.ts'
import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { aliasColumns, sql } from '../../../../platform/db/sql.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../compile-context.ts'
import { type RowValues, selectivityOfEquality } from '../row-values.ts'

const d = aliasColumns(dependencies, 'd')
const r = aliasColumns(regressions, 'r')
const sa = aliasColumns(seeAlso, 'sa')
const other = aliasColumns(bugs, 'other')

/**
 * The rows that link a bug to others, of which the caller sees the other bug. Reference: search.md, "Search
 * fields".
 */
export type Links = { readonly from: SQL; readonly bugId: SQL; readonly visible: SQL }

/** The links between bugs, by the fields that hold them. */
export const BUG_LINKS = {
  dependson: (caller: Caller) => linksThrough(sql`dependencies d`, d.bugId, d.dependsOnId, caller),
  blocked: (caller: Caller) => linksThrough(sql`dependencies d`, d.dependsOnId, d.bugId, caller),
  regressed_by: (caller: Caller) =>
    linksThrough(sql`regressions r`, r.bugId, r.regressedById, caller),
  regresses: (caller: Caller) => linksThrough(sql`regressions r`, r.regressedById, r.bugId, caller),
  duplicates: (caller: Caller) => ({
    from: sql`bugs other`,
    bugId: other.dupeOfId,
    visible: sql`${other.dupeOfId} IS NOT NULL AND ${visibleBugCondition(caller, 'other')}`,
  }),
} as const satisfies Readonly<Record<string, (caller: Caller) => Links>>

/** Addresses; those of bugs that are hidden from the caller are not among them. */
export function seeAlsoLinks(caller: Caller): Links {
  return {
    from: sql`see_also sa`,
    bugId: sa.bugId,
    visible: sql`(${sa.localBugId} IS NULL OR EXISTS (SELECT 1 FROM bugs other
      WHERE ${other.id} = ${sa.localBugId} AND ${visibleBugCondition(caller, 'other')}))`,
  }
}

/** The fields that link a bug to others and to addresses. Reference: search.md, "Search fields". */
export const LINK_FIELDS = {
  dependson: ({ caller }) => linkedBugs(BUG_LINKS.dependson(caller)),
  blocked: ({ caller }) => linkedBugs(BUG_LINKS.blocked(caller)),
  regressed_by: ({ caller }) => linkedBugs(BUG_LINKS.regressed_by(caller)),
  regresses: ({ caller }) => linkedBugs(BUG_LINKS.regresses(caller)),
  duplicates: ({ caller }) => linkedBugs(BUG_LINKS.duplicates(caller)),
  see_also: ({ caller }) => ({
    shape: 'rows',
    looksAt: 'rows',
    ...seeAlsoLinks(caller),
    source: {
      kind: 'own',
      operand: { kind: 'text', folded: sa.urlFold, original: sa.url },
      key: sa.id,
    },
  }),
} as const satisfies Readonly<Record<string, (context: CompileContext) => RowValues>>

function linksThrough(table: SQL, here: SQL, there: SQL, caller: Caller): Links {
  return {
    from: sql`${table} JOIN bugs other ON ${other.id} = ${there}`,
    bugId: here,
    visible: visibleBugCondition(caller, 'other'),
  }
}

function linkedBugs(links: Links): RowValues {
  return {
    shape: 'rows',
    looksAt: 'rows',
    ...links,
    source: {
      kind: 'own',
      operand: { kind: 'number', value: other.id, text: sql`CAST(${other.id} AS TEXT)` },
      key: other.id,
    },
    selectivity: selectivityOfEquality(SELECTIVITY.text),
  }
}
