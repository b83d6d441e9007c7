import type { SQL, SQLWrapper } from 'drizzle-orm'
import {
  type BugRef,
  type BugSet,
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
} from '../../platform/access/bug-set.ts'
import { assertLoggedIn } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortBeyond, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, countUpTo, db, sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { assertEditable, selectUneditable } from '../components/product-access.ts'
import type { FlagInput } from '../flags/input.ts'
import { selectFlags } from '../flags/load.ts'

const a = aliasColumns(attachments, 'a')

/** Of a bug that takes another one: everybody who reads the bug pays for all of them. */
export const MAX_ATTACHMENTS = 1000

/** Asserts that the caller may attach files to the bug of a path. */
export async function assertMayAttach(
  ctx: Ctx,
  { id_or_alias: named = '' }: Readonly<Record<string, string>>,
): Promise<void> {
  assertLoggedIn(ctx.caller)
  await loadForCreate(ctx, parseBugRefs(named), [])
}

/**
 * Loads the IDs of the bugs in the order of `refs`, and the rows that `createFlagPlanner` needs, in one round trip.
 */
export async function loadForCreate(
  ctx: Ctx,
  refs: readonly BugRef[],
  inputs: readonly FlagInput[],
) {
  const { caller } = ctx
  const set = bugsNamed(caller, refs)
  const read = await readBatch(ctx, {
    resolved: resolveBugs(caller, refs),
    uneditable: selectUneditable(caller, set),
    full: selectFullBug(set),
    ...selectFlags({ inputs, bugs: set }),
  })
  const ids = requireVisibleBugs(caller, refs, read.resolved)
  assertEditable(read.uneditable)
  const [full] = read.full
  if (full !== undefined) {
    const most = MAX_ATTACHMENTS.toLocaleString('en')
    throw invalidParameter('ids', `may name no bug with ${most} attachments, as bug ${full.id} has`)
  }
  return { ids, flagRows: read }
}

/** Selects one of the bugs that takes no other attachment, if there is any. */
export function selectFullBug(set: BugSet) {
  return db
    .select({ id: bugs.id })
    .from(bugs)
    .where(
      sql`${set.condition} AND ${countUpTo(attachmentsOf(bugs.id), MAX_ATTACHMENTS)} >= ${MAX_ATTACHMENTS}`,
    )
    .limit(1)
}

/** Fails the commit of what attaches to these bugs where one of them has too many then. */
export function limitAttachments(bugIds: readonly number[]): Statement[] {
  return abortBeyond(MAX_ATTACHMENTS, bugIds, attachmentsOf)
}

function attachmentsOf(bugId: SQLWrapper): SQL {
  return sql`SELECT 1 FROM attachments a WHERE ${a.bugId} = ${bugId}`
}
