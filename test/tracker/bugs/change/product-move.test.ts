import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildProductMoveWorld } from '../../../support/worlds/product-move.ts'

type Body = Record<string, unknown>

let bug: number

const change = (removed: string, added: string) => ({ removed, added })

const { editor, reporter, owner, contact, follower, from, to } = await buildProductMoveWorld()

beforeEach(async () => {
  bug = await postBug(reporter, from)
  await updateBugRow(bug, { changed_at: 1000 })
})

describe('PUT /bug with another product', () => {
  test('keeps component, version and milestone that have the same names in the new product', async () => {
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

  test('changes component, version and milestone in the same request', async () => {
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
    ['that the new product lacks becomes the default version', { version: '2.0' }, 'unspecified'],
    ['that is inactive there becomes the default version', { version: '7' }, 'unspecified'],
    ['that has the same name there stays', { version: '1.0' }, '1.0'],
  ])('a version %s', async (_, before, expected) => {
    await execute(sql`INSERT OR IGNORE INTO versions (product_id, name, name_fold)
      VALUES (${from.id}, '2.0', '2.0')`)
    await changeBug(editor, bug, before)
    await changeBug(editor, bug, { product: to.name, component: 'Body' })
    expect(await readWholeBug(editor, bug)).toMatchObject({ version: expected })
  })

  test('resets the milestone for a reporter, even if the request names one', async () => {
    await changeBug(editor, bug, { target_milestone: 'M2' })
    const body = { product: to.name, component: 'Body', target_milestone: 'M1' }
    expect(await changeBug(reporter, bug, body)).toMatchObject({
      target_milestone: change('M2', '---'),
    })
  })

  test('keeps assignee and QA contact unless they are reset to those of the new component', async () => {
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

  test('adds the CC list of the new component, without people whom the request removes', async () => {
    const body = { product: to.name, component: 'Body', cc: { remove: [follower.login] } }
    expect(await changeBug(editor, bug, body)).not.toHaveProperty('cc')
    await changeBug(editor, bug, { component: 'Engine', cc: { add: [editor.login] } })
    expect(await readWholeBug(editor, bug)).toMatchObject({
      cc: [editor.login, follower.login].sort(),
    })
  })

  test('gives each of several bugs the component and version of that name in the new product', async () => {
    const other = await postBug(editor, from, { component: 'Engine', version: '7' })
    const third = await postBug(editor, to, { component: 'Engine', version: '8' })
    const body = { ids: [other, third], product: to.name, component: 'Engine' }
    const answer = await put(editor, `/rest/bug/${bug}`, body)
    expect(answer, answer.text).toMatchObject({ status: 200, cost: { trips: 2 } })
    expect(
      answer.body.bugs.map(({ changes }: { changes: Body }) => Object.keys(changes).sort()),
    ).toEqual([['cc', 'component', 'product'], ['product', 'version'], []])
  })

  test('removes groups that do not apply in the new product and adds its mandatory groups', async () => {
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

  test('lets the caller add a group that the new product offers to everybody', async () => {
    const theirs = await insertGroup()
    const goal = await insertProduct({
      controls: [{ group: theirs, memberControl: 1, otherControl: 1 }],
    })
    const body = { product: goal.name, component: goal.component, groups: { add: [theirs.name] } }
    expect(await changeBug(reporter, bug, body)).toMatchObject({ groups: change('', theirs.name) })
    expect(await readWholeBug(reporter, bug)).toMatchObject({ groups: [theirs.name] })
    await expectRefusal(
      () => put(reporter, `/rest/bug/${bug}`, { groups: { remove: [theirs.name] } }),
      120,
      theirs.name,
    )
  })

  test('checks a status against the new product', async () => {
    const strict = await insertProduct({ hasUnconfirmed: false })
    const body = { product: strict.name, component: strict.component }
    await changeBug(editor, bug, { status: 'CONFIRMED' })
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { ...body, status: 'UNCONFIRMED' }),
      123,
    )
    await changeBug(editor, bug, { status: 'UNCONFIRMED' })
    expect(await changeBug(editor, bug, body)).not.toHaveProperty('status')
  })
})

describe('PUT /bug with another component', () => {
  test('changes the component within the product and adds its CC list', async () => {
    expect(await changeBug(reporter, bug, { component: ' ENGINE ' })).toEqual({
      component: change(from.component, 'Engine'),
      cc: change('', follower.login),
    })
    expect(await changeBug(editor, bug, { component: 'Engine', product: from.name })).toEqual({})
  })

  test('accepts the same component although it is inactive and its product closed', async () => {
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
