import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'
import { buildProductMoveWorld } from '../../../support/worlds/product-move.ts'

type Body = Record<string, unknown>

let bug: number

const change = (removed: string, added: string) => ({ removed, added })

const { editor, reporter, follower, from, to } = await buildProductMoveWorld()

beforeEach(async () => {
  bug = await postBug(reporter, from)
  await updateBugRow(bug, { changed_at: 1000 })
})

describe('PUT /bug with another product', () => {
  test.each<[string, number, () => Body, string?]>([
    ['a blank product', 106, () => ({ product: ' ' })],
    ['a null product', 106, () => ({ product: null })],
    ['an unknown product', 106, () => ({ product: 'Nowhere' }), 'Nowhere'],
    ['a blank component', 105, () => ({ component: '' })],
    ['a null component', 105, () => ({ component: null })],
    ['an unknown component', 51, () => ({ component: 'Cellar' }), 'Cellar'],
    ['an inactive component', 51, () => ({ component: 'Attic' }), 'not active'],
    ['a component of another product', 51, () => ({ component: 'Body' }), 'Body'],
    ['a component that the new product lacks', 51, () => ({ product: to.name }), 'no component'],
    [
      'a version that the new product lacks',
      51,
      () => ({ product: to.name, component: 'Body', version: '9' }),
      "'9'",
    ],
    [
      'an inactive version of the new product',
      51,
      () => ({ product: to.name, component: 'Body', version: '7' }),
      'not active',
    ],
    [
      'a blank version in the new product',
      50,
      () => ({ product: to.name, component: 'Body', version: '' }),
      'version',
    ],
    [
      'a milestone that the new product lacks',
      51,
      () => ({ product: to.name, component: 'Body', target_milestone: 'M2' }),
      'M2',
    ],
    [
      'an inactive milestone of the new product',
      51,
      () => ({ product: to.name, component: 'Body', target_milestone: 'M3' }),
      'M3',
    ],
  ])('rejects %s with %i', async (_, code, body, naming) => {
    const request = () => put(editor, `/rest/bug/${bug}`, { comment: 'Not this.', ...body() })
    await expectRefusal(request, code, naming)
  })

  test('rejects a milestone that the bug keeps but the new product lacks with 51', async () => {
    await changeBug(editor, bug, { target_milestone: 'M2' })
    const body = { product: to.name, component: 'Body' }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 51, 'M2')
  })

  test('rejects people who have no role in the bug with 115', async () => {
    const stranger = await insertPerson()
    for (const body of [{ product: to.name, component: 'Body' }, { component: 'Engine' }]) {
      const [field] = Object.keys(body)
      await expectRefusal(() => put(stranger, `/rest/bug/${bug}`, body), 115, `'${field}'`)
    }
  })

  test('rejects a closed product, and a product that the caller may not enter as if it did not exist', async () => {
    const closed = await insertProduct({ isActive: false })
    const secret = await insertProduct({ controls: [{ group: await insertGroup(), entry: true }] })
    const attempt = (place: TestProduct) => () =>
      put(editor, `/rest/bug/${bug}`, { product: place.name, component: place.component })
    await expectRefusal(attempt(closed), 106, 'no new bugs')
    await expectRefusal(attempt(secret), 106, 'does not exist')
    await expectRefusal(attempt({ ...secret, name: uniqueName('None') }), 106, 'does not exist')
  })

  test('rejects a closed product that the caller may not see as if it did not exist', async () => {
    const secret = await insertProduct({
      isActive: false,
      controls: [{ group: await insertGroup(), memberControl: 3, otherControl: 3 }],
    })
    const body = { product: secret.name, component: secret.component }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 106, 'does not exist')
  })
})

describe('PUT /bug with another product while somebody else changes it', () => {
  async function moved(body: Body, meanwhile: () => Promise<unknown>) {
    const session = openInterruptedSession(2, meanwhile)
    const input = changeBugInput.parse({ id_or_alias: String(bug), ...body })
    const { bugs } = await changeBugs.run(buildCtx(editor, ['editbugs'], session), input)
    return { changes: bugs[0]?.changes, trips: session.cost.trips }
  }

  test('decides again when the bug has already moved', async () => {
    const third = await insertProduct()
    const { changes, trips } = await moved({ product: to.name, component: 'Body' }, () =>
      changeBug(editor, bug, { product: third.name, component: third.component }),
    )
    expect(changes).toMatchObject({ product: change(third.name, to.name) })
    expect(trips).toBe(4)
  })

  test('never leaves a version of one product on a bug of another', async () => {
    await expect(
      moved({ version: '7' }, () =>
        changeBug(editor, bug, { product: to.name, component: 'Body' }),
      ),
    ).rejects.toMatchObject({ code: 51 })
    const [row] = await execute(sql`SELECT v.product_id AS version, b.product_id AS product
      FROM bugs b JOIN versions v ON v.id = b.version_id WHERE b.id = ${bug}`)
    expect(row).toEqual({ version: to.id, product: to.id })
  })

  test('rejects the move with 106 when the product has been closed', async () => {
    const goal = await insertProduct()
    const body = { product: goal.name, component: goal.component }
    const closing = () =>
      execute(sql`UPDATE products SET is_active = 0, revision = revision + 1 WHERE id = ${goal.id}`)
    await expect(moved(body, closing)).rejects.toMatchObject({ code: 106 })
    expect(await loadBugRow(bug)).toMatchObject({ product_id: from.id })
  })

  test('resets the assignee to the one whom the component has by then', async () => {
    const home = await insertProduct()
    const id = await postBug(editor, home, { assigned_to: editor.login })
    const input = changeBugInput.parse({ id_or_alias: String(id), reset_assigned_to: true })
    const session = openInterruptedSession(2, () =>
      execute(sql`UPDATE components SET default_assignee_id = ${follower.id}, revision = revision + 1
        WHERE product_id = ${home.id}`),
    )
    const { bugs } = await changeBugs.run(buildCtx(editor, ['editbugs'], session), input)
    expect(bugs[0]?.changes.assigned_to).toEqual(change(editor.login, follower.login))
  })
})
