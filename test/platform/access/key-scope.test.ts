import { describe, expect, test } from 'vitest'
import { limitToScope } from '../../../src/platform/access/key-scope.ts'
import { insertBug, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertReminder } from '../../support/builders/later-work.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { expectFault, get, post, put, send } from '../../support/client.ts'

describe('the owner of a key', () => {
  const who = buildCaller({ id: 7, login: 'ann@example.test' }, [
    'admin',
    'editusers',
    'editbugs',
    'insider',
  ])
  const row = { keyId: 3, canWrite: 1, canAdminister: 1, productIds: null }

  test('is as without a key when the key has no limit, or when there is none', () => {
    expect(limitToScope(who, row)).toBe(who)
    expect(limitToScope(who, { ...row, keyId: null, canWrite: 0 })).toBe(who)
  })

  test.each<[string, Partial<typeof row> | { productIds: string }, string[], object]>([
    [
      'all roles when it only reads',
      { canWrite: 0 },
      ['admin', 'editusers', 'editbugs', 'insider'],
      { keyId: 3, canWrite: false, canAdminister: true, productIds: null },
    ],
    [
      'the roles of work without administration',
      { canAdminister: 0 },
      ['editbugs', 'insider'],
      { keyId: 3, canWrite: true, canAdminister: false, productIds: null },
    ],
    [
      'the same for some products, whatever else the row says',
      { productIds: '[5,6]' },
      ['editbugs', 'insider'],
      { keyId: 3, canWrite: true, canAdminister: false, productIds: [5, 6] },
    ],
  ])('keeps %s', (_, limits, roles, scope) => {
    const limited = limitToScope(who, { ...row, ...limits })
    expect([...limited.roles]).toEqual(roles)
    expect(limited.groups).toBe(who.groups)
    expect(limited.scope).toEqual(scope)
  })
})

const owner = await insertPerson({ roles: ['admin', 'editbugs', 'editcomponents', 'insider'] })
const inside = await insertProduct()
const outside = await insertProduct()
const key = await insertApiKey(owner, { products: [inside.id] })
const far = await insertBug({ place: outside, reporter: owner, assignee: owner })
const near = await insertBug({ place: inside })

describe('a key for some products', () => {
  test('sees bugs of their groups as its owner does', async () => {
    const bug = await insertBug({ place: inside })
    await restrictBug(bug.id, await insertGroup([owner]))
    const strange = await insertBug({ place: inside })
    await restrictBug(strange.id, await insertGroup())
    expect((await get(key, `/rest/bug/${bug.id}`)).status).toBe(200)
    expectFault(await get(key, `/rest/bug/${strange.id}`), 401, 102)
  })

  test.each([
    ['a bug', '/bug/{bug}'],
    ['its comments', '/bug/{bug}/comment'],
    ['its history', '/bug/{bug}/history'],
    ['its attachments', '/bug/{bug}/attachment'],
  ])('is refused with 102 for %s elsewhere, even of its owner', async (_, path) => {
    expectFault(await get(key, `/rest${path.replace('{bug}', String(far.id))}`), 401, 102)
  })

  test('counts, lists and finds no bugs elsewhere', async () => {
    const of = `id=${far.id},${near.id}`
    expect((await get(key, `/rest/bug?${of}&count_only=1`)).body).toEqual({ bug_count: 1 })
    const found = await get(key, `/rest/bug?${of}&include_fields=id`)
    expect(found.body.bugs).toEqual([{ id: near.id }])
    const words = encodeURIComponent(far.summary)
    const like = await get(key, `/rest/bug/possible_duplicates?summary=${words}`)
    expect(JSON.stringify(like.body)).not.toContain(far.summary)
    expect((await get(key, `/rest/bug?quicksearch=${words}`)).body.bugs).toEqual([])
  })

  test('lists no other product, even one that its owner administers', async () => {
    for (const list of ['accessible', 'enterable', 'selectable']) {
      const { body } = await get(key, `/rest/product_${list}`)
      expect(body.ids).toEqual([inside.id])
    }
    const names = `names=${inside.name}&names=${outside.name}`
    const { products } = (await get(key, `/rest/product?${names}&include_fields=name`)).body
    expect(products).toEqual([{ name: inside.name }])
    const { text } = await get(key, '/rest/configuration')
    expect(text).toContain(inside.name)
    expect(text).not.toContain(outside.name)
  })

  test.each<[string, string, string, object, number]>([
    ['comment', 'POST', '/bug/{bug}/comment', { comment: 'x' }, 102],
    ['change', 'PUT', '/bug/{bug}', { whiteboard: 'x' }, 102],
    ['visit', 'POST', '/bug_user_last_visit/{bug}', {}, 102],
    ['reminder', 'POST', '/reminder', { bug_id: '{bug}', reminder_ts: '2099-01-01' }, 102],
  ])('writes no %s elsewhere', async (_, method, path, body, code) => {
    const fill = (text: string) => text.replace('{bug}', String(far.id))
    const filled = JSON.parse(fill(JSON.stringify(body)))
    expectFault(await send(key, method, `/rest${fill(path)}`, filled), 401, code)
  })

  test('files and moves no bug elsewhere, and links none to one there', async () => {
    const { name: product, component, version } = outside
    const body = { product, component, version, summary: 'x' }
    expectFault(await post(key, '/rest/bug', body), 401, 106)
    const move = { product, component, version, target_milestone: '---' }
    expectFault(await put(key, `/rest/bug/${near.id}`, move), 401, 106)
    const link = await put(key, `/rest/bug/${near.id}`, { depends_on: { add: [far.id] } })
    expectFault(link, 401, 102)
    expectFault(await put(key, `/rest/bug/${near.id}`, { dupe_of: far.id }), 401, 102)
  })

  test('files and changes bugs of its products', async () => {
    const bug = await postBug(key, inside)
    expect((await put(key, `/rest/bug/${bug}`, { whiteboard: 'x' })).status).toBe(200)
  })

  test('neither sees nor removes reminders of bugs elsewhere', async () => {
    const [one, other] = [await insertReminder(far, owner), await insertReminder(near, owner)]
    const { reminders } = (await get(key, '/rest/reminder?include_fields=id')).body
    expect(reminders).toEqual([{ id: other }])
    expectFault(await get(key, `/rest/reminder/${one}`), 404, 51)
    expect((await send(key, 'DELETE', `/rest/reminder/${one}`)).body).toEqual({ success: 0 })
    expect((await get(owner, `/rest/reminder/${one}`)).status).toBe(200)
  })

  test('administers nothing, not even its own products', async () => {
    const path = `/rest/component/${inside.name}/${inside.component}`
    expectFault(await put(key, path, { description: 'x' }), 401, 304, "lacks the scope 'admin'")
    expectFault(await get(key, '/rest/audit'), 401, 304, "lacks the scope 'admin'")
  })

  test('is refused by webhooks, which may be about any product', async () => {
    expectFault(await get(key, '/rest/webhooks/list'), 401, 304, 'for some products only')
    expectFault(await post(key, '/rest/webhooks', {}), 401, 304, 'for some products only')
  })
})
