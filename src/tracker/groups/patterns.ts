import { MAX_MEMBER_PAIRS } from '../../platform/access/membership-steps.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'

const g = aliasColumns(groups, 'g')
const u = aliasColumns(users, 'u')

/** Groups that may have a pattern, because each new login is compared with all of them. */
const MAX_PATTERNS = 1_000

/** Selects how many groups have a pattern, and a number that is not below that of the accounts. */
export function selectPatternCounts() {
  return db
    .select({
      patterns: sql<number>`(SELECT count(*) FROM access_groups g WHERE ${g.userRegexp} <> '')`.as(
        'patterns',
      ),
      accounts: sql<number>`(SELECT max(${u.id}) FROM users u)`.as('accounts'),
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
    const most = Math.max(1, Math.floor(MAX_MEMBER_PAIRS / counts.accounts))
    throw invalidParameter('user_regexp', `may be changed for at most ${most} groups at once here`)
  }
}
