import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, type Sender } from '../../support/client.ts'
import { countRows, execute } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editcomponents'] })

function buildBody(more: Record<string, unknown> = {}) {
  return {
    name: uniqueName('Product'),
    description: 'What it is',
    classification: 'Unclassified',
    ...more,
  }
}

async function postProduct(more: Record<string, unknown> = {}) {
  const answer = await post(editor, '/rest/product', buildBody(more))
  expect(answer.status, answer.text).toBe(201)
  return (await get(ANYONE, `/rest/product/${answer.body.id}`)).body.products[0]
}

describe('POST /product', () => {
  test('creates a product with the given values', async () => {
    const body = buildBody({
      has_unconfirmed: false,
      default_bug_type: 'Task',
      default_milestone: 'M1',
      default_version: '1.0',
      is_open: false,
      create_series: true,
    })
    const { status, body: answer } = await post(editor, '/rest/product', body)
    expect({ status, answer }).toEqual({ status: 201, answer: { id: expect.any(Number) } })
    const { products } = (await get(ANYONE, `/rest/product/${answer.id}`)).body
    expect(products).toEqual([
      {
        id: answer.id,
        name: body.name,
        description: 'What it is',
        is_active: false,
        default_bug_type: 'task',
        default_milestone: 'M1',
        default_version: '1.0',
        has_unconfirmed: false,
        classification: 'Unclassified',
        components: [],
        versions: [{ id: expect.any(Number), name: '1.0', sort_key: 0, is_active: true }],
        milestones: [{ id: expect.any(Number), name: 'M1', sort_key: 0, is_active: true }],
      },
    ])
  })

  test.each([
    [{}, { default_version: 'unspecified', default_milestone: '---', is_active: true }],
    [
      { default_version: '', default_milestone: ' ' },
      { default_version: 'unspecified', default_milestone: '---' },
    ],
    [{ version: '2' }, { default_version: '2' }],
    [{ version: '2', default_version: '3' }, { default_version: '3' }],
    [{ default_bug_type: 'nonsense' }, { default_bug_type: 'defect' }],
    [{ classification: ' UNCLASSIFIED ' }, { classification: 'Unclassified' }],
    [{}, { has_unconfirmed: true, default_bug_type: 'defect' }],
  ])('given %j creates a product with %j', async (given, expected) => {
    expect(await postProduct(given)).toMatchObject(expected)
  })

  test('can be searched but takes no bugs, having no component', async () => {
    const { id } = await postProduct()
    expect((await get(ANYONE, '/rest/product_selectable')).body.ids).toContain(id)
    expect((await get(editor, '/rest/product_enterable')).body.ids).not.toContain(id)
  })

  test('is refused with the classifications that there are when the request names none', async () => {
    const answer = await post(editor, '/rest/product', buildBody({ classification: undefined }))
    expectFault(answer, 400, 50, 'classification')
    expect(answer.body.message).toContain('Unclassified')
  })

  test('is refused with no classification that only hidden products have', async () => {
    const names = [uniqueName('hidden'), uniqueName('empty'), uniqueName('seen')]
    // first among those that the message lists
    await execute(
      ...names.map(
        (name) => sql`INSERT INTO classifications (name, name_fold, description, sort_key)
          VALUES (${name}, ${name.toLowerCase()}, '', -1000)`,
      ),
    )
    const group = await insertGroup()
    const secret = await insertProduct({
      controls: [{ group, entry: true, memberControl: 3, otherControl: 3 }],
    })
    const products = [
      [secret, names[0]],
      [await insertProduct(), names[2]],
    ] as const
    await execute(
      ...products.map(
        ([{ id }, name]) => sql`UPDATE products SET classification_id =
          (SELECT id FROM classifications WHERE name = ${name}) WHERE id = ${id}`,
      ),
    )
    const refuse = async (who: Sender) =>
      (await post(who, '/rest/product', buildBody({ classification: undefined }))).body.message
    const shown = (message: string) => names.map((name) => message.includes(name))
    expect(shown(await refuse(editor))).toEqual([false, false, true])
    const keeper = await insertPerson({ roles: ['editcomponents', 'editclassifications'] })
    expect(shown(await refuse(keeper))).toEqual([true, true, true])
  })

  test('is recorded', async () => {
    const { id, name } = await postProduct()
    expect(await loadAuditEntries('Product', id)).toEqual([
      {
        user_id: editor.id,
        action: 'create',
        changes: expect.objectContaining({
          name: { removed: '', added: name },
          default_version: { removed: '', added: 'unspecified' },
          is_open: { removed: '', added: '1' },
        }),
      },
    ])
  })
})

describe('POST /product', () => {
  test('rejects a taken name in any case with 702', async () => {
    const { name } = await insertProduct()
    const answer = await post(editor, '/rest/product', buildBody({ name: name.toUpperCase() }))
    expectFault(answer, 400, 702, name.toUpperCase())
  })

  test('rejects one of two of one name at the same time with 702', async () => {
    const body = buildBody()
    const answers = await Promise.all([1, 2].map(() => post(editor, '/rest/product', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(answers.map((each) => each.body.code)).toContain(702)
    expect(await countRows('products', sql`name = ${body.name}`)).toBe(1)
  })
})
