import { describe, expect, test } from 'vitest'
import { operations } from '../../../../src/app.ts'
import { insertBug, postBug } from '../../../support/builders/bugs.ts'
import { insertBlesser, insertGroup } from '../../../support/builders/groups.ts'
import { insertApiKey, insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { expectFault, get, post, put, type Sender, send } from '../../../support/client.ts'
import { callJson, callXml, xmlFaultCode } from '../../../support/clients/rpc.ts'

const all = operations.filter(({ credentials }) => credentials === 'all')
const named = (some: typeof all) =>
  some.map((each) => [`${each.method} ${each.path}`, each] as const)

/** A request without a body, whose path names nothing that exists. */
function request(sender: Sender, { method, path }: (typeof all)[number]) {
  const filled = path.replace(/:\w+(\{[^}]*\})?/g, '999999999')
  return send(sender, method, `/rest${filled}`, method === 'GET' ? undefined : {})
}

const admin = await insertPerson({
  roles: ['admin', 'editusers', 'creategroups', 'editcomponents'],
})
const reading = await insertApiKey(admin, { canWrite: false })
const working = await insertApiKey(admin, { canAdminister: false })
const place = await insertProduct()

describe('a key that may only read', () => {
  const writes = all.filter(({ scope }) => scope.startsWith('write'))

  test('is refused by most operations that are no GET', () => {
    const others = all.filter((each) => each.method !== 'GET' && !writes.includes(each))
    expect(others.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'DELETE /api_key/:id',
      'POST /api_key/:id/rotate',
      'POST /bug/comment/render',
    ])
    expect(all.filter((each) => each.method === 'GET' && writes.includes(each))).toEqual([])
  })

  test.each(named(writes))('is refused with 304 before anything else by %s', async (_, each) => {
    expectFault(await request(reading, each), 401, 304, "lacks the scope 'write'")
  })

  test('is refused before the file of an attachment is read', async () => {
    const bug = await postBug(admin, place)
    const data = 'A'.repeat(200_000)
    const answer = await post(reading, `/rest/bug/${bug}/attachment`, { data })
    expectFault(answer, 401, 304, "lacks the scope 'write'")
  })

  test('writes nothing by XML-RPC and JSON-RPC, and reads by both', async () => {
    const bug = await postBug(admin, place)
    const filed = { product: place.name, component: place.component, version: '1.0', summary: 'x' }
    expect((await callJson(reading, 'Bug.create', filed)).body.error.code).toBe(304)
    expect(xmlFaultCode((await callXml(reading, 'Bug.create')).text)).toBe(304)
    expect((await callJson(reading, 'Bug.get', { ids: [bug] })).body.result.bugs[0].id).toBe(bug)
  })

  test('reads what its owner may read, also what only administrators may', async () => {
    expect((await get(reading, '/rest/audit?limit=1')).status).toBe(200)
    expect((await post(reading, '/rest/bug/comment/render', { text: 'x' })).status).toBe(200)
  })
})

describe('a key without administration', () => {
  test.each<[string, string, string, object?]>([
    ['the audit log', 'GET', '/rest/audit'],
    ['what was not delivered', 'GET', '/rest/undelivered'],
    ['an export', 'GET', '/rest/export/users'],
    ['new groups', 'POST', '/rest/group', { name: 'x', description: 'x' }],
    ['new products', 'POST', '/rest/product', {}],
    ['keywords', 'POST', '/rest/keyword', {}],
    ['custom fields', 'POST', '/rest/field/bug', {}],
    ['accounts', 'POST', '/rest/user', { email: 'x@example.test' }],
    ['keys of others', 'GET', '/rest/api_key?user=nobody'],
  ])('is refused with 304 that names the scope: %s', async (_, method, path, body) => {
    expectFault(await send(working, method, path, body), 401, 304, "lacks the scope 'admin'")
  })

  test('hands out no group that its owner may bless', async () => {
    const group = await insertGroup()
    const owner = await insertBlesser(group)
    const other = await insertPerson()
    const key = await insertApiKey(owner, { canAdminister: false })
    const { body } = await get(key, `/rest/user/${owner.id}`)
    expect(JSON.stringify(body)).not.toContain(group.name)
    const groups = { add: [group.name] }
    expectFault(await put(key, `/rest/user/${other.id}`, { groups }), 401, 304)
  })

  test('changes no component of a product that its owner may configure', async () => {
    const owner = await insertPerson()
    const group = await insertGroup([owner])
    const own = await insertProduct({ controls: [{ group, editComponents: true }] })
    const key = await insertApiKey(owner, { canAdminister: false })
    const path = `/rest/component/${own.name}/${own.component}`
    expectFault(await put(key, path, { description: 'x' }), 401, 304, "lacks the scope 'admin'")
    expect((await put(owner, path, { description: 'x' })).status).toBe(200)
  })

  test('changes no flag type of a product that its owner may configure', async () => {
    const owner = await insertPerson()
    const group = await insertGroup([owner])
    const own = await insertProduct({ controls: [{ group, editComponents: true }] })
    const key = await insertApiKey(owner, { canAdminister: false })
    const type = {
      name: uniqueName('flag'),
      description: 'x',
      target_type: 'bug',
      inclusions: [own.name],
    }
    const refused = await post(key, '/rest/flag_type', type)
    expectFault(refused, 401, 304, "lacks the scope 'admin'")
    expect((await post(owner, '/rest/flag_type', type)).status).toBe(201)
  })

  test('works on bugs with all rights of its owner, also on those of groups', async () => {
    const group = await insertGroup([admin])
    const bug = await insertBug({ groups: [group] })
    const answer = await put(working, `/rest/bug/${bug.id}`, { summary: uniqueName('Changed ') })
    expect(answer.status).toBe(200)
  })

  test('changes no account, and of that of its owner no more than the name', async () => {
    const answer = await put(working, `/rest/user/${admin.id}`, { email_enabled: false })
    expectFault(answer, 401, 304, "lacks the scope 'admin'")
  })
})

describe('a key for some products', () => {
  test.each<[string, 'POST' | 'PUT' | 'DELETE', string, object?]>([
    ['saves no search', 'POST', '/rest/saved_search', { name: 'x', query: 'product=x' }],
    ['changes no saved search', 'PUT', '/rest/saved_search/1', { name: 'x' }],
    ['deletes no saved search', 'DELETE', '/rest/saved_search/1'],
  ])('%s, because its owner runs them for all products', async (_, method, path, body) => {
    const key = await insertApiKey(admin, { products: [place.id] })
    expectFault(await send(key, method, path, body), 401, 304, 'for some products only')
  })

  test('cannot change preferences of its owner, which apply to all products', async () => {
    const owner = await insertPerson()
    const key = await insertApiKey(owner, { products: [place.id] })
    const path = `/rest/user/${owner.id}/preferences`
    expectFault(await put(key, path, { html_mail: false }), 401, 304, 'for some products only')
    expect((await get(key, path)).status).toBe(200)
  })
})

describe('a change of the scopes of a key', () => {
  test('counts for the next request, also where the isolate knows the key', async () => {
    const owner = await insertPerson()
    const { id, key } = await insertApiKey(owner)
    const bug = await postBug({ key }, place)
    const write = () => put({ key }, `/rest/bug/${bug}`, { whiteboard: uniqueName('x') })
    expect((await write()).status).toBe(200)
    await put(owner, `/rest/api_key/${id}`, { scopes: ['read'] })
    expectFault(await write(), 401, 304)
    await put(owner, `/rest/api_key/${id}`, { scopes: ['read', 'write'] })
    expect((await write()).status).toBe(200)
    const elsewhere = await insertProduct()
    await put(owner, `/rest/api_key/${id}`, { products: [elsewhere.name] })
    expectFault(await get({ key }, `/rest/bug/${bug}`), 401, 102)
  })
})

describe('an Idempotency-Key', () => {
  test('does not give the answer of one key to another that may see less', async () => {
    const owner = await insertPerson()
    const limited = await insertApiKey(owner, { products: [place.id] })
    const body = { product: place.name, component: place.component, version: '1.0', summary: 'x' }
    const header = { 'idempotency-key': uniqueName('once') }
    const filed = await send(owner, 'POST', '/rest/bug', body, header)
    const again = await send(limited, 'POST', '/rest/bug', body, header)
    expectFault(again, 400, 32000, 'Idempotency-Key')
    expect((await send(owner, 'POST', '/rest/bug', body, header)).body).toEqual(filed.body)
  })
})
