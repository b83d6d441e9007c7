import { eq, type SQL } from 'drizzle-orm'
import { abortIf, commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups, membershipSteps } from '../db/schema/groups.ts'
import type { SessionHolder } from '../db/session.ts'
import { aliasColumns, columnName, columnNames, db, jsonList, jsonRows, sql } from '../db/sql.ts'
import { errorFacts, log } from '../lib/log.ts'
import { compilePattern, type Pattern } from '../lib/pattern.ts'
import { pick } from '../lib/pick.ts'
import {
  type LoginRange,
  rederiveGroupsStatements,
  selectLoginsAfter,
} from './regexp-membership.ts'

const g = aliasColumns(groups, 'g')
const s = aliasColumns(membershipSteps, 's')

/**
 * Pairs of account and group that one commit derives, in less than a tenth of a second: while it runs, everybody
 * waits. Where there are more, the commit of the change only notes the groups, and steps of this size follow.
 */
export const PAIRS_OF_STEP = 4_000

/** Steps of one request, or of one run of the cron, which takes up what a request has left. */
const MAX_STEPS = 50

/** Groups of one step: each may have a pattern of its own, with statements of its own. */
const GROUPS_OF_STEP = 20

/** Pairs that several groups may need together: what the steps of one request derive. */
export const MAX_MEMBER_PAIRS = PAIRS_OF_STEP * MAX_STEPS

type Due = { readonly id: number; readonly userRegexp: string }

/** Selects the accounts that a change of the pattern of so many groups derives within its commit, and one more. */
export function selectFirstLogins(groupCount: number) {
  return selectLoginsAfter(0, accountsOfStep(groupCount) + 1)
}

/**
 * The statements that derive the members of groups with a new pattern: at once, or where `firstLogins` are too many
 * for one commit by a note. `finish` follows the commit.
 */
export async function deriveMembers(
  groupIds: readonly number[] | SQL,
  pattern: Pattern | null,
  firstLogins: LoginRange['rows'],
  groupCount: number,
): Promise<DerivedMembers> {
  if (firstLogins.length > accountsOfStep(groupCount)) {
    return membersInSteps(groupIds)
  }
  const logins = { afterId: 0, rows: firstLogins, isLast: true }
  return membersAtOnce(await rederiveGroupsStatements(groupIds, pattern, logins))
}

/** What a commit does to members, and what follows it. */
export type DerivedMembers = {
  readonly statements: Statement[]
  readonly finish: (ctx: SessionHolder) => Promise<void>
}

/** Members that the commit itself derives; none, if it says nothing. */
export function membersAtOnce(statements: Statement[] = []): DerivedMembers {
  return { statements, finish: async () => {} }
}

/** Members that steps behind the commit derive: it notes that those of these groups, and what they inherit, are due. */
export function membersInSteps(groupIds: readonly number[] | SQL): DerivedMembers {
  const ids = Array.isArray(groupIds) ? jsonList(groupIds) : groupIds
  const noted = sql`INSERT OR REPLACE INTO membership_steps (${columnNames(membershipSteps.groupId, membershipSteps.afterId)})
    SELECT ${g.id}, 0 FROM access_groups g WHERE ${g.id} IN ${ids}`
  return { statements: [noted], finish: finishMembershipSteps }
}

/**
 * Computes the members of the noted groups anew, a step for each commit, so that others are served in between. What
 * is left after fifty steps, or a crash, is the cron's.
 */
export async function takeMembershipSteps(ctx: SessionHolder): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (!(await retryOnConflict(ctx, takeStep))) {
      return
    }
  }
}

/** The same behind the commit of a change, which is made: a failure here must not become that of the request. */
async function finishMembershipSteps(ctx: SessionHolder): Promise<void> {
  try {
    await takeMembershipSteps(ctx)
  } catch (error) {
    log('error', 'steps of memberships left', errorFacts(error))
  }
}

/** Takes the next step of the groups that have come least far; answers whether there was one. */
async function takeStep(ctx: SessionHolder): Promise<boolean> {
  const { due, progress, next } = await readBatch(ctx, {
    due: db
      .select(pick(groups, 'id', 'userRegexp'))
      .from(membershipSteps)
      .innerJoin(groups, eq(groups.id, membershipSteps.groupId))
      .where(sql`${membershipSteps.afterId} = ${LEAST}`)
      .limit(GROUPS_OF_STEP),
    progress: db
      .select({ afterId: sql<number | null>`min(${membershipSteps.afterId})`.as('least') })
      .from(membershipSteps),
    next: selectLoginsAfter(LEAST, PAIRS_OF_STEP),
  })
  const afterId = progress[0]?.afterId ?? null
  if (afterId === null) {
    return false
  }
  const accounts = accountsOfStep(due.length)
  const rows = next.slice(0, accounts)
  const isLast = next.length < accounts
  const logins = { afterId, rows, isLast }
  const ids = jsonList(due.map(({ id }) => id))
  const members: Statement[] = []
  for (const [source, of] of Map.groupBy(due, ({ userRegexp }) => userRegexp)) {
    const pattern = source === '' ? null : await compilePattern(source)
    members.push(
      ...(await rederiveGroupsStatements(
        of.map(({ id }) => id),
        pattern,
        logins,
      )),
    )
  }
  await commit(ctx, {
    unchanged: abortIf(stepsChangedCondition(due, afterId)),
    members,
    progress: isLast
      ? sql`DELETE FROM membership_steps WHERE ${membershipSteps.groupId} IN ${ids}`
      : sql`UPDATE membership_steps SET ${columnName(membershipSteps.afterId)} = ${rows.at(-1)?.id}
          WHERE ${membershipSteps.groupId} IN ${ids}`,
  })
  return true
}

const LEAST = sql`(SELECT min(${s.afterId}) FROM membership_steps s)`

/** Another step was taken meanwhile, or a pattern was changed. */
function stepsChangedCondition(due: readonly Due[], afterId: number): SQL {
  return sql`EXISTS (SELECT 1 FROM ${jsonRows(due)}
    WHERE NOT EXISTS (SELECT 1 FROM membership_steps s JOIN access_groups g ON ${g.id} = ${s.groupId}
      WHERE ${s.groupId} = r.value ->> 'id' AND ${s.afterId} = ${afterId} AND ${g.userRegexp} = r.value ->> 'userRegexp'))`
}

function accountsOfStep(groupCount: number): number {
  return Math.max(1, Math.floor(PAIRS_OF_STEP / groupCount))
}
