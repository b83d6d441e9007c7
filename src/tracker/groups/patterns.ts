import { MAX_MEMBER_PAIRS } from '../../platform/access/membership-steps.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, countUpTo, db, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'

const g = aliasColumns(groups, 'g')
const u = aliasColumns(users, 'u')

/** Groups that may have a pattern, because each new login is compared with all of them. */
const MAX_PATTERNS = 1_000

/** Selects how many groups have a pattern; for a change of several, also how many accounts there are, up to too many. */
export function selectPatternCounts(ofSeveral: boolean) {
  return db
    .select({
      patterns: sql<number>`(SELECT count(*) FROM access_groups g WHERE ${g.userRegexp} <> '')`.as(
        'patterns',
      ),
      accounts:
        sql<number>`${countUpTo(sql`SELECT ${u.id} FROM users u`, ofSeveral ? MAX_MEMBER_PAIRS / 2 : 0)}`.as(
          'accounts',
        ),
    })
    .from(sql`(SELECT 1)`)
}

/** Refuses a pattern for groups that get their first one, or that change, where there are too many. */
export function assertPatternsFit(
  counts: { readonly patterns: number; readonly accounts: number } | undefined,
  { added, changed }: { readonly added: number; readonly changed: number },
): void {
  if (counts === undefined) {
    return
  }
  if (added > 0 && counts.patterns + added > MAX_PATTERNS) {
    throw invalidParameter('user_regexp', `may be set for at most ${MAX_PATTERNS} groups`)
  }
  if (changed > 1 && changed * counts.accounts > MAX_MEMBER_PAIRS) {
    throw invalidParameter(
      'user_regexp',
      `may be changed for fewer groups at once, with so many accounts`,
    )
  }
}
