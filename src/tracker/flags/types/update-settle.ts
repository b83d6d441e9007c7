import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../../platform/db/commit.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { flags, flagTypeScopes, flagTypes } from '../../../platform/db/schema/flags.ts'
import { memberships } from '../../../platform/db/schema/groups.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, columnName, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import type { Author } from '../../../platform/db/write-audited.ts'
import { fold } from '../../../platform/lib/text.ts'
import { recordHistory } from '../../history/record.ts'
import { recordFlagActivity } from '../write.ts'

const b = aliasColumns(bugs, 'b')
const u = aliasColumns(users, 'u')
const s = aliasColumns(flagTypeScopes, 's')
const m = aliasColumns(memberships, 'm')
const t = aliasColumns(flagTypes, 't')
const own = aliasColumns(flagTypes, 'own')
const o = aliasColumns(flags, 'o')
const f = aliasColumns(flags, 'f')

type RescopedType = { readonly id: number; readonly name: string }

/**
 * Moves or clears the flags of types whose scopes the same commit has written. A flag whose type does not
 * apply to its bug any more moves to an active type of the same name that has room for it and that its
 * setter could have used; others are cleared. History and activity record it, without mail.
 */
export function settleFlagsStatements(
  { caller, now }: Author,
  types: readonly RescopedType[],
): Statement[] {
  const typeIds = jsonList(types.map(({ id }) => id))
  const misplacedFlags = sql`flags f JOIN bugs b ON ${b.id} = ${f.bugId}
    WHERE ${f.typeId} IN ${typeIds} AND NOT ${appliesCondition(sql`${f.typeId}`, typeIds)}`
  const names = jsonRows(types.map(({ id, name }) => [id, name, fold(name)]))
  const describe = (name: SQL, login: SQL) => sql`group_concat(
    (SELECT ${name} FROM ${names} WHERE r.value ->> 0 = ${f.typeId}) || ${f.status}
      || coalesce('(' || (SELECT ${login} FROM users u WHERE ${u.id} = ${f.requesteeId}) || ')',
        ''), ', ' ORDER BY ${f.id})`
  return [
    sql`UPDATE flags SET ${columnName(flags.typeId)} = h.heir_id, ${columnName(flags.revision)} = ${flags.revision} + 1
      FROM (SELECT ${f.id} AS flag_id, (${selectHeir(typeIds)}) AS heir_id FROM ${misplacedFlags}) h
      WHERE ${flags.id} = h.flag_id AND h.heir_id IS NOT NULL`,
    sql`UPDATE bugs SET ${columnName(bugs.changedAt)} = max(${bugs.changedAt}, ${now})
      WHERE ${bugs.id} IN (SELECT ${f.bugId} FROM ${misplacedFlags})`,
    recordHistory(
      {
        field: 'flagtypes.name',
        from: sql`(SELECT ${f.bugId}, ${f.attachmentId}, ${describe(sql`r.value ->> 1`, u.login)} AS words,
            ${describe(sql`r.value ->> 2`, u.loginFold)} AS folded
          FROM ${misplacedFlags} GROUP BY ${f.bugId}, ${f.attachmentId}) g`,
        bugId: sql`g.bug_id`,
        attachmentId: sql`g.attachment_id`,
        removed: sql`g.words`,
        removedFolded: sql`g.folded`,
      },
      { authorId: caller.id, noticeOf: () => sql`NULL` },
    ),
    recordFlagActivity(misplacedFlags, { status: sql`'X'`, setterId: sql`${caller.id}` }),
    sql`DELETE FROM flags WHERE ${flags.id} IN (SELECT ${f.id} FROM ${misplacedFlags})`,
  ]
}

/**
 * The condition that a type, one of `typeIds`, applies to the component of the bug `b`. The scopes of all are made a set
 * once: to compare each flag with thousands of them took half a minute.
 */
function appliesCondition(typeId: SQL, typeIds: SQL): SQL {
  const [product, component, all] = [sql`${b.productId}`, sql`${b.componentId}`, sql`0`]
  const places = [
    [product, component],
    [product, all],
    [all, component],
    [all, all],
  ]
  const matching = (isExclusion: 0 | 1) => {
    const scopes = sql`SELECT ${s.flagTypeId}, coalesce(${s.productId}, 0), coalesce(${s.componentId}, 0)
      FROM flag_type_scopes s
      WHERE ${s.flagTypeId} IN ${typeIds} AND ${s.isExclusion} = ${sql.raw(String(isExclusion))}`
    const isAny = places.map(
      ([inside, part]) => sql`(${typeId}, ${inside}, ${part}) IN (${scopes})`,
    )
    // where NULL is no other answer than no, SQLite does not look through the set for one
    return sql`iif(${sql.join(isAny, sql` OR `)}, 1, 0)`
  }
  return sql`(${matching(0)} AND NOT ${matching(1)})`
}

/**
 * The type that takes over the flag `f` of the bug `b`. Where it has room for one flag, the oldest gets it.
 */
function selectHeir(typeIds: SQL): SQL {
  const isMember = (group: SQL) => sql`EXISTS (SELECT 1 FROM memberships m
    WHERE ${m.userId} = ${f.setterId} AND ${m.groupId} = ${group})`
  const sameNames = sql`(SELECT ${t.id} FROM flag_types t WHERE ${t.name} IN (
    SELECT ${own.name} FROM flag_types own WHERE ${own.id} IN ${typeIds}))`
  return sql`SELECT ${t.id} FROM flag_types own JOIN flag_types t
      ON ${t.name} = ${own.name} AND ${t.target} = ${own.target} AND ${t.id} <> ${own.id} AND ${t.isActive} = 1
    WHERE ${own.id} = ${f.typeId} AND ${appliesCondition(sql`${t.id}`, sameNames)}
      AND (${t.isMultiplicable} = 1 OR NOT EXISTS (SELECT 1 FROM flags o
        WHERE ${o.bugId} = ${f.bugId} AND ${o.attachmentId} IS ${f.attachmentId}
          AND (${o.typeId} = ${t.id} OR (${o.typeId} = ${f.typeId} AND ${o.id} < ${f.id}))))
      AND (${t.grantGroupId} IS NULL OR ${isMember(t.grantGroupId)}
        OR (${f.status} = '?' AND (${t.requestGroupId} IS NULL OR ${isMember(t.requestGroupId)})))
    ORDER BY ${t.sortKey}, ${t.id} LIMIT 1`
}
