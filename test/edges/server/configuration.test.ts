import { sql } from 'drizzle-orm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postCustomField } from '../../support/builders/fields.ts'
import { insertFlagTypesOfComponents } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct, insertProductPart } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'

const PATH = '/rest/configuration'

const admin = await insertPerson({ roles: ['admin'] })
const member = await insertPerson()
const stranger = await insertPerson()
const circle = await insertGroup([member])
const open = await insertProduct({ controls: [{ group: circle, memberControl: 1 }] })
const hidden = await insertProduct({
  controls: [{ group: circle, entry: true, memberControl: 3, otherControl: 3 }],
})

async function configuration(who: Sender = ANYONE, query = '') {
  const answer = await get(who, `${PATH}${query}`)
  expect(answer.status, answer.text.slice(0, 300)).toBe(200)
  return answer.body
}

/** A flag type for all components of a product; answers its ID. */
async function flagType(of: TestProduct, isActive: boolean): Promise<number> {
  const name = uniqueName('flag')
  const [row] = await execute(sql`INSERT INTO flag_types (name, description, target, is_active)
    VALUES (${name}, 'What for', 'bug', ${isActive ? 1 : 0}) RETURNING id`)
  await execute(sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id)
    VALUES (${Number(row?.id)}, 0, ${of.id})`)
  return Number(row?.id)
}

describe('GET /configuration', () => {
  test('describes the tracker and its settings', async () => {
    const answer = await fetchWith({ MAINTAINER: 'office@x.test', MAX_ATTACHMENT_KB: '7' }, PATH)

    expect(await answer.json()).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/),
      maintainer: 'office@x.test',
      announcement: '',
      max_attachment_size: 7168,
    })
  })

  test('lists a product with all of its parts', async () => {
    const place = await insertProduct()
    await insertProductPart('versions', place, '10.0')
    await insertProductPart('versions', place, '2.0', { isActive: false })
    await insertProductPart('milestones', place, 'M1', { sortKey: 5 })
    const [used, idle] = [await flagType(place, true), await flagType(place, false)]
    const answer = await configuration(ANYONE, `?product=${place.name.toUpperCase()}`)
    const id = expect.any(Number)

    expect(answer.product).toEqual({
      [place.name]: {
        id: place.id,
        description: `What ${place.name} is`,
        is_active: true,
        is_permitting_unconfirmed: true,
        classification: 'Unclassified',
        component: {
          [place.component]: {
            id,
            description: `What ${place.component} is`,
            is_active: true,
            flag_type: [used],
          },
        },
        version: ['1.0', '2.0', '10.0', 'unspecified'],
        version_detail: [
          { id, name: '1.0', is_active: true },
          { id, name: '2.0', is_active: false },
          { id, name: '10.0', is_active: true },
          { id, name: 'unspecified', is_active: true },
        ],
        default_target_milestone: '---',
        target_milestone: ['---', 'M1'],
        target_milestone_detail: [
          { id, name: '---', sort_key: 0, sortkey: 0, is_active: true },
          { id, name: 'M1', sort_key: 5, sortkey: 5, is_active: true },
        ],
        group: [],
      },
    })
    expect(answer.classification).toEqual({
      Unclassified: { id: 1, description: expect.any(String), products: [place.name] },
    })
    expect(answer.flag_type).toEqual({
      [used]: {
        name: expect.any(String),
        description: 'What for',
        is_for_bugs: true,
        is_requestable: true,
        is_specifically_requestable: true,
        is_multiplicable: true,
      },
    })
    expect(answer.flag_type).not.toHaveProperty(String(idle))
  })

  test('leaves out flag types on request', async () => {
    const place = await insertProduct()
    await flagType(place, true)
    const answer = await configuration(ANYONE, `?product=${place.name}&flags=0`)

    expect(answer).not.toHaveProperty('flag_type')
    expect(answer.product[place.name].component[place.component]).not.toHaveProperty('flag_type')
  })

  test('refuses more flag types of components than one answer lists, and not what is left without them', async () => {
    const place = await insertProduct({
      controls: [{ group: circle, entry: true, memberControl: 3, otherControl: 3 }],
    })
    const count = { components: 1000, types: 500 }
    onTestFinished(await insertFlagTypesOfComponents(place, count))
    const path = `${PATH}?product=${place.name}`
    const refused = await get(member, path)

    expectFault(refused, 400, 1001)
    expect(refused.body.message).toMatch(/500,000 IDs of flag types.*'flags=0'/)
    expect(
      Object.keys((await configuration(member, `?product=${place.name}&flags=0`)).product),
    ).toEqual([place.name])
    const listed = await configuration(member, `?product=${place.name}&exclude_fields=product`)
    expect(Object.keys(listed.flag_type)).toHaveLength(count.types)
    expect((await configuration(stranger, `?product=${place.name}`)).product).toEqual({})
  })

  test('lists fields with their values, under the names of bug objects', async () => {
    const { name } = await postCustomField(admin, {
      type: 3,
      display_name: 'Parts',
      is_on_bug_entry: true,
      values: ['b', { name: 'gone', is_active: false }, 'a'],
    })
    const { field } = await configuration(ANYONE, '?include_fields=field')

    expect(field[name]).toEqual({
      description: 'Parts',
      is_active: true,
      type: 3,
      values: ['b', 'a'],
      is_on_bug_entry: true,
    })
    expect(field.summary).toEqual({ description: 'Summary', is_active: true, type: 0 })
    expect(field.severity).toMatchObject({ type: 2, default: '--' })
    expect(field.severity.values).toEqual(expect.arrayContaining(['blocker', 'S1']))
    expect(field.type.default).toBe('defect')
    for (const own of ['product', 'component', 'version']) {
      expect(field[own]).not.toHaveProperty('values')
    }
  })

  test('lists the present workflow with the initial statuses', async () => {
    const { status } = (await configuration()).field
    const [start, confirmed] = [status.transitions['{Start}'], status.transitions.CONFIRMED]

    expect(status.open).toEqual(expect.arrayContaining(['UNCONFIRMED', 'IN_PROGRESS']))
    expect(status.closed).toEqual(expect.arrayContaining(['RESOLVED', 'VERIFIED']))
    expect(start).toEqual(expect.arrayContaining(['UNCONFIRMED', 'CONFIRMED']))
    expect(start).not.toContain('VERIFIED')
    expect(confirmed).toEqual(expect.arrayContaining(['IN_PROGRESS', 'RESOLVED']))
    await put(admin, '/rest/field/bug/status/values/VERIFIED', { can_be_initial: true })
    expect((await configuration()).field.status.transitions['{Start}']).toContain('VERIFIED')
    await put(admin, '/rest/field/bug/status/values/VERIFIED', { can_be_initial: false })
  })

  test('reads and shows only the wanted parts', async () => {
    const { body, cost } = await get(ANYONE, `${PATH}?include_fields=version,maintainer`)

    expect(Object.keys(body)).toEqual(['version', 'maintainer'])
    expect(cost.trips).toBe(0)
    const few = await get(ANYONE, `${PATH}?exclude_fields=product,classification,group,flag_type`)
    expect(few.body).not.toHaveProperty('product')
    expect(few.cost).toMatchObject({ trips: 1, statements: 6 })
  })

  test('answers 304 to a client with the same ETag', async () => {
    const path = `${PATH}?product=${open.name}`
    const tag = (await get(member, path)).headers.get('etag') ?? ''
    const again = await get(member, path, { 'if-none-match': tag })

    expect(tag).not.toBe('')
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
    expect((await get(stranger, path, { 'if-none-match': tag })).status).toBe(200)
    await insertProductPart('versions', open, uniqueName('v'))
    expect((await get(member, path, { 'if-none-match': tag })).status).toBe(200)
  })

  test('answers at the path of older clients', async () => {
    const { product: found } = await configuration(ANYONE, `?product=${open.name}`)
    for (const path of ['/latest/configuration', '/bzapi/configuration']) {
      const answer = await get(ANYONE, `${path}?product=${open.name}`)
      expect(JSON.parse(answer.text).product).toEqual(found)
    }
  })
})

describe('GET /configuration', () => {
  test('rejects anonymous callers where a login is required', async () => {
    expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, PATH)).status).toBe(401)
  })

  test('rejects a key that is none', async () => {
    expectFault(await get({ key: 'nope' }, PATH), 400, 306)
  })
})

describe('GET /configuration', () => {
  test('hides everything of products that the caller may neither search nor file in', async () => {
    const secret = uniqueName('Secret class')
    await execute(
      sql`INSERT INTO classifications (name, name_fold) VALUES (${secret}, ${secret})`,
      sql`UPDATE products SET classification_id =
        (SELECT id FROM classifications WHERE name = ${secret}) WHERE id = ${hidden.id}`,
    )
    const { name } = await postCustomField(admin, { type: 2, value_field: 'product' })
    await execute(
      sql`INSERT INTO field_values (field_id, name, name_fold)
        SELECT id, 'hidden value', 'hidden value' FROM fields WHERE name = ${name}`,
      sql`INSERT INTO value_visibility (value_id, controlling_id)
        SELECT v.id, ${hidden.id} FROM field_values v JOIN fields f ON f.id = v.field_id
        WHERE f.name = ${name}`,
    )
    const typeId = await flagType(hidden, true)
    const seen = await configuration(member)
    expect(seen.product).toHaveProperty([hidden.name])
    expect(seen.classification[secret].products).toEqual([hidden.name])
    expect(seen.flag_type).toHaveProperty([String(typeId)])
    expect(seen.field[name].values).toEqual(['---', 'hidden value'])
    for (const outsider of [ANYONE, stranger]) {
      const visible = await configuration(outsider)
      for (const word of [hidden.name, hidden.component, secret, 'hidden value']) {
        expect(JSON.stringify(visible)).not.toContain(word)
      }
      expect(visible.flag_type).not.toHaveProperty([String(typeId)])
      expect((await configuration(outsider, `?product=${hidden.name}`)).product).toEqual({})
    }
  })

  test('hides groups that the caller is not a member of', async () => {
    const shown = await configuration(member, `?product=${open.name}`)
    expect(shown.product[open.name].group).toEqual([circle.id])
    expect(shown.group).toEqual({
      [circle.id]: {
        name: circle.name,
        description: `All of ${circle.name}`,
        is_accepting_bugs: true,
        is_active: true,
      },
    })
    for (const outsider of [ANYONE, stranger]) {
      const visible = await configuration(outsider)
      expect(visible.product[open.name].group).toEqual([])
      expect(JSON.stringify(visible)).not.toContain(circle.name)
    }
  })

  test('hides people', async () => {
    const place = await insertProduct({ assignee: member })
    const answer = await get(ANYONE, `${PATH}?product=${place.name}`)
    expect(answer.text).not.toContain(member.login)
  })
})

test('one field of the configuration is that of the whole one, and costs no values of others', async () => {
  const all = await get(ANYONE, '/rest/configuration?include_fields=field')
  const one = await get(ANYONE, '/rest/configuration?include_fields=field.status')
  expect(one.body).toEqual({ field: { status: all.body.field.status } })
  expect(one.body.field.status.transitions['{Start}']).not.toEqual([])
  const rows = [all, one].map(({ cost }) => cost.read)
  expect(rows[1]).toBeLessThan(rows[0] as number)
})
