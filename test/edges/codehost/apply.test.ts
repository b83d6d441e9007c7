import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { applyPushes } from '../../../src/edges/codehost/apply.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import type { DbSession } from '../../../src/platform/db/session.ts'
import { queue } from '../../../src/queue.ts'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { buildPush } from '../../support/builders/codehost-events.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProductPart } from '../../support/builders/products.ts'
import { get, put } from '../../support/client.ts'
import { applyWaitingPushes, insertBot, sendEvent } from '../../support/codehost.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { countRows, execute, loadRow } from '../../support/database/execute.ts'
import { loadFootprint } from '../../support/database/footprint.ts'
import { openFailingSession, openInterruptedSession } from '../../support/fakes/sessions.ts'

const bot = await insertBot()
const editor = await insertPerson({ roles: ['editbugs', 'admin', 'editkeywords'] })

const push = (bugId: number, more: Parameters<typeof sendEvent>[3] = {}, payload: object = {}) =>
  sendEvent(bot, 'push_comment', buildPush([`Bug ${bugId} - Fix`], payload), more)

const loadPush = (bugId: number) => loadRow('codehost_pushes', sql`bug_id = ${bugId}`)
const stateOf = async (bugId: number) => {
  const { body } = await get(editor, `/rest/bug/${bugId}?include_fields=_default,_custom,flags`)
  return body.bugs[0]
}

/** Makes an active flag type named qe-verify in the product of a bug alone. */
async function offerQeVerify(bugId: number, values: object = {}) {
  const [row] = await execute(sql`SELECT product_id FROM bugs WHERE id = ${bugId}`)
  await insertFlagType({ name: 'qe-verify', ...values }, [{ productId: Number(row?.product_id) }])
}

/** The consumer with a session of a test. */
const consumeWith = (session: DbSession, bugId: number) => consume({ session }, bugId)

async function consume(more: Partial<Ctx>, bugId: number) {
  const id = Number((await loadPush(bugId))?.id)
  const ctx = { ...systemCtx(env, createExecutionContext()), ...more }
  return (await applyPushes(ctx, { ids: [id] })).get(id)
}

describe('a push that is applied', () => {
  test('comments as the bot and resolves the bug', async () => {
    const bug = await insertBug()
    const answer = await push(bug.id)
    await applyWaitingPushes(bug.id)
    expect(await stateOf(bug.id)).toMatchObject({ status: 'RESOLVED', resolution: 'FIXED' })
    expect(await loadRowsOfBug('comments', bug.id)).toMatchObject([
      {
        body: answer.body.bugs[bug.id][0].text,
        author_id: bot.id,
        is_private: 0,
        is_markdown: 1,
        kind: 'plain',
      },
    ])
    expect(await loadRowsOfBug('history', bug.id)).toMatchObject([
      { field: 'status', added: 'RESOLVED', author_id: bot.id },
      { field: 'resolution', added: 'FIXED', author_id: bot.id },
    ])
    expect(await loadRowsOfBug('notices', bug.id)).toHaveLength(1)
    expect(await loadPush(bug.id)).toMatchObject({ lease_until: null, last_error: null })
    expect((await loadPush(bug.id))?.done_at).not.toBeNull()
  })

  test('acts with full rights on bugs that the bot neither sees nor may edit', async () => {
    const bug = await insertBug()
    const group = await insertGroup()
    await restrictBug(bug.id, group)
    await execute(sql`INSERT INTO group_controls (product_id, group_id, membercontrol, othercontrol, canedit)
      SELECT product_id, ${group.id}, 3, 3, 1 FROM bugs WHERE id = ${bug.id}`)
    await offerQeVerify(bug.id, { grantGroupId: group.id })
    await push(bug.id)
    await applyWaitingPushes(bug.id)
    const row = await loadRow('bugs', sql`id = ${bug.id}`)
    expect(row).toMatchObject({ comment_count: 1, revision: 1 })
    expect(await countRows('flags', sql`bug_id = ${bug.id} AND status = '+'`)).toBe(1)
    expect((await get(bot, `/rest/bug/${bug.id}`)).status).toBe(401)
  })

  test('only comments on a bug with the keyword leave-open, in any case', async () => {
    const bug = await insertBug()
    await execute(
      sql`INSERT OR IGNORE INTO keywords (name, name_fold, description) VALUES ('Leave-Open', 'leave-open', '')`,
      sql`INSERT INTO bug_keywords (bug_id, keyword_id)
        SELECT ${bug.id}, id FROM keywords WHERE name_fold = 'leave-open'`,
    )
    await offerQeVerify(bug.id)
    await push(bug.id)
    await applyWaitingPushes(bug.id)
    expect(await stateOf(bug.id)).toMatchObject({ status: 'CONFIRMED', resolution: '', flags: [] })
    expect(await loadRowsOfBug('comments', bug.id)).toHaveLength(1)
  })

  test.each([
    ['RESOLVED', 'WONTFIX'],
    ['VERIFIED', 'FIXED'],
  ])('only comments on a bug that is %s %s', async (status, resolution) => {
    const bug = await insertBug()
    await put(editor, `/rest/bug/${bug.id}`, { status: 'RESOLVED', resolution })
    if (status === 'VERIFIED') {
      await put(editor, `/rest/bug/${bug.id}`, { status })
    }
    await push(bug.id)
    await applyWaitingPushes(bug.id)
    expect(await stateOf(bug.id)).toMatchObject({ status, resolution })
    expect(await loadRowsOfBug('comments', bug.id)).toHaveLength(1)
  })

  test('asks for verification unless it is told not to, or the flag is there', async () => {
    const [plain, told, flagged] = [await insertBug(), await insertBug(), await insertBug()]
    for (const { id } of [plain, told, flagged]) {
      await offerQeVerify(id)
    }
    const flags = [{ name: 'qe-verify', status: '-' }]
    expect((await put(editor, `/rest/bug/${flagged.id}`, { flags })).status).toBe(200)
    await push(plain.id)
    await push(told.id, { query: '?no-qe-verify=1' })
    await push(flagged.id)
    await applyWaitingPushes(plain.id, told.id, flagged.id)
    const flagsOf = async ({ id }: { id: number }) =>
      (await stateOf(id)).flags.map((flag: { status: string }) => flag.status)
    expect(await flagsOf(plain)).toEqual(['+'])
    expect((await stateOf(plain.id)).flags[0].setter).toBe(bot.login)
    expect(await flagsOf(told)).toEqual([])
    expect(await flagsOf(flagged)).toEqual(['-'])
  })

  test('sets status flag and milestone of the branch, where they exist', async () => {
    const [one, other] = [await insertBug(), await insertBug()]
    const field = await insertCustomField(FIELD_TYPE.single, {
      values: ['---', 'affected', 'fixed'],
    })
    const [place] = await execute(sql`SELECT product_id AS id FROM bugs WHERE id = ${one.id}`)
    await insertProductPart('milestones', { id: Number(place?.id) } as never, '141 Branch')
    await push(one.id)
    await push(other.id)
    const rules = { 'example/browser': { main: { field: field.name, milestone: '141 Branch' } } }
    const settings = {
      ...systemCtx(env, createExecutionContext()).settings,
      PUSH_STATUS_FLAGS: rules,
    }
    await consume({ settings }, one.id)
    await consume({ settings }, other.id)
    expect(await stateOf(one.id)).toMatchObject({
      status: 'RESOLVED',
      target_milestone: '141 Branch',
      [field.name]: 'fixed',
    })
    // the product of the other bug has no such milestone
    expect(await stateOf(other.id)).toMatchObject({ status: 'RESOLVED', [field.name]: 'fixed' })
    expect((await stateOf(other.id)).target_milestone).not.toBe('141 Branch')
  })

  test('still comments when the workflow does not let the bug be resolved', async () => {
    const bug = await insertBug()
    const moves = sql`to_id = (SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
      WHERE f.name = 'bug_status' AND v.name = 'RESOLVED')`
    const saved = await execute(sql`SELECT * FROM status_transitions WHERE ${moves}`)
    await execute(sql`DELETE FROM status_transitions WHERE ${moves}`)
    await offerQeVerify(bug.id)
    await push(bug.id)
    await applyWaitingPushes(bug.id)
    await execute(
      ...saved.map(
        ({ from_id: from, to_id: to, comment_required: required }) =>
          sql`INSERT INTO status_transitions (from_id, to_id, comment_required) VALUES (${from}, ${to}, ${required})`,
      ),
    )
    expect(await stateOf(bug.id)).toMatchObject({ status: 'CONFIRMED', flags: [] })
    expect(await loadRowsOfBug('comments', bug.id)).toHaveLength(1)
  })

  test('comments though the account was disabled since', async () => {
    const [bug, other] = [await insertBug(), await insertBot()]
    await sendEvent(other, 'push_comment', buildPush([`bug ${bug.id}`]))
    await execute(sql`UPDATE users SET login_denied_text = 'Gone' WHERE id = ${other.id}`)
    await applyWaitingPushes(bug.id)
    expect(await loadRowsOfBug('comments', bug.id)).toMatchObject([{ author_id: other.id }])
  })

  test('together with others, be they about one bug, has each its comment', async () => {
    const bug = await insertBug()
    for (const after of ['1', '2', '3', '4', '5']) {
      await push(bug.id, {}, { after })
    }
    await applyWaitingPushes(bug.id)
    expect(await loadRowsOfBug('comments', bug.id)).toHaveLength(5)
    const history = await loadRowsOfBug('history', bug.id)
    expect(history.map(({ field }) => field)).toEqual(['status', 'resolution'])
    expect(await countRows('codehost_pushes', sql`bug_id = ${bug.id} AND done_at IS NULL`)).toBe(0)
  })
})

test('the queue applies the pushes that its messages name, and others that wait', async () => {
  // those of other tests would come first
  await execute(sql`UPDATE codehost_pushes SET done_at = 1 WHERE done_at IS NULL`)
  const [one, other] = [await insertBug(), await insertBug()]
  await push(one.id)
  await push(other.id)
  const body = { kind: 'push', id: (await loadPush(one.id))?.id }
  const batch = createMessageBatch('lacewing-events', [
    { id: 'm0', timestamp: new Date(), attempts: 1, body },
  ])
  const executionContext = createExecutionContext()
  await queue(batch, env, executionContext)
  const result = await getQueueResult(batch, executionContext)
  expect(result).toMatchObject({ outcome: 'ok', explicitAcks: ['m0'], retryMessages: [] })
  expect(await stateOf(one.id)).toMatchObject({ status: 'RESOLVED' })
  expect(await stateOf(other.id)).toMatchObject({ status: 'RESOLVED' })
})

describe('a push is applied once', () => {
  test('though several workers and messages are about it', async () => {
    const bug = await insertBug()
    await push(bug.id)
    await Promise.all([applyWaitingPushes(bug.id), applyWaitingPushes(bug.id)])
    await consume({}, bug.id)
    expect(await loadRowsOfBug('comments', bug.id)).toHaveLength(1)
  })

  test('though its worker dies at any statement of the write', async () => {
    const bug = await insertBug()
    await offerQeVerify(bug.id)
    await push(bug.id)
    const writing = 4
    for (let place = 0; ; place += 1) {
      await execute(sql`UPDATE codehost_pushes SET attempts = 0, next_attempt_at = 0, lease_until = NULL
        WHERE bug_id = ${bug.id}`)
      const before = await loadFootprint()
      const session = openFailingSession(writing, place)
      expect(await consumeWith(session, bug.id)).toHaveProperty('retryInSeconds')
      expect(await loadFootprint(), `nothing is left of statement ${place}`).toEqual(before)
      if (place === (session.sent[writing - 1] ?? 0) - 1) {
        break
      }
    }
    await execute(sql`UPDATE codehost_pushes SET next_attempt_at = 0 WHERE bug_id = ${bug.id}`)
    expect(await consume({}, bug.id)).toBe('done')
    expect(await loadRowsOfBug('comments', bug.id)).toHaveLength(1)
  })

  test('though another worker takes the row over when the lease runs out', async () => {
    const bug = await insertBug()
    await push(bug.id)
    const takeOver = async () => {
      await execute(sql`UPDATE codehost_pushes SET lease_until = 1 WHERE bug_id = ${bug.id}`)
      await consume({}, bug.id)
    }
    for (const trip of [2, 4]) {
      await execute(
        sql`UPDATE codehost_pushes SET done_at = NULL, attempts = 0 WHERE bug_id = ${bug.id}`,
      )
      const before = await countRows('comments', sql`bug_id = ${bug.id}`)
      await consumeWith(openInterruptedSession(trip, takeOver), bug.id)
      expect(await countRows('comments', sql`bug_id = ${bug.id}`)).toBe(before + 1)
    }
  })

  test('by the state of the bug at that moment', async () => {
    const bug = await insertBug()
    await push(bug.id)
    const close = () =>
      put(editor, `/rest/bug/${bug.id}`, { status: 'RESOLVED', resolution: 'INVALID' })
    await consumeWith(openInterruptedSession(3, close), bug.id)
    expect(await stateOf(bug.id)).toMatchObject({ resolution: 'INVALID' })
    const other = await insertBug()
    await push(other.id)
    const closeOther = () =>
      put(editor, `/rest/bug/${other.id}`, { status: 'RESOLVED', resolution: 'INVALID' })
    await consumeWith(openInterruptedSession(4, closeOther), other.id)
    expect(await stateOf(other.id)).toMatchObject({ resolution: 'INVALID' })
    expect(await loadRowsOfBug('comments', other.id)).toHaveLength(1)
  })
})
