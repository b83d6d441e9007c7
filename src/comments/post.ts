import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { allReachable, bugRef, bugsNamed, resolveBugs } from '../access/reach.ts'
import { requireLogin, tracksTime } from '../access/rights.ts'
import { editableProduct } from '../access/visible.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { commit, type Statement } from '../db/commit.ts'
import { bugs } from '../db/schema/bugs.ts'
import { together } from '../db/together.ts'
import { fault } from '../faults.ts'
import { flag, names, text } from '../http/shapes.ts'
import { announce, noticeOf, nudge } from '../notices/announce.ts'
import { acceptedBody, addComments } from './plan.ts'

const MOST_HOURS = 99_999.99

export const postCommentInput = z.object({
  id_or_alias: z.string(),
  ids: names(),
  comment: text(),
  is_private: flag(),
  private: flag(),
  is_markdown: flag(),
  work_time: z.unknown().meta({ type: 'number' }).optional(),
})

export const postCommentOutput = z.strictObject({ id: z.int() })

/**
 * POST /bug/{id}/comment: adds one comment to the bug of the path and to each of `ids`, all or none; the
 * answer is the one on the path's bug. Contract "Comments", Create Comment. Faults 50, 52, 54, 100, 101,
 * 102, 109, 113, 114.
 */
export async function postComment(ctx: Ctx, input: z.output<typeof postCommentInput>) {
  const person = requireLogin(ctx.caller)
  if (input.comment === undefined || input.comment.trim() === '') {
    throw fault('parameterMissing', { field: 'comment' })
  }
  const ids = await commentableBugs(ctx, [input.id_or_alias, ...(input.ids ?? [])])
  const isPrivate = input.is_private ?? input.private ?? false
  const body = acceptedBody(person, input.comment, isPrivate)
  const workTime = tracksTime(person) ? hours(input.work_time) : 0
  const isMarkdown = input.is_markdown ?? false
  const onBugs = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
  const author = { id: person.id, at: ctx.now }
  const [notices, added] = await commit(ctx.door, [
    announce(onBugs, { kind: 'changed', authorId: person.id, at: ctx.now, isMinor: false }),
    addComments(onBugs, { body, isPrivate, isMarkdown, workTime }, author),
    sql`UPDATE bugs SET changed_at = max(changed_at, ${ctx.now}) WHERE id IN (${onBugs})`,
    ...workDone(workTime, ids, author),
    sql`UPDATE users SET last_activity_at = ${ctx.now} WHERE id = ${person.id}`,
  ])
  nudge(ctx, notices ?? [])
  return { id: Number(added?.find((row) => row.bug_id === ids[0])?.id) }
}

async function commentableBugs(ctx: Ctx, given: string[]): Promise<number[]> {
  const refs = given.map(bugRef)
  const read = await together(ctx.door, {
    resolved: resolveBugs(ctx.caller, refs),
    closed: db
      .select({
        id: bugs.id,
        product: sql<string>`(SELECT p.name FROM products p WHERE p.id = bugs.product_id)`.as(
          'product',
        ),
      })
      .from(bugs)
      .where(sql`${bugsNamed(ctx.caller, refs).condition} AND NOT EXISTS (SELECT 1 FROM products
        WHERE products.id = bugs.product_id AND ${editableProduct(ctx.caller)})`),
  })
  const ids = allReachable(ctx.caller, refs, read.resolved)
  const [closed] = read.closed
  if (closed !== undefined) {
    throw fault('productEditDenied', { product: closed.product })
  }
  return ids
}

/** Hours worked, two decimals. Negative ones correct earlier ones. */
function hours(given: unknown): number {
  if (given === undefined || given === null || given === '') {
    return 0
  }
  const told = String(given)
  if (!/^-?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})$/.test(told.trim())) {
    throw fault('notANumber', { field: 'work_time', value: told.slice(0, 100) })
  }
  if (Number(told) > MOST_HOURS) {
    throw fault('numberTooLarge', { field: 'work_time', value: told, most: String(MOST_HOURS) })
  }
  return Math.round(Number(told) * 100) / 100
}

/** Work is recorded, and what remains goes down by it, never below zero. */
function workDone(
  workTime: number,
  ids: number[],
  author: { id: number; at: number },
): Statement[] {
  if (workTime === 0) {
    return []
  }
  const record = (field: string, removed: ReturnType<typeof sql>, added: ReturnType<typeof sql>) =>
    sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added,
        added_fold, notice_id)
      SELECT id, ${author.id}, ${author.at}, ${field}, ${removed}, ${removed}, ${added}, ${added},
        ${noticeOf(sql`bugs.id`)}
      FROM bugs WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
        AND ${removed} <> ${added}`
  const left = sql`max(0, round(remaining_time - ${workTime}, 2))`
  const told = (number: ReturnType<typeof sql>) => sql`printf('%!.10g', ${number})`
  return [
    record('work_time', sql`''`, sql`${String(workTime)}`),
    record('remaining_time', told(sql`remaining_time`), told(left)),
    sql`UPDATE bugs SET remaining_time = ${left}
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  ]
}
