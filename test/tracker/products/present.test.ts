import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { milestones, versions } from '../../../src/platform/db/schema/products.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertComponent, insertProduct } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { ANYONE, get, type Sender } from '../../support/client.ts'
import { executeBatch } from '../../support/database/execute.ts'

async function readProduct(place: TestProduct, who: Sender = ANYONE) {
  return (await get(who, `/rest/product/${place.id}`)).body.products[0]
}

/** The ID of a bug type, for a column that refers to one. */
function typeId(name: string): SQL {
  return sql`(SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
    WHERE f.name = 'bug_type' AND v.name = ${name})`
}

describe('a product', () => {
  test('has exactly the keys of the contract, filled from what is stored', async () => {
    const assignee = await insertPerson()
    const qaContact = await insertPerson()
    const triageOwner = await insertPerson()
    const place = await insertProduct({ assignee })
    await executeBatch(
      sql`UPDATE products SET default_type_id = ${typeId('enhancement')} WHERE id = ${place.id}`,
      sql`UPDATE components SET default_qa_contact_id = ${qaContact.id},
        triage_owner_id = ${triageOwner.id}, team_name = 'Team A', sort_key = 7,
        default_type_id = ${typeId('task')} WHERE product_id = ${place.id}`,
    )

    expect(await readProduct(place)).toEqual({
      id: place.id,
      name: place.name,
      description: `What ${place.name} is`,
      is_active: true,
      default_bug_type: 'enhancement',
      default_milestone: '---',
      default_version: 'unspecified',
      has_unconfirmed: true,
      classification: 'Unclassified',
      components: [
        {
          id: expect.any(Number),
          name: place.component,
          description: `What ${place.component} is`,
          default_assigned_to: assignee.login,
          default_qa_contact: qaContact.login,
          triage_owner: triageOwner.login,
          sort_key: 7,
          is_active: true,
          default_bug_type: 'task',
          team_name: 'Team A',
          flag_types: { bug: [], attachment: [] },
        },
      ],
      versions: [
        { id: expect.any(Number), name: '1.0', sort_key: 0, is_active: true },
        { id: expect.any(Number), name: 'unspecified', sort_key: 0, is_active: true },
      ],
      milestones: [{ id: expect.any(Number), name: '---', sort_key: 0, is_active: true }],
    })
  })

  test('shows that it is closed or has no unconfirmed status', async () => {
    const place = await insertProduct({ isActive: false, hasUnconfirmed: false })

    expect(await readProduct(place)).toMatchObject({ is_active: false, has_unconfirmed: false })
  })

  test('names the default version and milestone after their marks have moved', async () => {
    const place = await insertProduct()
    await executeBatch(
      sql`UPDATE versions SET is_default = 0 WHERE product_id = ${place.id}`,
      sql`UPDATE versions SET is_default = 1 WHERE product_id = ${place.id} AND name = '1.0'`,
      sql`UPDATE milestones SET name = 'M1', name_fold = 'm1' WHERE product_id = ${place.id}`,
    )

    expect(await readProduct(place)).toMatchObject({
      default_version: '1.0',
      default_milestone: 'M1',
    })
  })

  test('is shown with nothing below it when it has nothing', async () => {
    const place = await insertProduct()
    for (const table of ['components', 'versions', 'milestones']) {
      await executeBatch(sql`DELETE FROM ${sql.raw(table)} WHERE product_id = ${place.id}`)
    }

    expect(await readProduct(place)).toMatchObject({
      components: [],
      versions: [],
      milestones: [],
      default_version: '',
      default_milestone: '',
    })
  })
})

describe('the default bug type', () => {
  test('falls back from the component to the product to the setting', async () => {
    const { id: defaultAssigneeId } = await insertPerson()
    const place = await insertProduct()
    await insertComponent(place, { name: 'ZZ own', defaultAssigneeId })
    await executeBatch(
      sql`UPDATE components SET default_type_id = ${typeId('task')}
        WHERE product_id = ${place.id} AND name = 'ZZ own'`,
    )
    const types = (found: {
      default_bug_type: string
      components: { default_bug_type: string }[]
    }) => [found, ...found.components].map((each) => each.default_bug_type)

    expect(types(await readProduct(place))).toEqual(['defect', 'defect', 'task'])

    const request = new Request(`https://tracker.test/rest/product/${place.id}`)
    const otherSite = { ...env, DEFAULT_BUG_TYPE: 'enhancement' as const }
    const response = await app.fetch(request, otherSite, createExecutionContext())
    const { products } = (await response.json()) as { products: Parameters<typeof types> }
    expect(types(products[0])).toEqual(['enhancement', 'enhancement', 'task'])

    await executeBatch(
      sql`UPDATE products SET default_type_id = ${typeId('enhancement')} WHERE id = ${place.id}`,
    )
    expect(types(await readProduct(place))).toEqual(['enhancement', 'enhancement', 'task'])
  })
})

describe('what is below a product', () => {
  test('lists components by sort key and then by name, inactive ones too', async () => {
    const { id: defaultAssigneeId } = await insertPerson()
    const place = await insertProduct()
    await executeBatch(sql`DELETE FROM components WHERE product_id = ${place.id}`)
    await insertComponent(place, { name: 'alpha', sortKey: 20, defaultAssigneeId })
    await insertComponent(place, { name: 'beta', sortKey: 10, defaultAssigneeId, isActive: false })
    await insertComponent(place, { name: 'Alpha 2', sortKey: 10, defaultAssigneeId })
    const { components: listed } = await readProduct(place)

    expect(
      listed.map((each: { name: string; is_active: boolean }) => [each.name, each.is_active]),
    ).toEqual([
      ['Alpha 2', true],
      ['beta', false],
      ['alpha', true],
    ])
  })

  test('lists versions as people count, inactive ones too', async () => {
    const place = await insertProduct()
    for (const name of ['10.0', '2.0', '2.0b1']) {
      await executeBatch(
        db
          .insert(versions)
          .values({ productId: place.id, name, nameFold: name, isActive: name !== '2.0' }),
      )
    }
    const { versions: listed } = await readProduct(place)

    expect(
      listed.map((each: { name: string; is_active: boolean }) => [each.name, each.is_active]),
    ).toEqual([
      ['1.0', true],
      ['2.0', false],
      ['2.0b1', true],
      ['10.0', true],
      ['unspecified', true],
    ])
  })

  test('lists milestones by sort key and then by name, inactive ones too', async () => {
    const place = await insertProduct()
    for (const [name, sortKey] of [
      ['M10', 5],
      ['M2', 5],
      ['Early', -3],
    ] as const) {
      await executeBatch(
        db.insert(milestones).values({
          productId: place.id,
          name,
          nameFold: name.toLowerCase(),
          sortKey,
          isActive: name !== 'M2',
        }),
      )
    }
    const { milestones: listed } = await readProduct(place)

    expect(
      listed.map((each: { name: string; sort_key: number; is_active: boolean }) => [
        each.name,
        each.sort_key,
        each.is_active,
      ]),
    ).toEqual([
      ['Early', -3, true],
      ['---', 0, true],
      ['M10', 5, true],
      ['M2', 5, false],
    ])
  })
})

describe('e-mail addresses', () => {
  test('are cut at the @ sign for anonymous callers where the setting is on, and for nobody else', async () => {
    const someone = await insertPerson()
    const place = await insertProduct({ assignee: someone })
    await executeBatch(
      sql`UPDATE components SET triage_owner_id = ${someone.id} WHERE product_id = ${place.id}`,
    )
    await insertFlagType(
      {
        ccList: `${someone.login}, list@example.test`,
      },
      [{ productId: place.id }],
    )
    const reticent = { ...env, HIDE_EMAIL_DOMAINS: 'on' as const }
    const read = async (headers: Record<string, string>) => {
      const url = `https://tracker.test/rest/product/${place.id}`
      const request = new Request(url, { headers })
      return (await app.fetch(request, reticent, createExecutionContext())).text()
    }
    const localPart = someone.login.replace('@example.test', '')
    const component = (text: string) => JSON.parse(text).products[0].components[0]

    const forAnybody = await read({})
    expect(forAnybody).not.toContain('@example.test')
    expect(component(forAnybody)).toMatchObject({
      default_assigned_to: localPart,
      default_qa_contact: '',
      triage_owner: localPart,
      flag_types: { bug: [{ cc_list: `${localPart}, list` }] },
    })

    const forMembers = await read({ 'x-tracker-api-key': someone.key })
    expect(component(forMembers)).toMatchObject({
      default_assigned_to: someone.login,
      triage_owner: someone.login,
      flag_types: { bug: [{ cc_list: `${someone.login}, list@example.test` }] },
    })
    expect((await readProduct(place)).components[0].triage_owner).toBe(someone.login)
  })
})
