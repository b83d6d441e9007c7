import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { bugsById } from '../../../src/platform/access/bug-set.ts'
import { commit } from '../../../src/platform/db/commit.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { type DbSession, openSession } from '../../../src/platform/db/session.ts'
import type { FlagInput } from '../../../src/tracker/flags/input.ts'
import { selectFlags } from '../../../src/tracker/flags/load.ts'
import { createFlagPlanner } from '../../../src/tracker/flags/plan.ts'
import type { FlaggedAttachment } from '../../../src/tracker/flags/plan-edits.ts'
import type { FlaggedBug } from '../../../src/tracker/flags/rules.ts'
import {
  addRequesteesToCcStatements,
  flagStatements,
  listChangedBugs,
} from '../../../src/tracker/flags/write.ts'
import { noticeOf, recordNotice } from '../../../src/tracker/notices/record-notice.ts'
import { loadCaller } from './callers.ts'
import type { TestPerson } from './types.ts'
import { NOW } from './unique.ts'

/** What a verb that changes flags may change together with them. */
type FlagSetting = {
  readonly inputs?: readonly FlagInput[]
  readonly attachment?: FlaggedAttachment
  /** Fields of the bug that the same request changes. */
  readonly over?: Partial<FlaggedBug>
  readonly session?: DbSession
  readonly now?: number
}

/**
 * Changes the flags of bugs as a verb does: one round trip to read, the rules, one commit. Returns the
 * decision and the history rows that the commit returned.
 */
export async function setFlags(who: TestPerson, bugIds: number | number[], setting: FlagSetting) {
  const { inputs = [], attachment, over = {}, now = NOW } = setting
  const session = setting.session ?? openSession(env.DB, 'first-primary')
  const person = await loadCaller(who)
  const ids = [bugIds].flat()
  const known = await readBatch(
    { session },
    selectFlags({
      inputs,
      bugs: bugsById(person, ids),
      ...(typeof attachment?.id === 'number' ? { attachments: sql`SELECT ${attachment.id}` } : {}),
      ...(over.productId === undefined ? {} : { products: sql`SELECT ${over.productId}` }),
      movesBugs: over.productId !== undefined || over.componentId !== undefined,
      obsoletesAttachments: attachment?.becomesObsolete ?? false,
    }),
  )
  const rules = createFlagPlanner(person, known)
  const edits = ids.flatMap((id) => {
    const bug = rules.findBug(id)
    if (bug === undefined) {
      throw new Error(`The bug ${id} was not loaded`)
    }
    const after = { ...bug, ...over }
    return attachment === undefined
      ? rules.planBugFlags(after, inputs)
      : [rules.planAttachmentFlags(after, attachment, inputs)]
  })
  const bugs = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(listChangedBugs(edits))})`
  const recording = { authorId: who.id, noticeOf }
  const { flags, cc } = await commit(
    { session },
    {
      notices: recordNotice(bugs, { kind: 'changed', authorId: who.id, at: now, isMinor: false }),
      move: moveStatements(ids, over),
      flags: flagStatements(edits, recording),
      cc: addRequesteesToCcStatements(edits, recording),
    },
  )
  return { edits, history: [...flags, ...cc].filter((row) => 'field' in row) }
}

function moveStatements(ids: number[], { productId, componentId }: Partial<FlaggedBug>): SQL[] {
  return productId === undefined && componentId === undefined
    ? []
    : [
        sql`UPDATE bugs SET product_id = coalesce(${productId ?? null}, product_id),
          component_id = coalesce(${componentId ?? null}, component_id)
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ]
}
