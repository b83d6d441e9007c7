import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { deleteOldAnswers } from '../../../src/edges/codehost/answers.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { buildPush } from '../../support/builders/codehost-events.ts'
import { insertBot, newDelivery, sendEvent } from '../../support/codehost.ts'
import { countRows, execute } from '../../support/database/execute.ts'

const DAY = 86_400

test('an answer is kept for seven days, and as long as one of its pushes', async () => {
  const [bot, bug] = [await insertBot(), await insertBug()]
  await sendEvent(bot, 'push_comment', buildPush([`bug ${bug.id}`]), { headers: newDelivery() })
  const ctx = systemCtx(env, createExecutionContext())
  const isKeptAfter = async (seconds: number) => {
    await execute(sql`UPDATE codehost_deliveries SET received_at = ${ctx.now - seconds}
      WHERE bot_id = ${bot.id}`)
    await deleteOldAnswers(ctx)
    return (await countRows('codehost_deliveries', sql`bot_id = ${bot.id}`)) === 1
  }
  expect(await isKeptAfter(20 * DAY)).toBe(true)
  await execute(sql`DELETE FROM codehost_pushes WHERE bug_id = ${bug.id}`)
  expect(await isKeptAfter(7 * DAY - 600)).toBe(true)
  expect(await isKeptAfter(7 * DAY + 600)).toBe(false)
})
