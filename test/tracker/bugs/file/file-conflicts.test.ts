import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { fileBug } from '../../../../src/tracker/bugs/file/file.ts'
import { fileBugInput } from '../../../../src/tracker/bugs/file/input.ts'
import { buildBugBody } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { loadBugRow } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'
import { buildFilingWorld } from '../../../support/worlds/filing.ts'

const { owner, reporter } = await buildFilingWorld()

describe('POST /bug while somebody else changes the product', () => {
  async function overtaken(meanwhile: () => Promise<unknown>) {
    const session = openInterruptedSession(2, meanwhile)
    const mine = await insertProduct({ assignee: owner })
    const body = buildBugBody(mine)
    const filing = fileBug.run(buildCtx(reporter, [], session), fileBugInput.parse(body))
    return { body, session, filing }
  }

  test.each(['products', 'components', 'versions', 'milestones'])(
    'decides again when the %s have changed',
    async (table) => {
      const id = table === 'products' ? sql`id` : sql`product_id`
      const { session, filing } = await overtaken(() =>
        execute(sql`UPDATE ${sql.raw(table)} SET revision = revision + 1 WHERE ${id} = (
          SELECT max(id) FROM products)`),
      )
      const bug = await loadBugRow((await filing).id)
      expect(session.cost.trips).toBe(4)
      expect(
        await execute(sql`SELECT id FROM bugs WHERE product_id = ${Number(bug.product_id)}`),
      ).toEqual([{ id: bug.id }])
    },
  )

  test('rejects the bug with 106 and writes nothing when the product has been closed', async () => {
    const { body, filing } = await overtaken(() =>
      execute(sql`UPDATE products SET is_active = 0, revision = revision + 1 WHERE id = (
        SELECT max(id) FROM products)`),
    )
    await expect(filing).rejects.toMatchObject({ code: 106 })
    expect(await execute(sql`SELECT id FROM bugs WHERE summary = ${body.summary}`)).toEqual([])
  })
})
