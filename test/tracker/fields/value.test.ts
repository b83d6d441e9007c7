import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { postCustomField, postFieldValue, setCustomValue } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put, send } from '../../support/client.ts'
import { readBug } from '../../support/clients/bugs.ts'
import { readFields, readLegalValues } from '../../support/clients/fields.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { countRows, execute } from '../../support/database/execute.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const PATH = '/rest/field/bug'

/** The built-in lists, by the names that bugs show. */
const LISTS = ['resolution', 'priority', 'severity', 'platform', 'op_sys', 'type']

const admin = await insertPerson({ roles: ['admin'] })

const short = () => uniqueName('v').slice(0, 18)
const valuePath = (field: string, value: string | number) =>
  `${PATH}/${field}/values/${encodeURIComponent(value)}`
const sendRemoval = (who: { key?: string }, path: string) => send(who, 'DELETE', path)

describe.each(LISTS)('writing /field/bug/:field/values, a value of %s', (field) => {
  test('answers its ID, and is there until it is removed', async () => {
    const name = short()
    const id = await postFieldValue(admin, field, name, { description: 'What it is' })
    const [{ values }] = await readFields(`/${field}`)
    const last = Math.max(...values.map((value: { sort_key: number }) => value.sort_key))

    expect(values).toContainEqual({
      name,
      sort_key: last,
      sortkey: last,
      visibility_values: [],
      description: 'What it is',
    })
    expect(await readLegalValues(`/${field}/values`)).toContain(name)
    expect((await sendRemoval(admin, valuePath(field, name.toUpperCase()))).body).toEqual({
      success: 1,
    })
    expect(await readLegalValues(`/${field}/values`)).not.toContain(name)
    expect(await loadAuditEntries('FieldValue', id)).toMatchObject([
      { user_id: admin.id, action: 'create', changes: { name: { removed: '', added: name } } },
      { user_id: admin.id, action: 'remove', changes: { name: { removed: name, added: '' } } },
    ])
  })

  test('shows a renamed value in bugs, and refuses to remove it there', async () => {
    const [name, renamed] = [short(), short()]
    const id = await postFieldValue(admin, field, name)
    const isResolution = field === 'resolution'
    const more = isResolution ? { status: 'RESOLVED', resolution: name } : { [field]: name }
    const bug = await postBug(admin, await insertProduct(), more)
    const answer = await put(admin, valuePath(field, name), { name: renamed, is_active: false })

    expect(answer.body).toEqual({
      values: [
        {
          id,
          changes: {
            name: { removed: name, added: renamed },
            is_active: { removed: '1', added: '0' },
          },
        },
      ],
    })
    expect((await readBug(bug))[field]).toBe(renamed)
    expect(await readLegalValues(`/${field}/values`)).not.toContain(renamed)
    expectFault(await sendRemoval(admin, valuePath(field, renamed)), 400, 32_000, 'bugs have it')
    const again = await post(
      admin,
      '/rest/bug',
      buildBugBody(await insertProduct(), { ...more, [field]: renamed }),
    )
    expect(again.status).toBeGreaterThanOrEqual(400)
  })
})

describe('writing /field/bug/:field/values', () => {
  test('answers what an update changed', async () => {
    const field = await postCustomField(admin, { type: 2, values: ['a/b', 'c'] })
    const body = { name: ' d ', sort_key: -5, description: 'x', is_active: false }
    const answer = await put(admin, valuePath(field.name, 'A/B'), body)
    const changes = {
      name: { removed: 'a/b', added: 'd' },
      sort_key: { removed: '100', added: '-5' },
      description: { removed: '', added: 'x' },
      is_active: { removed: '1', added: '0' },
    }
    const [{ id }] = answer.body.values

    expect(answer.body.values).toEqual([{ id, changes }])
    expect((await readFields(`/${field.id}`))[0].values).toMatchObject([
      { name: '---' },
      { name: 'd', sort_key: -5, description: 'x' },
      { name: 'c' },
    ])
    expect(await loadRevision('field_values', id)).toBe(1)
    expect(await loadAuditEntries('FieldValue', id)).toMatchObject([{ action: 'update', changes }])
  })

  test('keeps the empty choice of a field with one choice as it is', async () => {
    const { id, name } = await postCustomField(admin, { type: 2, values: ['a'] })
    const path = `/rest/field/bug/${name}`
    expectFault(await post(admin, `${path}/values`, { name: '---' }), 400, 32_000, '---')
    expectFault(await put(admin, valuePath(name, 'a'), { name: ' --- ' }), 400, 32_000, '---')
    expectFault(await put(admin, valuePath(name, '---'), { is_active: false }), 400, 32_000, '---')
    expectFault(await send(admin, 'DELETE', valuePath(name, '---')), 400, 32_000, '---')
    const inactive = { values: [{ name: '---', is_active: false }] }
    expectFault(await put(admin, path, inactive), 400, 32_000, '---')

    const [{ values }] = await readFields(`/${id}`)
    expect(values.map((one: { name: string }) => one.name)).toEqual(['---', 'a'])
    expect((await put(admin, path, { values })).body).toEqual({ fields: [{ id, changes: {} }] })
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const field = await postCustomField(admin, { type: 3, values: ['a'] })
    const answer = await put(admin, valuePath(field.name, 'a'), { name: 'a', is_active: true })

    expect(answer.body.values[0].changes).toEqual({})
    expect(await loadRevision('field_values', answer.body.values[0].id)).toBe(0)
    expect(await loadRevision('fields', field.id)).toBe(0)
  })

  test('finds a value by its name first and then by its ID, and a field likewise', async () => {
    const field = await postCustomField(admin, { type: 2 })
    const first = await postFieldValue(admin, String(field.id), 'one')
    const second = await postFieldValue(admin, field.name, String(first))

    expect((await put(admin, valuePath(field.name, first), {})).body.values[0].id).toBe(second)
    expect((await put(admin, valuePath(String(field.id), second), {})).body.values[0].id).toBe(
      second,
    )
  })

  test('shows a value in bugs, and refuses to remove it while one has it', async () => {
    const field = await postCustomField(admin, { type: 2, values: ['a'] })
    const bug = await postBug(admin, await insertProduct())
    await setCustomValue(bug, field, { choice: 'a' })
    expectFault(await sendRemoval(admin, valuePath(field.name, 'a')), 400, 32_000, 'a')
    await put(admin, valuePath(field.name, 'a'), { name: 'b' })
    expect((await readBug(bug))[field.name]).toBe('b')
  })
})

describe('writing /field/bug/:field/values', () => {
  test('rejects a missing or blank name with 50, one too long with 53, a place out of range with 53', async () => {
    const field = await postCustomField(admin, { type: 2, values: ['a'] })
    const path = `${PATH}/${field.name}/values`
    expectFault(await post(admin, path, {}), 400, 50, 'name')
    for (const [body, code, naming] of [
      [{ name: ' ' }, 50, 'name'],
      [{ name: 'x'.repeat(65) }, 53, 'name'],
      [{ name: 'b', sort_key: 40_000 }, 53, 'sort_key'],
      [{ name: 'b', visibility_values: ['P1'] }, 53, 'visibility_values'],
      [{ name: 'b', is_open: true }, 53, 'is_open'],
      [{ name: 'b', can_change_to: ['RESOLVED'] }, 53, 'can_change_to'],
      [{ name: 'b', can_be_initial: false }, 53, 'can_be_initial'],
    ] as const) {
      expectFault(await post(admin, path, body), 400, code, naming)
      expectFault(await put(admin, valuePath(field.name, 'a'), body), 400, code, naming)
    }
    expect(await countRows('field_values', sql`field_id = ${field.id}`)).toBe(1)
  })

  test('rejects a taken name in any case with 32000, even one taken at the same moment', async () => {
    const field = await postCustomField(admin, { type: 2, values: ['a', 'b'] })
    const path = `${PATH}/${field.name}/values`
    expectFault(await post(admin, path, { name: 'A' }), 400, 32_000, 'A')
    expectFault(await put(admin, valuePath(field.name, 'b'), { name: ' A' }), 400, 32_000, 'A')
    const answers = await Promise.all([1, 2].map(() => post(admin, path, { name: 'Same' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  })

  test.each(['summary', 'product', 'component', 'version', 'keywords', 'classification'])(
    'rejects fields without a list of their own: 108 for %s',
    async (field) => {
      expectFault(await post(admin, `${PATH}/${field}/values`, { name: 'x' }), 400, 108, field)
      expectFault(await put(admin, valuePath(field, 'x'), {}), 400, 108, field)
      expectFault(await sendRemoval(admin, valuePath(field, 'x')), 400, 108, field)
    },
  )

  test('rejects what does not exist with 51', async () => {
    expectFault(await post(admin, `${PATH}/cf_nope/values`, { name: 'x' }), 404, 51, 'cf_nope')
    for (const [field, value, naming] of [
      ['cf_nope', 'x', 'cf_nope'],
      ['priority', 'nope', 'nope'],
      ['priority', '999999', '999999'],
    ] as const) {
      expectFault(await put(admin, valuePath(field, value), {}), 404, 51, naming)
      expectFault(await sendRemoval(admin, valuePath(field, value)), 404, 51, naming)
    }
  })

  test.each([
    ['resolution', 'FIXED'],
    ['resolution', 'DUPLICATE'],
    ['status', 'UNCONFIRMED'],
    ['priority', '--'],
    ['severity', '--'],
    ['type', 'defect'],
    ['platform', 'Unspecified'],
    ['op_sys', 'Unspecified'],
  ])(
    'rejects to lose its name or its use where the service needs it: %s %s',
    async (field, value) => {
      const before = await readFields(`/${field}`)
      expectFault(
        await put(admin, valuePath(field, value), { name: 'something else' }),
        400,
        32_000,
        value,
      )
      expectFault(
        await put(admin, valuePath(field, value), { is_active: false }),
        400,
        32_000,
        value,
      )
      expectFault(await sendRemoval(admin, valuePath(field, value)), 400, 32_000, value)
      expect(await readFields(`/${field}`)).toEqual(before)
    },
  )

  test('rejects to lose the empty resolution', async () => {
    const [row] =
      await execute(sql`SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
      WHERE f.name = 'resolution' AND v.name = ''`)
    expectFault(await sendRemoval(admin, valuePath('resolution', Number(row?.id))), 400, 32_000)
    expectFault(
      await put(admin, valuePath('resolution', Number(row?.id)), { name: 'x' }),
      400,
      32_000,
    )
  })

  test('rejects to lose a value that the settings of the deployment give new bugs', async () => {
    const name = short()
    await postFieldValue(admin, 'priority', name)
    const answer = await fetchWith({ DEFAULT_PRIORITY: name }, valuePath('priority', name), {
      method: 'DELETE',
      headers: { 'x-tracker-api-key': admin.key },
    })
    expect(await answer.json()).toMatchObject({ code: 32_000 })
    expect((await sendRemoval(admin, valuePath('priority', name))).status).toBe(200)
  })

  test('rejects to lose a type that a product begins with', async () => {
    const [name, place] = [short(), await insertProduct()]
    const id = await postFieldValue(admin, 'type', name)
    await execute(sql`UPDATE products SET default_type_id = ${id} WHERE id = ${place.id}`)
    expectFault(await sendRemoval(admin, valuePath('type', name)), 400, 32_000, 'default')
    await put(admin, valuePath('type', name), { is_active: false })
  })

  test('rejects to be removed under a bug that is being filed with it', async () => {
    const [name, place] = [short(), await insertProduct()]
    await postFieldValue(admin, 'severity', name)
    const [filing, removing] = await Promise.all([
      post(admin, '/rest/bug', buildBugBody(place, { severity: name })),
      sendRemoval(admin, valuePath('severity', name)),
    ])
    expect([filing.status, removing.status].sort()).toEqual([200, 400])
    await put(admin, valuePath('severity', name), { is_active: false })
  })

  test('rejects callers who are no administrators with 304, and anonymous callers with 410', async () => {
    for (const [who, code] of [
      [await insertPerson({ roles: ['editcomponents', 'editbugs', 'editkeywords'] }), 304],
      [ANYONE, 410],
    ] as const) {
      expectFault(await post(who, `${PATH}/priority/values`, { name: 'x' }), 401, code)
      expectFault(await put(who, valuePath('priority', 'P1'), { name: 'x' }), 401, code)
      expectFault(await sendRemoval(who, valuePath('priority', 'P1')), 401, code)
    }
    expect((await get(ANYONE, `${PATH}/priority/values`)).body.values).toContain('P1')
  })
})
