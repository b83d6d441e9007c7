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
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
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

describe('a move to another product', () => {
  test('takes along what has the same names there', async () => {
    await changeBug(editor, bug, { component: 'engine', version: '1.0', target_milestone: 'M1' })
    expect(await changeBug(editor, bug, { product: to.name.toUpperCase() })).toEqual({
      product: change(from.name, to.name),
    })
    expect(await readWholeBug(editor, bug)).toMatchObject({
      product: to.name,
      component: 'Engine',
      version: '1.0',
      target_milestone: 'M1',
    })
    const [row] = await execute(sql`SELECT c.product_id AS c, v.product_id AS v, m.product_id AS m
      FROM bugs b JOIN components c ON c.id = b.component_id JOIN versions v ON v.id = b.version_id
      JOIN milestones m ON m.id = b.milestone_id WHERE b.id = ${bug}`)
    expect(row).toEqual({ c: to.id, v: to.id, m: to.id })
  })

  test('takes what is asked for, all in one call', async () => {
    const body = { product: to.name, component: 'body', version: '8', target_milestone: 'm1' }
    expect(await changeBug(editor, bug, body)).toEqual({
      product: change(from.name, to.name),
      component: change(from.component, 'Body'),
      version: change('unspecified', '8'),
      target_milestone: change('---', 'M1'),
      cc: change('', follower.login),
    })
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(1000)
    const history = await loadRowsOfBug('history', bug)
    expect(history.map(({ field }) => field).sort()).toEqual(
      ['product', 'component', 'version', 'target_milestone', 'cc'].sort(),
    )
  })

  test.each<[string, Body, string]>([
    ['unknown there becomes the default one', { version: '2.0' }, 'unspecified'],
    ['inactive there does too', { version: '7' }, 'unspecified'],
    ['of the same name stays', { version: '1.0' }, '1.0'],
  ])('a version that is %s', async (_, before, expected) => {
    await execute(sql`INSERT OR IGNORE INTO versions (product_id, name, name_fold)
      VALUES (${from.id}, '2.0', '2.0')`)
    await changeBug(editor, bug, before)
    await changeBug(editor, bug, { product: to.name, component: 'Body' })
    expect(await readWholeBug(editor, bug)).toMatchObject({ version: expected })
  })

  test('resets the milestone when it comes from the reporter, whatever they ask for', async () => {
    await changeBug(editor, bug, { target_milestone: 'M2' })
    const body = { product: to.name, component: 'Body', target_milestone: 'M1' }
    expect(await changeBug(reporter, bug, body)).toMatchObject({
      target_milestone: change('M2', '---'),
    })
  })

  test('leaves assignee and QA contact, unless they are reset to the new component', async () => {
    await changeBug(editor, bug, { assigned_to: editor.login })
    await changeBug(editor, bug, { product: to.name, component: 'Body' })
    expect(await readWholeBug(editor, bug)).toMatchObject({ assigned_to: editor.login })
    const back = { product: from.name, component: 'Engine' }
    const resets = { reset_assigned_to: true, reset_qa_contact: true }
    expect(await changeBug(editor, bug, { ...back, ...resets })).toMatchObject({
      assigned_to: change(editor.login, owner.login),
      qa_contact: change('', contact.login),
    })
  })

  test('brings the people of the new component, but for those that the request removes', async () => {
    const body = { product: to.name, component: 'Body', cc: { remove: [follower.login] } }
    expect(await changeBug(editor, bug, body)).not.toHaveProperty('cc')
    await changeBug(editor, bug, { component: 'Engine', cc: { add: [editor.login] } })
    expect(await readWholeBug(editor, bug)).toMatchObject({
      cc: [editor.login, follower.login].sort(),
    })
  })

  test('of several bugs gives each what its names mean there', async () => {
    const other = await postBug(editor, from, { component: 'Engine', version: '7' })
    const third = await postBug(editor, to, { component: 'Engine', version: '8' })
    const body = { ids: [other, third], product: to.name, component: 'Engine' }
    const answer = await put(editor, `/rest/bug/${bug}`, body)
    expect(answer, answer.text).toMatchObject({ status: 200, cost: { trips: 2 } })
    expect(
      answer.body.bugs.map(({ changes }: { changes: Body }) => Object.keys(changes).sort()),
    ).toEqual([['cc', 'component', 'product'], ['product', 'version'], []])
  })

  test('takes off groups that mean nothing there and adds those that are mandatory', async () => {
    const member = await insertPerson({ roles: ['editbugs'] })
    const [old, kept, fresh] = await Promise.all([
      insertGroup([member]),
      insertGroup([member]),
      insertGroup([member]),
    ])
    const shown = { memberControl: 1, otherControl: 0 }
    const start = await insertProduct({
      controls: [
        { group: old, ...shown },
        { group: kept, ...shown },
      ],
    })
    const goal = await insertProduct({
      controls: [
        { group: kept, ...shown },
        { group: fresh, memberControl: 3, otherControl: 3 },
      ],
    })
    const id = await postBug(member, start, { groups: [old.name, kept.name] })
    const changes = await changeBug(member, id, { product: goal.name, component: goal.component })
    expect(changes.groups).toEqual(change(old.name, fresh.name))
    expect(await readWholeBug(member, id)).toMatchObject({ groups: [kept.name, fresh.name].sort() })
    expect(await loadBugRow(id)).toMatchObject({ group_count: 2 })
  })

  test('lets who moves the bug put it into a group that is open to others there', async () => {
    const theirs = await insertGroup()
    const goal = await insertProduct({
      controls: [{ group: theirs, memberControl: 1, otherControl: 1 }],
    })
    const body = { product: goal.name, component: goal.component, groups: { add: [theirs.name] } }
    expect(await changeBug(reporter, bug, body)).toMatchObject({ groups: change('', theirs.name) })
    expect(await readWholeBug(reporter, bug)).toMatchObject({ groups: [theirs.name] })
    await expectRefusal(
      () => put(reporter, `/rest/bug/${bug}`, { groups: { remove: [theirs.name] } }),
      401,
      120,
      theirs.name,
    )
  })

  test('judges a status by the new product', async () => {
    const strict = await insertProduct({ hasUnconfirmed: false })
    const body = { product: strict.name, component: strict.component }
    await changeBug(editor, bug, { status: 'CONFIRMED' })
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { ...body, status: 'UNCONFIRMED' }),
      400,
      123,
    )
    await changeBug(editor, bug, { status: 'UNCONFIRMED' })
    expect(await changeBug(editor, bug, body)).not.toHaveProperty('status')
  })
})

describe('a component alone', () => {
  test('is changed within the product, with its people on the CC list', async () => {
    expect(await changeBug(reporter, bug, { component: ' ENGINE ' })).toEqual({
      component: change(from.component, 'Engine'),
      cc: change('', follower.login),
    })
    expect(await changeBug(editor, bug, { component: 'Engine', product: from.name })).toEqual({})
  })

  test('may stay though it is inactive, in a product that is closed', async () => {
    const home = await insertProduct()
    const id = await postBug(editor, home)
    await execute(
      sql`UPDATE components SET is_active = 0 WHERE product_id = ${home.id}`,
      sql`UPDATE products SET is_active = 0 WHERE id = ${home.id}`,
    )
    const same = { product: home.name, component: home.component, whiteboard: '[x]' }
    expect(Object.keys(await changeBug(editor, id, same))).toEqual(['whiteboard'])
  })
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
