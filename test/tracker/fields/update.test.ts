import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { postCustomField, setCustomValue } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get, put } from '../../support/client.ts'
import { readFields } from '../../support/clients/fields.ts'
import { countRows } from '../../support/database/execute.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const PATH = '/rest/field/bug'

const admin = await insertPerson({ roles: ['admin'] })

describe('PUT /field/bug', () => {
  test('reports the change and shows it from then on', async () => {
    const place = await insertProduct()
    const field = await postCustomField(admin, { type: 3, values: ['a'] })
    const answer = await put(admin, `${PATH}/${field.name.toUpperCase()}`, {
      display_name: 'Team',
      is_mandatory: true,
      is_on_bug_entry: true,
      visibility_field: 'product',
      visibility_values: [place.name],
      value_field: 'priority',
      values: ['b'],
      sort_key: 9_000,
    })
    const changes = {
      display_name: { removed: field.name, added: 'Team' },
      is_mandatory: { removed: '0', added: '1' },
      is_on_bug_entry: { removed: '0', added: '1' },
      visibility_field: { removed: '', added: 'product' },
      visibility_values: { removed: '', added: place.name },
      value_field: { removed: '', added: 'priority' },
      values: { removed: '', added: 'b' },
      sort_key: { removed: expect.any(String), added: '9000' },
    }

    expect(answer.body).toEqual({ fields: [{ id: field.id, changes }] })
    expect(await readFields(`/${field.id}`)).toMatchObject([
      {
        display_name: 'Team',
        is_mandatory: true,
        is_on_bug_entry: true,
        visibility_field: 'product',
        visibility_values: [place.name],
        value_field: 'priority',
        values: [{ name: 'a' }, { name: 'b', sort_key: 200 }],
      },
    ])
    expect(await loadRevision('fields', field.id)).toBe(1)
    expect(await loadAuditEntries('Field', field.id)).toMatchObject([
      { action: 'create' },
      { user_id: admin.id, action: 'update', changes },
    ])
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const field = await postCustomField(admin, { type: 2, values: ['a'], is_on_bug_entry: true })
    const body = { is_on_bug_entry: 1, values: ['A'], value_field: null, type: 5, name: 'cf_other' }

    expect((await put(admin, `${PATH}/${field.id}`, body)).body).toEqual({
      fields: [{ id: field.id, changes: {} }],
    })
    expect(await loadRevision('fields', field.id)).toBe(0)
    expect(await readFields(`/${field.id}`)).toMatchObject([{ name: field.name, type: 2 }])
  })

  test('answers the properties of values', async () => {
    const field = await postCustomField(admin, { type: 3, values: ['a', 'b'] })
    const values = [{ name: 'A', sort_key: 300, is_active: false, description: 'Old' }]
    const answer = await put(admin, `${PATH}/${field.id}`, { values })

    expect(answer.body.fields[0].changes).toEqual({ values: { removed: '', added: 'a' } })
    expect((await readFields(`/${field.id}`))[0].values).toMatchObject([
      { name: 'b', sort_key: 200 },
      { name: 'a', sort_key: 300, description: 'Old' },
    ])
  })

  test('makes a field visible always again', async () => {
    const field = await postCustomField(admin, {
      type: 1,
      visibility_field: 'priority',
      visibility_values: ['P1', 'P2'],
    })
    const only = { visibility_values: ['p2'] }
    expect((await put(admin, `${PATH}/${field.id}`, only)).body.fields[0].changes).toEqual({
      visibility_values: { removed: 'P1, P2', added: 'P2' },
    })
    await put(admin, `${PATH}/${field.id}`, { visibility_field: '' })

    expect(await readFields(`/${field.id}`)).toMatchObject([
      { visibility_field: null, visibility_values: [] },
    ])
    expect(await countRows('field_visibility', sql`field_id = ${field.id}`)).toBe(0)
  })

  test('answers values that another field decides about no more as offered always', async () => {
    const field = await postCustomField(admin, {
      type: 3,
      value_field: 'priority',
      values: [{ name: 'a', visibility_values: ['P1'] }],
    })
    await put(admin, `${PATH}/${field.id}`, { value_field: 'severity' })

    expect(await readFields(`/${field.id}`)).toMatchObject([
      { value_field: 'bug_severity', values: [{ name: 'a', visibility_values: [] }] },
    ])
  })

  test('answers an obsolete field in bugs that have it, and nowhere else', async () => {
    const place = await insertProduct()
    const field = await postCustomField(admin, { type: 1 })
    const [old, other] = [await postBug(admin, place), await postBug(admin, place)]
    await setCustomValue(old, field, { text: 'kept' })
    await put(admin, `${PATH}/${field.id}`, { is_obsolete: true })
    const bugs = (await get(ANYONE, `/rest/bug?id=${old},${other}`)).body.bugs

    expect(bugs.map((bug: Record<string, unknown>) => bug[field.name])).toEqual(['kept', undefined])
    expect(await readFields('?include_fields=name')).not.toContainEqual({ name: field.name })
    await put(admin, `${PATH}/${field.name}`, { is_obsolete: false })
    expect(await readFields('?include_fields=name')).toContainEqual({ name: field.name })
  })
})

describe('PUT /field/bug', () => {
  test('rejects a field that would decide about itself with 53', async () => {
    const { id, name } = await postCustomField(admin, { type: 2, values: ['a'] })
    const body = { visibility_field: name, visibility_values: ['a'] }
    expectFault(await put(admin, `${PATH}/${id}`, body), 400, 53, 'visibility_field')
    expectFault(await put(admin, `${PATH}/${id}`, { value_field: id }), 400, 53, 'value_field')
  })

  test('rejects fields that are built in with 32000, and unknown ones with 51', async () => {
    expectFault(await put(admin, `${PATH}/status`, { sort_key: 1 }), 400, 32_000, 'bug_status')
    expectFault(await put(admin, `${PATH}/cf_nope`, {}), 404, 51, 'cf_nope')
    expectFault(await put(admin, `${PATH}/999999`, {}), 404, 51, '999999')
  })

  test('rejects callers who are no administrators with 304, and anonymous callers with 410', async () => {
    const { id } = await postCustomField(admin, { type: 1 })
    expectFault(await put(await insertPerson(), `${PATH}/${id}`, { sort_key: 1 }), 401, 304)
    expectFault(await put(ANYONE, `${PATH}/${id}`, { sort_key: 1 }), 401, 410)
  })
})
