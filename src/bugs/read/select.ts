import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../access/caller.ts'
import { isInsider } from '../../access/rights.ts'
import type { Role } from '../../access/roles.ts'
import { PLACEHOLDER, preparedFragment } from '../../db/prepared-fragment.ts'
import type { ExpressionSelect } from '../../db/read-batch.ts'
import { sql } from '../../db/sql.ts'
import { type BugColumn, type BugRow, bugColumns } from './columns.ts'
import { joinsFor } from './names.ts'

/**
 * A select of these columns of the bugs that `rest`, a `WHERE …`, names. Everything about a bug is read in
 * one statement, and only what is wanted is in it. `bots` are folded logins. What is the same for all
 * callers of a kind is put together once.
 */
export function selectBugs(
  caller: Caller,
  names: readonly BugColumn[],
  bots: readonly string[],
  rest: SQL,
): ExpressionSelect<BugRow> {
  const isForAll = bots.length === 0 || !names.includes('changedByPeopleAt')
  const head = isForAll ? keptHead(caller, names) : headOf(caller, names, bots)
  return { columns: names, statement: sql`${head} ${rest}` }
}

const kept = new Map<string, (callerId: number) => SQL>()

/** Callers choose columns as they like, but most of them alike. */
const MOST_KEPT = 200

function keptHead(caller: Caller, names: readonly BugColumn[]): SQL {
  const { standIn, key } = kindOf(caller)
  const all = `${key} ${names.join(' ')}`
  let head = kept.get(all)
  if (head === undefined) {
    if (kept.size >= MOST_KEPT) {
      kept.clear()
    }
    head = preparedFragment(headOf(standIn, names, []))
    kept.set(all, head)
  }
  return head(caller.kind === 'person' ? caller.id : 0)
}

/** Somebody of the caller's kind: who stands in has no right that the key does not tell. */
function kindOf(caller: Caller): { standIn: Caller; key: string } {
  if (caller.kind !== 'person') {
    return { standIn: caller, key: caller.kind }
  }
  const nobody = { kind: 'person', id: PLACEHOLDER, login: '', realName: '', nick: null } as const
  const roles: Role[] = isInsider(caller) ? ['insider'] : []
  return {
    standIn: { ...nobody, groups: new Set(), roles: new Set(roles) },
    key: `person ${roles}`,
  }
}

function headOf(caller: Caller, names: readonly BugColumn[], bots: readonly string[]): SQL {
  const all = bugColumns(caller, bots)
  const columns = names.map((name) => sql`${all[name]} AS ${sql.raw(`"${name}"`)}`)
  return sql`SELECT ${sql.join(columns, sql`, `)} FROM bugs ${joinsFor(names)}`
}
