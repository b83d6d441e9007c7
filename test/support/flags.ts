import { type SQL, sql } from 'drizzle-orm'
import { bugsById } from '../../src/access/bug-set.ts'
import type { Person } from '../../src/access/caller.ts'
import type { Role } from '../../src/access/roles.ts'
import { db } from '../../src/db/client.ts'
import { commit } from '../../src/db/commit.ts'
import { readBatch } from '../../src/db/read-batch.ts'
import { flagTypeScopes, flagTypes } from '../../src/db/schema/flags.ts'
import type { DbSession } from '../../src/db/session.ts'
import { jsonList, newestId } from '../../src/db/sql.ts'
import type { FlagInput } from '../../src/flags/input.ts'
import { selectFlags } from '../../src/flags/load.ts'
import { createFlagPlanner } from '../../src/flags/plan.ts'
import type { FlaggedAttachment } from '../../src/flags/plan-edits.ts'
import type { FlaggedBug } from '../../src/flags/rules.ts'
import {
  addRequesteesToCcStatements,
  flagStatements,
  listChangedBugs,
} from '../../src/flags/write.ts'
import { noticeOf, recordNotice } from '../../src/notices/record-notice.ts'
import { bug, write } from './happening.ts'
import { copies } from './reading.ts'
import { onPrimary } from './statements.ts'
import { NOW, type TestPerson, unique } from './world.ts'

type Row = Record<string, unknown>

export type TestFlagType = { id: number; name: string }

type Scope = { productId?: number; componentId?: number; isExclusion?: boolean }

/** Types that every bug of `flagBug` may have; those of other tests are not to meet them elsewhere. */
const common: number[] = []

/** A flag type that applies in these scopes; without any it applies to bugs of `flagBug` made later. */
export async function flagType(
  values: Partial<typeof flagTypes.$inferInsert> = {},
  scopes: readonly Scope[] = [],
): Promise<TestFlagType> {
  const name = values.name ?? unique('flag')
  const [row] = await write(
    db
      .insert(flagTypes)
      .values({ name, description: `What ${name} is for`, target: 'bug', ...values })
      .returning({ id: flagTypes.id }),
    ...scopes.map((scope) =>
      db
        .insert(flagTypeScopes)
        .values({ flagTypeId: newestId(flagTypes), isExclusion: false, ...scope }),
    ),
  )
  const id = Number(row?.id)
  if (scopes.length === 0) {
    common.push(id)
  }
  return { id, name }
}

/** A bug in a product of its own, where the common types apply. */
export async function flagBug(options: Parameters<typeof bug>[0] = {}) {
  const made = await bug(options)
  const [row] = await write(sql`SELECT product_id FROM bugs WHERE id = ${made.id}`)
  const productId = Number(row?.product_id)
  await offerCommon(productId)
  return { ...made, productId }
}

/** Lets the common types apply in a product. */
export async function offerCommon(productId: number): Promise<void> {
  await write(sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id)
    SELECT value, 0, ${productId} FROM ${jsonList(common)}`)
}

/** A person as verbs see them. */
export async function actor(who: TestPerson, roles: Role[] = []): Promise<Person> {
  const rows = await write(sql`SELECT group_id FROM memberships WHERE user_id = ${who.id}`)
  return {
    kind: 'person',
    id: who.id,
    login: who.login,
    realName: '',
    nick: null,
    groups: new Set(rows.map((row) => Number(row.group_id))),
    roles: new Set(roles),
  }
}

/** What a verb that changes flags may say beside the entries. */
export type Setting = {
  readonly inputs?: readonly FlagInput[]
  readonly attachment?: FlaggedAttachment
  /** What the request changes of the bug. */
  readonly over?: Partial<FlaggedBug>
  readonly session?: DbSession
  readonly now?: number
}

/**
 * Changes the flags of bugs as a verb does: one trip to read, the rules, one commit. Answers what was
 * decided, and the rows that history returned.
 */
export async function setFlags(who: TestPerson, bugIds: number | number[], setting: Setting) {
  const { inputs = [], attachment, over = {}, now = NOW } = setting
  const ctx = setting.session === undefined ? onPrimary() : { session: setting.session }
  const person = await actor(who)
  const ids = [bugIds].flat()
  const known = await readBatch(
    ctx,
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
    const bug = rules.bug(id)
    if (bug === undefined) {
      throw new Error(`Nothing was read of the bug ${id}`)
    }
    const after = { ...bug, ...over }
    return attachment === undefined
      ? rules.planBugFlags(after, inputs)
      : [rules.planAttachmentFlags(after, attachment, inputs)]
  })
  const bugs = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(listChangedBugs(edits))})`
  const recording = { authorId: who.id, noticeOf }
  const rows = await commit(ctx, {
    notices: recordNotice(bugs, { kind: 'changed', authorId: who.id, at: now, isMinor: false }),
    bugs: move(ids, over),
    flags: flagStatements(edits, recording),
    cc: addRequesteesToCcStatements(edits, recording),
  })
  return { edits, told: [...rows.flags, ...rows.cc].filter((row) => 'field' in row) }
}

function move(ids: number[], { productId, componentId }: Partial<FlaggedBug>): SQL[] {
  return productId === undefined && componentId === undefined
    ? []
    : [
        sql`UPDATE bugs SET product_id = coalesce(${productId ?? null}, product_id),
          component_id = coalesce(${componentId ?? null}, component_id)
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ]
}

/** The flags of a bug and of its attachments as they are stored, oldest first. */
export async function flagsOf(bugId: number): Promise<Row[]> {
  return write(sql`SELECT f.id, t.name, f.type_id, f.attachment_id, f.status, f.setter_id,
      f.requestee_id, f.created_at, f.modified_at
    FROM flags f JOIN flag_types t ON t.id = f.type_id WHERE f.bug_id = ${bugId} ORDER BY f.id`)
}

/** What happened to the flags of a bug, oldest first. */
export async function activityOf(bugId: number): Promise<Row[]> {
  return write(sql`SELECT flag_id, type_id, attachment_id, status, setter_id, requestee_id, happened_at
    FROM flag_activity WHERE bug_id = ${bugId} ORDER BY id`)
}

/** Flags of so many copies of a bug, with their activity at one moment: what requests about others pass by. */
export async function manyFlags(bugId: number, count: number, type: TestFlagType, by: TestPerson) {
  const ids = JSON.stringify(await copies(bugId, count))
  await write(
    sql`INSERT INTO flags (bug_id, type_id, status, setter_id, created_at, modified_at)
      SELECT value, ${type.id}, '?', ${by.id}, 1, 1 FROM json_each(${ids})`,
    sql`INSERT INTO flag_activity (flag_id, type_id, bug_id, status, setter_id, happened_at)
      SELECT id, type_id, bug_id, status, setter_id, ${NOW} FROM flags
      WHERE bug_id IN (SELECT value FROM json_each(${ids}))`,
  )
}

/** The statuses of the flags of a bug, as they are told: name, status, and the ID of who is asked. */
export async function flagWords(bugId: number): Promise<string[]> {
  const rows = await flagsOf(bugId)
  return rows.map(
    ({ name, status, requestee_id }) =>
      `${name}${status}${requestee_id === null ? '' : `(${requestee_id})`}`,
  )
}
