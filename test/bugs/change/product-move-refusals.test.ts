import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../src/bugs/change/change.ts'
import { changeBugInput } from '../../../src/bugs/change/input.ts'
import { postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

type Body = Record<string, unknown>

let editor: TestPerson
let reporter: TestPerson
let owner: TestPerson
let contact: TestPerson
let follower: TestPerson
let from: TestProduct
let to: TestProduct
let bug: number

const change = (removed: string, added: string) => ({ removed, added })

/** Another component of a product, with people of its own. */
async function component(place: TestProduct, name: string, isActive = 1): Promise<void> {
  await execute(
    sql`INSERT INTO components (product_id, name, name_fold, description, is_active,
        default_assignee_id, default_qa_contact_id)
      VALUES (${place.id}, ${name}, ${name.toLowerCase()}, 'x', ${isActive}, ${owner.id}, ${contact.id})`,
    sql`INSERT INTO component_cc (component_id, user_id)
      SELECT max(id), ${follower.id} FROM components`,
  )
}

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  reporter = await insertPerson()
  owner = await insertPerson()
  contact = await insertPerson()
  follower = await insertPerson()
  from = await insertProduct()
  to = await insertProduct()
  await component(from, 'Engine')
  await component(from, 'Attic', 0)
  await component(to, 'Engine')
  await component(to, 'Body')
  await execute(
    sql`INSERT INTO versions (product_id, name, name_fold, is_active)
      VALUES (${from.id}, '7', '7', 1), (${to.id}, '7', '7', 0), (${to.id}, '8', '8', 1)`,
    sql`INSERT INTO milestones (product_id, name, name_fold, is_active) VALUES
      (${from.id}, 'M1', 'm1', 1), (${to.id}, 'M1', 'm1', 1), (${from.id}, 'M2', 'm2', 1),
      (${to.id}, 'M3', 'm3', 0)`,
  )
})

beforeEach(async () => {
  bug = await postBug(reporter, from)
  await updateBugRow(bug, { changed_at: 1000 })
})

describe('moving refuses', () => {
  test.each<[string, () => Body, number, number, string]>([
    ['no product', () => ({ product: ' ' }), 401, 106, ''],
    ['null for a product', () => ({ product: null }), 401, 106, ''],
    ['an unknown product', () => ({ product: 'Nowhere' }), 401, 106, 'Nowhere'],
    ['no component', () => ({ component: '' }), 400, 105, ''],
    ['null for a component', () => ({ component: null }), 400, 105, ''],
    ['an unknown component', () => ({ component: 'Cellar' }), 404, 51, 'Cellar'],
    ['an inactive component', () => ({ component: 'Attic' }), 404, 51, 'not active'],
    ['a component of the other product', () => ({ component: 'Body' }), 404, 51, 'Body'],
    [
      'a component that the new product lacks',
      () => ({ product: to.name }),
      404,
      51,
      'no component',
    ],
    [
      'a version that it lacks',
      () => ({ product: to.name, component: 'Body', version: '9' }),
      404,
      51,
      "'9'",
    ],
    [
      'an inactive version there',
      () => ({ product: to.name, component: 'Body', version: '7' }),
      404,
      51,
      'not active',
    ],
    [
      'a blank version',
      () => ({ product: to.name, component: 'Body', version: '' }),
      400,
      50,
      'version',
    ],
    [
      'a milestone that it lacks',
      () => ({ product: to.name, component: 'Body', target_milestone: 'M2' }),
      404,
      51,
      'M2',
    ],
    [
      'an inactive milestone',
      () => ({ product: to.name, component: 'Body', target_milestone: 'M3' }),
      404,
      51,
      'M3',
    ],
  ])('%s', async (_, body, status, code, naming) => {
    const request = () => put(editor, `/rest/bug/${bug}`, { comment: 'Not this.', ...body() })
    await expectRefusal(request, status, code, naming)
  })

  test('a milestone that the bug would bring along to where there is none', async () => {
    await changeBug(editor, bug, { target_milestone: 'M2' })
    const body = { product: to.name, component: 'Body' }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 404, 51, 'M2')
  })

  test('who has no part in the bug', async () => {
    const stranger = await insertPerson()
    for (const body of [{ product: to.name, component: 'Body' }, { component: 'Engine' }]) {
      const [field] = Object.keys(body)
      await expectRefusal(() => put(stranger, `/rest/bug/${bug}`, body), 401, 115, `'${field}'`)
    }
  })

  test('a closed product, and one that is not to be entered as if it did not exist', async () => {
    const closed = await insertProduct({ isActive: false })
    const secret = await insertProduct({ controls: [{ group: await insertGroup(), entry: true }] })
    const attempt = (place: TestProduct) => () =>
      put(editor, `/rest/bug/${bug}`, { product: place.name, component: place.component })
    await expectRefusal(attempt(closed), 401, 106, 'no new bugs')
    await expectRefusal(attempt(secret), 401, 106, 'does not exist')
    await expectRefusal(
      attempt({ ...secret, name: uniqueName('None') }),
      401,
      106,
      'does not exist',
    )
  })

  test('a closed product that the caller may not know of, like one that does not exist', async () => {
    const secret = await insertProduct({
      isActive: false,
      controls: [{ group: await insertGroup(), memberControl: 3, otherControl: 3 }],
    })
    const body = { product: secret.name, component: secret.component }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 401, 106, 'does not exist')
  })
})

describe('a move and others at the same time', () => {
  async function moved(body: Body, meanwhile: () => Promise<unknown>) {
    const session = openInterruptedSession(2, meanwhile)
    const input = changeBugInput.parse({ id_or_alias: String(bug), ...body })
    const { bugs } = await changeBugs(buildCtx(editor, ['editbugs'], session), input)
    return { changes: bugs[0]?.changes, trips: session.cost.trips }
  }

  test('is decided again when the bug has moved already', async () => {
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

  test('is refused when the product has been closed', async () => {
    const goal = await insertProduct()
    const body = { product: goal.name, component: goal.component }
    const closing = () =>
      execute(sql`UPDATE products SET is_active = 0, revision = revision + 1 WHERE id = ${goal.id}`)
    await expect(moved(body, closing)).rejects.toMatchObject({ code: 106 })
    expect(await loadBugRow(bug)).toMatchObject({ product_id: from.id })
  })

  test('resets to whom the component belongs by then', async () => {
    const home = await insertProduct()
    const id = await postBug(editor, home, { assigned_to: editor.login })
    const input = changeBugInput.parse({ id_or_alias: String(id), reset_assigned_to: true })
    const session = openInterruptedSession(2, () =>
      execute(sql`UPDATE components SET default_assignee_id = ${follower.id}, revision = revision + 1
        WHERE product_id = ${home.id}`),
    )
    const { bugs } = await changeBugs(buildCtx(editor, ['editbugs'], session), input)
    expect(bugs[0]?.changes.assigned_to).toEqual(change(editor.login, follower.login))
  })
})
