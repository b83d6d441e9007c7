import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { joinControllerNames, requireControllers } from '../../../src/tracker/fields/control.ts'
import { postCustomField, postFieldValue } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { ANYONE, expectFault, put, send } from '../../support/client.ts'
import { readFields } from '../../support/clients/fields.ts'
import { countRows, execute } from '../../support/database/execute.ts'

const PATH = '/rest/field/bug'

const admin = await insertPerson({ roles: ['admin'] })

describe('the values of a controlling field', () => {
  const known = [
    { id: 1, name: 'One', nameFold: 'one' },
    { id: 2, name: 'Two', nameFold: 'two' },
    { id: 3, name: 'One', nameFold: 'one' },
  ]

  test.each([
    [['ONE '], [1, 3]],
    [['two', 'Two'], [2]],
    [[], []],
    [['three'], 51],
  ])('%j are %j', (names, expected) => {
    const chosen = catchFaultCode(() => requireControllers('product', names, known, []))
    expect(typeof chosen === 'number' ? chosen : chosen.map(({ id }) => id)).toEqual(expected)
  })

  test('keep values that the caller could not name', () => {
    const current = [
      { id: 8, name: 'Eight' },
      { id: 9, name: null },
    ]
    const chosen = requireControllers('product', ['two'], known, current)
    expect(chosen.map(({ id }) => id)).toEqual([9, 2])
    expect(joinControllerNames(chosen)).toBe('Two')
  })
})

describe('values of a field that the product controls', () => {
  test('are shown with the names of the products', async () => {
    const [one, two] = [await insertProduct(), await insertProduct()]
    const field = await postCustomField(admin, {
      type: 2,
      value_field: 'product',
      values: [{ name: 'both', visibility_values: [one.name, two.name] }, 'always'],
    })
    await postFieldValue(admin, field.name, 'second', { visibility_values: [two.name] })
    const path = `${PATH}/${field.name}/values/both`
    const answer = await put(admin, path, { visibility_values: [one.name] })

    expect(answer.body.values[0].changes).toEqual({
      visibility_values: {
        removed: [one.name, two.name]
          .toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
          .join(', '),
        added: one.name,
      },
    })
    expect((await readFields(`/${field.id}`))[0].values).toMatchObject([
      { name: '---', visibility_values: [] },
      { name: 'both', visibility_values: [one.name] },
      { name: 'always', visibility_values: [] },
      { name: 'second', visibility_values: [two.name] },
    ])
  })

  test('may be offered under one product together', async () => {
    const [one, two] = [await insertProduct(), await insertProduct()]
    const values = [
      { name: 'first', visibility_values: [one.name] },
      { name: 'second', visibility_values: [two.name, one.name] },
    ]
    const field = await postCustomField(admin, { type: 3, value_field: 'product', values })
    const third = { name: 'third', visibility_values: [one.name] }
    const answer = await put(admin, `${PATH}/${field.name}`, { values: [...values, third] })

    expect(answer.body.fields).toMatchObject([{ id: field.id }])
    expect(
      await readFields(`/${field.id}?include_fields=values.name,values.visibility_values`),
    ).toEqual([
      {
        values: [
          { name: 'first', visibility_values: [one.name] },
          {
            name: 'second',
            visibility_values: [one.name, two.name].toSorted((a, b) =>
              a.toLowerCase() < b.toLowerCase() ? -1 : 1,
            ),
          },
          { name: 'third', visibility_values: [one.name] },
        ],
      },
    ])
  })

  test('keep hidden products, which others neither see nor name', async () => {
    const insider = await insertPerson()
    const secret = await insertProduct({
      controls: [{ group: await insertGroup([insider]), memberControl: 3, otherControl: 3 }],
    })
    const open = await insertProduct()
    const field = await postCustomField(admin, {
      type: 3,
      value_field: 'product',
      values: [{ name: 'v', visibility_values: [open.name] }],
    })
    const path = `${PATH}/${field.name}/values/v`
    expectFault(await put(admin, path, { visibility_values: [secret.name] }), 404, 51, secret.name)
    await execute(sql`INSERT INTO value_visibility (value_id, controlling_id)
      SELECT id, ${secret.id} FROM field_values WHERE field_id = ${field.id}`)
    const answer = await put(admin, path, { visibility_values: [] })

    expect(answer.body.values[0].changes).toEqual({
      visibility_values: { removed: open.name, added: '' },
    })
    expect((await readFields(`/${field.id}`, ANYONE))[0].values).toEqual([])
    expect((await readFields(`/${field.id}`, insider))[0].values).toMatchObject([
      { visibility_values: [secret.name] },
    ])
  })

  test('may be decided about by components, classifications and other custom fields too', async () => {
    const place = await insertProduct()
    const other = await postCustomField(admin, { type: 2, values: ['x'] })
    for (const [decider, value] of [
      ['component', place.component],
      ['classification', 'Unclassified'],
      [other.name, 'x'],
    ] as const) {
      const field = await postCustomField(admin, {
        type: 3,
        visibility_field: decider,
        visibility_values: [value],
        value_field: decider,
        values: [{ name: 'v', visibility_values: [value] }],
      })
      expect(await readFields(`/${field.id}`)).toMatchObject([
        {
          visibility_field: decider,
          visibility_values: [value],
          value_field: decider,
          values: [{ name: 'v', visibility_values: [value] }],
        },
      ])
    }
    const inUse = await send(admin, 'DELETE', `${PATH}/${other.name}/values/x`)
    expectFault(inUse, 400, 32_000, 'other fields depend on it')
    expect(await countRows('field_values', sql`field_id = ${other.id}`)).toBe(1)
  })
})
