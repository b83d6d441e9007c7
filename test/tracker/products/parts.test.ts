import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put, send } from '../../support/client.ts'
import { countRows, executeBatch } from '../../support/database/execute.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editcomponents'] })

const KINDS = [
  { kind: 'version', table: 'versions', label: 'Version', most: 64, ofBug: 'version' },
  {
    kind: 'milestone',
    table: 'milestones',
    label: 'Milestone',
    most: 20,
    ofBug: 'target_milestone',
  },
] as const

describe.each(KINDS)('a $kind', ({ kind, table, label, most, ofBug }) => {
  async function world() {
    const place = await insertProduct()
    const path = `/rest/product/${place.name}/${kind}`
    const { id } = (await post(editor, path, { name: 'M 1' })).body
    const listed = async () =>
      (await get(ANYONE, `/rest/product/${place.id}?include_fields=${table}`)).body.products[0][
        table
      ]
    return { place, path, id: Number(id), listed }
  }

  const remove = (sender: { key?: string }, path: string) => send(sender, 'DELETE', path)

  describe('answers', () => {
    test('its ID when it is added, and is part of the product from then on', async () => {
      const { path, listed } = await world()
      const values = { sort_key: -3, is_active: false }
      const made = await post(editor, path, { name: '  M\n2 ', ...values })
      expect({ status: made.status, body: made.body }).toEqual({
        status: 201,
        body: { id: expect.any(Number) },
      })
      expect(await listed()).toContainEqual({ id: made.body.id, name: 'M 2', ...values })
      expect(await loadAuditEntries(label, made.body.id)).toMatchObject([
        { user_id: editor.id, action: 'create', changes: { name: { removed: '', added: 'M 2' } } },
      ])
    })

    test('what an update changed', async () => {
      const { path, id, listed } = await world()
      const body = { name: 'M 3', sort_key: '9', is_active: false }
      const answer = await put(editor, `${path}/m%201`, body)
      const changes = {
        name: { removed: 'M 1', added: 'M 3' },
        sort_key: { removed: '0', added: '9' },
        is_active: { removed: '1', added: '0' },
      }
      expect(answer.body).toEqual({ [table]: [{ id, changes }] })
      expect(await listed()).toContainEqual({ id, name: 'M 3', sort_key: 9, is_active: false })
      expect(await loadRevision(table, id)).toBe(1)
      expect(await loadAuditEntries(label, id)).toMatchObject([
        { action: 'create' },
        { user_id: editor.id, action: 'update', changes },
      ])
    })

    test('nothing when nothing changes, and writes nothing', async () => {
      const { path, id } = await world()
      const answer = await put(editor, `${path}/${id}`, { name: 'M 1', is_active: true })
      expect(answer.body).toEqual({ [table]: [{ id, changes: {} }] })
      expect(await loadRevision(table, id)).toBe(0)
    })

    test('to a number as its ID, or as its name when no ID fits', async () => {
      const { path, id } = await world()
      const numbered = (await post(editor, path, { name: '999999998' })).body.id
      expect((await put(editor, `${path}/${id}`, {})).body[table][0].id).toBe(id)
      expect((await put(editor, `${path}/999999998`, {})).body[table][0].id).toBe(numbered)
    })

    test('with its product by ID too', async () => {
      const { place } = await world()
      const made = await post(editor, `/rest/product/${place.id}/${kind}`, { name: 'by ID' })
      expect(made.status, made.text).toBe(201)
    })

    test('and is shown by bugs under its new name', async () => {
      const { place, path } = await world()
      const bug = (await post(editor, '/rest/bug', buildBugBody(place, { [ofBug]: 'M 1' }))).body.id
      await put(editor, `${path}/M%201`, { name: 'M one' })
      expect((await get(editor, `/rest/bug/${bug}`)).body.bugs[0][ofBug]).toBe('M one')
    })

    test('no more once it is removed', async () => {
      const { path, id, listed } = await world()
      expect((await remove(editor, `${path}/${id}`)).body).toEqual({ success: 1 })
      expect((await listed()).map((each: { name: string }) => each.name)).not.toContain('M 1')
      expect(await loadAuditEntries(label, id)).toMatchObject([
        { action: 'create' },
        { action: 'remove', changes: { name: { removed: 'M 1', added: '' } } },
      ])
      expectFault(await remove(editor, `${path}/${id}`), 404, 51)
    })

    test('to members of groups that may edit the components of the product', async () => {
      const member = await insertPerson()
      const own = await insertGroup([member])
      const place = await insertProduct({ controls: [{ group: own, editComponents: true }] })
      const made = await post(member, `/rest/product/${place.id}/${kind}`, { name: 'ours' })
      expect(made.status, made.text).toBe(201)
    })
  })

  describe('refuses', () => {
    test('a missing or blank name with 50, and one that is too long with 53', async () => {
      const { path, id } = await world()
      expectFault(await post(editor, path, {}), 400, 50, 'name')
      for (const [name, code] of [
        [' ', 50],
        ['x'.repeat(most + 1), 53],
      ] as const) {
        expectFault(await post(editor, path, { name }), 400, code, 'name')
        expectFault(await put(editor, `${path}/${id}`, { name }), 400, code, 'name')
      }
      expect((await post(editor, path, { name: 'x'.repeat(most) })).status).toBe(201)
    })

    test('a name that the product already has, in any case, with 32000', async () => {
      const { path, id } = await world()
      await post(editor, path, { name: 'Other' })
      expectFault(await post(editor, path, { name: ' m 1' }), 400, 32_000, kind)
      expectFault(await put(editor, `${path}/${id}`, { name: 'OTHER' }), 400, 32_000, 'OTHER')
      const answers = await Promise.all(
        [1, 2].map(() => post(editor, path, { name: 'Same moment' })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    })

    test('a sort key out of range with 53', async () => {
      const { path } = await world()
      const body = { name: 'x', sort_key: 32_768 }
      expectFault(await post(editor, path, body), 400, 53, 'sort_key')
    })

    test('to be removed while it is the default, with 32000', async () => {
      const { place, path, id } = await world()
      await put(editor, `/rest/product/${place.id}`, { [`default_${kind}`]: 'M 1' })
      expectFault(await remove(editor, `${path}/${id}`), 400, 32_000, 'M 1')
      expect(await loadRevision(table, id)).toBe(1)
    })

    test('to be removed while a bug has it, with 32000', async () => {
      const { place, path, id } = await world()
      await post(editor, '/rest/bug', buildBugBody(place, { [ofBug]: 'M 1' }))
      expectFault(await remove(editor, `${path}/${id}`), 400, 32_000, 'M 1')
    })

    test('to be removed under a bug that is being filed with it', async () => {
      const { place, path, id } = await world()
      const [filed, removed] = await Promise.all([
        post(editor, '/rest/bug', buildBugBody(place, { [ofBug]: 'M 1' })),
        remove(editor, `${path}/${id}`),
      ])
      expect([filed.status, removed.status].sort()).toSatisfy(
        (statuses: number[]) => String(statuses) === '200,400' || String(statuses) === '200,404',
      )
    })

    test('unknown parts with 51, and unknown products with 106', async () => {
      const { path } = await world()
      const other = await world()
      for (const name of ['NoSuch', '999999999', String(other.id)]) {
        expectFault(await put(editor, `${path}/${name}`, {}), 404, 51, name)
        expectFault(await remove(editor, `${path}/${name}`), 404, 51, name)
      }
      const unknown = `/rest/product/NoSuch/${kind}`
      expectFault(await post(editor, unknown, { name: 'x' }), 401, 106, 'NoSuch')
      expectFault(await put(editor, `${unknown}/x`, {}), 401, 106)
      expectFault(await remove(editor, `${unknown}/x`), 401, 106)
    })

    test('callers without the right with 304, and anonymous callers with 410', async () => {
      const { path, id } = await world()
      for (const [who, code] of [
        [await insertPerson({ roles: ['editbugs'] }), 304],
        [ANYONE, 410],
      ] as const) {
        expectFault(await post(who, path, { name: 'x' }), 401, code)
        expectFault(await put(who, `${path}/${id}`, { name: 'x' }), 401, code)
        expectFault(await remove(who, `${path}/${id}`), 401, code)
      }
      expect(await countRows(table, sql`name = 'M 1' AND id = ${id}`)).toBe(1)
    })
  })

  test('hides with 106 with its product', async () => {
    const { place, path, id } = await world()
    const secret = await insertGroup()
    await executeBatch(sql`INSERT INTO group_controls
      (product_id, group_id, entry, membercontrol, othercontrol)
      VALUES (${place.id}, ${secret.id}, 1, 3, 3)`)
    expectFault(await post(editor, path, { name: uniqueName('x') }), 401, 106)
    expectFault(await put(editor, `${path}/${id}`, { name: 'x' }), 401, 106)
    expectFault(await remove(editor, `${path}/${id}`), 401, 106)
    expect(await loadRevision(table, id)).toBe(0)
  })
})
