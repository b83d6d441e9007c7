import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editcomponents'] })
const triager = await insertPerson({ roles: ['edittriageowners'] })
const ann = await insertPerson()
const place = await insertProduct()

/** A component of a product of its own, with its path. */
async function component() {
  const own = await insertProduct()
  const path = `/rest/component/${own.name}/${own.component}`
  const { id } = (await get(ANYONE, path)).body
  return { own, path, id: Number(id) }
}

describe('PUT /component', () => {
  test('returns the whole component as it is afterwards', async () => {
    const { path } = await component()
    const before = (await get(editor, path)).body
    const values = {
      name: uniqueName('Renamed'),
      description: 'Something else',
      is_active: false,
      default_bug_type: 'enhancement',
      default_assignee: ann.login,
      default_qa_contact: ann.login,
      triage_owner: ann.login,
      team_name: 'Others',
      bug_description_template: 'Steps:\n1.',
    }
    const answer = await put(editor, path, values)
    expect(answer.body).toEqual({ id: before.id, ...values })
    expectFault(await get(ANYONE, path), 404, 51)
  })

  test('finds a component by path, by query, by body, and by its ID', async () => {
    const { own, path, id } = await component()
    const named = { product: own.name, component: own.component }
    for (const [address, more] of [
      [path, {}],
      [`/rest/component?${new URLSearchParams(named)}`, {}],
      ['/rest/component', named],
      [`/rest/component/${id}`, {}],
    ] as const) {
      const description = uniqueName('described ')
      const answer = await put(editor, address, { ...more, description })
      expect(answer.body, address).toMatchObject({ id, description })
    }
  })

  test('accepts values that are wrapped in updates', async () => {
    const { own, path, id } = await component()
    const names = [{ product: own.name, component: own.component }]
    const updates = { description: 'wrapped', is_active: false }
    const answer = await put(editor, path, { names, updates })
    expect(answer.body).toMatchObject({ id, ...updates })
  })

  test('removes people by an empty text or null', async () => {
    const { path } = await component()
    await put(editor, path, { default_qa_contact: ann.login, triage_owner: ann.login })
    const answer = await put(editor, path, { default_qa_contact: '', triage_owner: null })
    expect(answer.body).toMatchObject({ default_qa_contact: '', triage_owner: '' })
  })

  test('renames what bugs show, steps the revision and is recorded', async () => {
    const { own, path, id } = await component()
    const bug = (await post(ann, '/rest/bug', buildBugBody(own))).body.id
    const name = uniqueName('Renamed')
    await put(editor, path, { name, description: 'x', default_cc: [ann.login] })
    expect((await get(ann, `/rest/bug/${bug}`)).body.bugs[0].component).toBe(name)
    expect(await loadRevision('components', id)).toBe(1)
    expect(await loadAuditEntries('Component', id)).toEqual([
      {
        user_id: editor.id,
        action: 'update',
        changes: {
          name: { removed: own.component, added: name },
          description: { removed: `What ${own.component} is`, added: 'x' },
          default_cc: { removed: '', added: ann.login },
        },
      },
    ])
  })

  test('writes nothing when nothing differs', async () => {
    const { own, path, id } = await component()
    const before = (await get(editor, path)).body
    expect((await put(editor, path, {})).body).toEqual(before)
    expect((await put(editor, path, { name: own.component })).body).toEqual(before)
    expect(await loadRevision('components', id)).toBe(0)
    expect(await loadAuditEntries('Component', id)).toEqual([])
  })

  test('lets people with edittriageowners change the triage owner and nothing else', async () => {
    const { path, own } = await component()
    const answer = await put(triager, path, { triage_owner: ann.login, name: 'x', team_name: '' })
    expect(answer.body).toMatchObject({ triage_owner: ann.login, name: own.component })
  })

  test('keeps every change of concurrent requests', async () => {
    const { path, id } = await component()
    await Promise.all([
      put(editor, path, { description: 'from one' }),
      put(editor, path, { team_name: 'from two' }),
      put(triager, path, { triage_owner: ann.login }),
    ])
    expect((await get(editor, path)).body).toMatchObject({
      description: 'from one',
      team_name: 'from two',
      triage_owner: ann.login,
    })
    expect(await loadRevision('components', id)).toBe(3)
  })
})

describe('PUT /component', () => {
  test.each(['name', 'description', 'default_assignee', 'team_name'])(
    'rejects a blank %s with 50',
    async (field) => {
      const path = `/rest/component/${place.name}/${place.component}`
      expectFault(await put(editor, path, { [field]: ' ' }), 400, 50, field)
    },
  )

  test('rejects an unknown login with 51', async () => {
    const path = `/rest/component/${place.name}/${place.component}`
    expectFault(
      await put(editor, path, { triage_owner: 'nobody@x.test' }),
      404,
      51,
      'nobody@x.test',
    )
  })

  test('rejects a name too long with 105, or one that a sibling has with 1200', async () => {
    const { own, path } = await component()
    const sibling = uniqueName('Sibling')
    await post(editor, `/rest/component/${own.name}`, {
      name: sibling,
      description: 'x',
      default_assignee: ann.login,
      team_name: 'x',
    })
    expectFault(await put(editor, path, { name: 'x'.repeat(65) }), 400, 105)
    expectFault(await put(editor, path, { name: sibling.toUpperCase() }), 400, 1200)
  })

  test('rejects what does not exist: 106 for a product, 51 for a component or an ID', async () => {
    expectFault(await put(editor, '/rest/component/NoSuch/x', {}), 401, 106, 'NoSuch')
    expectFault(await put(editor, `/rest/component/${place.name}/NoSuch`, {}), 404, 51, 'NoSuch')
    expectFault(await put(editor, '/rest/component/999999999', {}), 404, 51, '999999999')
  })

  test('rejects a call without a product or a component with 50', async () => {
    expectFault(await put(editor, '/rest/component', {}), 400, 50, 'product')
    expectFault(await put(editor, `/rest/component/${place.name}`, {}), 400, 50, 'component')
  })

  test('rejects callers without either right with 304, and anonymous callers with 410', async () => {
    const path = `/rest/component/${place.name}/${place.component}`
    expectFault(await put(ann, path, { triage_owner: '' }), 401, 304)
    expectFault(await put(ANYONE, path, {}), 401, 410)
  })
})

describe('PUT /component', () => {
  test('hides components of products that the caller does not see', async () => {
    const member = await insertPerson({ roles: ['editcomponents'] })
    const own = await insertGroup([member])
    const control = { group: own, entry: true, memberControl: 3, otherControl: 3 }
    const { name, component: part } = await insertProduct({ controls: [control] })
    const path = `/rest/component/${name}/${part}`
    const { id } = (await put(member, path, { description: 'x' })).body
    for (const other of [editor, triager]) {
      expectFault(await put(other, path, { triage_owner: '' }), 401, 106)
      expectFault(await put(other, `/rest/component/${id}`, { triage_owner: '' }), 404, 51)
    }
    expectFault(await put(ann, path, {}), 401, 304)
  })
})
