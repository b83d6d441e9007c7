import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get } from '../../../support/client.ts'

const PASSWORD = 'a-long-password'

const root = await insertPerson({
  password: PASSWORD,
  roles: ['admin', 'editkeywords', 'editcomponents', 'creategroups'],
})
const browser = await new Browser().signIn(root)

async function submit(path: string, open: string, fields: Record<string, string | string[]>) {
  const address = new URL(path, 'https://tracker.test')
  address.searchParams.set('open', open)
  return browser.submit(path, address.pathname + address.search, fields)
}

async function valuesOf(field: string) {
  return (await get(root, `/rest/field/bug/${field}`)).body.fields[0].values
}

function valueNamed(values: { name: string }[], name: string) {
  return values.find((value) => value.name === name)
}

describe('the keywords', () => {
  test('are made, changed and removed', async () => {
    const name = uniqueName('kw')
    const all = async () => (await get(root, '/rest/keyword')).body.keywords
    const fields = { name, description: 'Old <b>', is_active: 'on' }
    await submit('/admin/keywords', 'keyword.new', { ...fields, do: 'keyword.create' })
    const { id } = valueNamed(await all(), name) as unknown as { id: number }
    const { html } = await browser.open(`/admin/keywords?open=keyword.${id}`)
    expect(html).toContain('Old &lt;b&gt;</textarea>')
    const open = `keyword.${id}`
    await submit('/admin/keywords', open, { name, description: 'New', do: 'keyword.save' })
    expect(valueNamed(await all(), name)).toMatchObject({ description: 'New', is_active: false })
    const bad = { name: 'two words', description: 'New', do: 'keyword.save' }
    const refused = await submit('/admin/keywords', open, bad)
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('value="two words"')
    await submit('/admin/keywords', open, { name, do: 'keyword.remove' })
    expect(valueNamed(await all(), name)).toBeUndefined()
  })
})

describe('the flag types', () => {
  test('are made for a product and changed', async () => {
    const product = await insertProduct()
    const group = await insertGroup([root])
    const path = `/admin/flag-types?product=${encodeURIComponent(product.name)}`
    const name = uniqueName('review')
    const fields = {
      ...{ name, description: 'Look at it', grant_group: group.name, request_group: '' },
      ...{ cc_list: '', sort_key: '3', is_active: 'on', is_requestable: 'on' },
    }
    const made = await submit(path, 'type.new', {
      ...{ ...fields, target_type: 'attachment', inclusions: product.name },
      do: 'type.create',
    })
    expect(made.status, made.html).toBe(303)
    const { html } = await browser.open(path)
    const id = new RegExp(`open=type\\.(\\d+)[^>]*>${name}<`).exec(html)?.[1]
    const form = (await browser.open(`${path}&open=type.${id}`)).html
    expect(form).toContain(`value="${group.name}"`)
    const saved = await submit(path, `type.${id}`, { ...fields, sort_key: '9', do: 'type.save' })
    expect(saved.status, saved.html).toBe(303)
    const { body } = await get(root, `/rest/product?names=${encodeURIComponent(product.name)}`)
    expect(body.products[0].components[0].flag_types.attachment).toContainEqual(
      expect.objectContaining({ name, sort_key: 9, is_requesteeble: false, grant_group: group.id }),
    )
  })
})

describe('the fields', () => {
  test('are made with values, and changed', async () => {
    const name = `cf_${uniqueName('f').toLowerCase().replaceAll(/\W/g, '_')}`
    const fields = { name, type: '2 one choice', display_name: 'Mood', is_on_bug_entry: 'on' }
    const made = await submit('/admin/fields', 'field.new', { ...fields, do: 'field.create' })
    const path = `/admin/fields/${name}`
    expect(made.headers.get('location'), made.html).toBe(`${path}?done=1`)
    await submit(path, 'value.new', { name: 'Good', is_active: 'yes', do: 'value.create' })
    expect(valueNamed(await valuesOf(name), 'Good')).toBeDefined()
    await submit(path, 'value.Good', { name: 'Great', sort_key: '4', do: 'value.save' })
    expect(valueNamed(await valuesOf(name), 'Great')).toMatchObject({ sort_key: 4 })
    await submit(path, 'value.Great', { name: 'Great', do: 'value.remove' })
    expect(valueNamed(await valuesOf(name), 'Great')).toBeUndefined()
    await submit(path, `field.${name}`, { display_name: 'Temper', do: 'field.save' })
    const { body } = await get(root, `/rest/field/bug/${name}`)
    expect(body.fields[0]).toMatchObject({ display_name: 'Temper', is_on_bug_entry: false })
  })
})

describe('the workflow', () => {
  const path = '/admin/workflow'

  test('is shown as a picture, and a row of its table saves moves', async () => {
    const name = uniqueName('STATE').toUpperCase().replaceAll(/\W/g, '_')
    const fresh = { name, is_open: 'on', can_be_initial: 'on' }
    const made = await submit(path, 'status.new', { ...fresh, do: 'status.create' })
    expect(made.status, made.html).toBe(303)
    const moves = { to: ['CONFIRMED', 'RESOLVED'], with_comment: 'RESOLVED', is_open: 'on' }
    const saved = await submit(path, `moves.${name}`, {
      ...{ ...moves, initial: 'on' },
      do: 'moves.save',
    })
    expect(saved.status, saved.html).toBe(303)
    expect(valueNamed(await valuesOf('status'), name)).toMatchObject({
      can_change_to: [
        { name: 'CONFIRMED', comment_required: false },
        { name: 'RESOLVED', comment_required: true },
      ],
    })
    const { html } = await browser.open(path)
    expect(html).toContain(`<title>${name} → CONFIRMED</title>`)
    expect(html).toContain('name="with_comment" value="RESOLVED"')
    expect(html).toMatch(new RegExp(`checked[^>]*aria-label="New bugs may have ${name}"`))
    const refused = await submit(path, `moves.${name}`, { to: 'NOWHERE', do: 'moves.save' })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.html).toContain('role="alert"')
    await submit(path, `status.${name}`, { name, do: 'status.remove' })
    expect(valueNamed(await valuesOf('status'), name)).toBeUndefined()
  })
})

describe('others than administrators', () => {
  test.each([
    ['/admin/keywords', 'keyword.new', { do: 'keyword.create', name: 'x', description: 'y' }],
    ['/admin/flag-types', 'type.new', { do: 'type.create', name: 'x', description: 'y' }],
    ['/admin/fields', 'field.new', { do: 'field.create', name: 'cf_x', type: '1' }],
    ['/admin/workflow', 'status.new', { do: 'status.create', name: 'X' }],
  ])('are refused what the forms of %s do', async (path, open, fields) => {
    const stranger = await new Browser().signIn(await insertPerson({ password: PASSWORD }))
    expect((await stranger.submit('/', `${path}?open=${open}`, fields)).status).toBe(401)
  })
})
