import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { countRows, executeBatch } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editcomponents'] })
const place = await insertProduct()
const ann = await insertPerson()
const bob = await insertPerson()

/** Complete enough to be created. */
function buildBody(more: Record<string, unknown> = {}) {
  return {
    name: uniqueName('Engine'),
    description: 'What drives it',
    default_assignee: ann.login,
    team_name: 'Drivers',
    ...more,
  }
}

describe('POST /component', () => {
  test('returns the whole component, with empty values where none were given', async () => {
    const body = buildBody()
    const made = await post(editor, `/rest/component/${place.name}`, body)
    expect(made.body).toEqual({
      id: expect.any(Number),
      name: body.name,
      description: 'What drives it',
      is_active: true,
      default_bug_type: 'defect',
      default_assignee: ann.login,
      default_qa_contact: '',
      triage_owner: '',
      team_name: 'Drivers',
      bug_description_template: '',
    })
  })

  test('demands no team from clients that call the name component', async () => {
    const { name: component, team_name, ...others } = buildBody()
    const body = { ...others, component, product: place.name }
    const made = await post(editor, '/rest/component', body)
    expect(made.body).toMatchObject({ name: component, team_name: '' })
    expectFault(
      await post(editor, '/rest/component', { ...body, component: 'x', team_name: ' ' }),
      400,
      50,
      'team_name',
    )
  })

  test('stores every given value, people by their logins in any case', async () => {
    const body = buildBody({
      default_qa_contact: bob.login.toUpperCase(),
      triage_owner: bob.login,
      default_bug_type: 'Task',
      bug_description_template: 'What happened?',
      is_active: false,
    })
    const made = await post(editor, `/rest/component/${place.name}`, body)
    expect(made.body).toMatchObject({
      ...body,
      default_qa_contact: bob.login,
      default_bug_type: 'task',
    })
    const read = await get(ANYONE, `/rest/component/${place.name}/${body.name}`)
    expect(read.body).toEqual(made.body)
  })

  test('is part of its product, where its sort key decides the place', async () => {
    const own = await insertProduct()
    const { name } = (
      await post(editor, `/rest/component/${own.name}`, buildBody({ sort_key: -5 }))
    ).body
    const { products } = (await get(ANYONE, `/rest/product/${own.id}`)).body
    expect(products[0].components.map((each: { name: string }) => each.name)).toEqual([
      name,
      own.component,
    ])
  })

  test('takes bugs, with its people and its CC list', async () => {
    const body = buildBody({ default_qa_contact: bob.login, default_cc: [bob.login, ann.login] })
    await post(editor, `/rest/component/${place.name}`, body)
    const { id } = (await post(ann, '/rest/bug', buildBugBody({ ...place, component: body.name })))
      .body
    const { bugs } = (await get(ann, `/rest/bug/${id}`)).body
    expect(bugs[0]).toMatchObject({ assigned_to: ann.login, qa_contact: bob.login })
    expect(bugs[0].cc).toEqual(expect.arrayContaining([bob.login]))
  })

  test('finds the product in path, query or body', async () => {
    const slashed = await insertProduct()
    const name = uniqueName('A/B ')
    await executeBatch(sql`UPDATE products SET name = ${name}, name_fold = ${name.toLowerCase()}
      WHERE id = ${slashed.id}`)
    for (const [path, body] of [
      [`/rest/component/${name}`, {}],
      [`/rest/component/${encodeURIComponent(name)}`, {}],
      [`/rest/component?product=${encodeURIComponent(name)}`, {}],
      ['/rest/component', { product: name.toUpperCase() }],
    ] as const) {
      const { body: made } = await post(editor, path, buildBody(body))
      expect(made.id, path).toEqual(expect.any(Number))
    }
    expect(await countRows('components', sql`product_id = ${slashed.id}`)).toBe(5)
  })

  test('accepts the older parameters component and is_open', async () => {
    const { name: component, ...body } = buildBody({ is_open: false, product: place.name })
    const made = await post(editor, '/rest/component', { ...body, component })
    expect(made.body).toMatchObject({ name: component, is_active: false })
  })

  test('shows the selected fields alone', async () => {
    const path = `/rest/component/${place.name}?include_fields=id`
    expect(Object.keys((await post(editor, path, buildBody())).body)).toEqual(['id'])
  })

  test('lets members of groups with editcomponents in the product create components', async () => {
    const own = await insertGroup([bob])
    const theirs = await insertProduct({ controls: [{ group: own, editComponents: true }] })
    const made = await post(bob, `/rest/component/${theirs.name}`, buildBody())
    expect(made.status, made.text).toBe(200)
    expectFault(await post(ann, `/rest/component/${theirs.name}`, buildBody()), 401, 304)
    expectFault(await post(bob, `/rest/component/${place.name}`, buildBody()), 401, 304)
  })

  test('is recorded', async () => {
    const body = buildBody()
    const { id } = (await post(editor, `/rest/component/${place.name}`, body)).body
    expect(await loadAuditEntries('Component', id)).toEqual([
      {
        user_id: editor.id,
        action: 'create',
        changes: expect.objectContaining({ name: { removed: '', added: body.name } }),
      },
    ])
  })

  test('has the type of the product without one of its own', async () => {
    for (const type of ['', null, 'nonsense', 'defect']) {
      const body = buildBody({ default_bug_type: type })
      const { id } = (await post(editor, `/rest/component/${place.name}`, body)).body
      expect(await countRows('components', sql`id = ${id} AND default_type_id IS NULL`)).toBe(1)
    }
  })
})

describe('POST /component', () => {
  test.each([
    ['name', 50],
    ['description', 50],
    ['default_assignee', 50],
    ['team_name', 50],
  ])('rejects a missing, null or blank %s: %d', async (field, code) => {
    for (const value of [undefined, null, '', '  ']) {
      const answer = await post(
        editor,
        `/rest/component/${place.name}`,
        buildBody({ [field]: value }),
      )
      expectFault(answer, 400, code, field)
    }
  })

  test.each(['default_assignee', 'default_qa_contact', 'triage_owner', 'default_cc'])(
    'rejects an unknown login as %s with 51',
    async (field) => {
      const body = buildBody({ [field]: 'nobody@nowhere.test' })
      const answer = await post(editor, `/rest/component/${place.name}`, body)
      expectFault(answer, 404, 51, 'nobody@nowhere.test')
    },
  )

  test('rejects a name of more than 64 characters with 105', async () => {
    const path = `/rest/component/${place.name}`
    const longest = '😀'.repeat(64)
    expect((await post(editor, path, buildBody({ name: longest }))).status).toBe(200)
    expectFault(await post(editor, path, buildBody({ name: `${longest}x` })), 400, 105)
  })

  test('rejects a name that the product has, in any case, with 1200', async () => {
    const name = ` ${place.component.toUpperCase()} `
    const answer = await post(editor, `/rest/component/${place.name}`, buildBody({ name }))
    expectFault(answer, 400, 1200, place.name)
  })

  test('rejects one of two of the same name at the same time with 1200', async () => {
    const body = buildBody()
    const path = `/rest/component/${place.name}`
    const answers = await Promise.all([post(editor, path, body), post(editor, path, body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.map((each) => each.body.code)).toContain(1200)
  })

  test('rejects a sort key out of range with 53', async () => {
    for (const sort_key of [32_768, -32_769, 'x', 1.5, [1, 2]]) {
      const answer = await post(editor, `/rest/component/${place.name}`, buildBody({ sort_key }))
      expectFault(answer, 400, 53, 'sort_key')
    }
  })

  test('rejects a call without a product with 50, or with an unknown one with 106', async () => {
    expectFault(await post(editor, '/rest/component', buildBody()), 400, 50, 'product')
    expectFault(await post(editor, '/rest/component/No Such', buildBody()), 401, 106, 'No Such')
  })

  test('rejects callers without the right with 304 and anonymous callers with 410', async () => {
    const triager = await insertPerson({ roles: ['edittriageowners'] })
    const path = `/rest/component/${place.name}`
    expectFault(await post(ann, path, buildBody()), 401, 304)
    expectFault(await post(triager, path, buildBody()), 401, 304)
    expectFault(await post(ANYONE, path, buildBody()), 401, 410)
  })
})

describe('POST /component', () => {
  test('hides unseen products with 106 from editors and with 304 from everybody else', async () => {
    const control = { memberControl: 3, otherControl: 3, entry: true }
    const hidden = await insertProduct({ controls: [{ group: await insertGroup(), ...control }] })
    const path = `/rest/component/${hidden.name}`
    expectFault(await post(editor, path, buildBody()), 401, 106)
    expectFault(await post(ann, path, buildBody()), 401, 304)
    expect(await countRows('components', sql`product_id = ${hidden.id}`)).toBe(1)
  })
})
