import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get } from '../../../support/client.ts'

const PASSWORD = 'a-long-password'

const editor = await insertPerson({
  password: PASSWORD,
  roles: ['admin', 'editcomponents', 'editclassifications'],
})
const browser = await new Browser().signIn(editor)

function submit(path: string, open: string, fields: Record<string, string>) {
  return browser.submit(path, `${path}?open=${encodeURIComponent(open)}`, fields)
}

/** Creates a product by its form, and tells its page. */
async function makeProduct(name = uniqueName('product')) {
  const made = await submit('/admin/products', 'product.new', {
    do: 'product.create',
    name,
    classification: 'Unclassified',
    description: 'What we sell',
    default_version: '1.0',
    default_milestone: '---',
    has_unconfirmed: 'on',
    is_open: 'on',
  })
  const path = `/admin/products/${encodeURIComponent(name)}`
  expect(made.headers.get('location'), made.html).toBe(`${path}?done=1`)
  return { name, path }
}

async function read(name: string) {
  const { body } = await get(editor, `/rest/product?names=${encodeURIComponent(name)}`)
  return body.products[0]
}

describe('the products', () => {
  test('are created with their defaults, and shown on a page of their own', async () => {
    const { name, path } = await makeProduct(`${uniqueName('a')} / <b> & co`)
    expect(await read(name)).toMatchObject({ default_version: '1.0', has_unconfirmed: true })
    const { status, html } = await browser.open(path)
    expect(status).toBe(200)
    expect(html).not.toContain('<b> &')
  })

  test('keep what was typed when they are refused, and write nothing', async () => {
    const name = uniqueName('product')
    const fields = { do: 'product.create', name, description: '', classification: 'Unclassified' }
    const { status, html } = await submit('/admin/products', 'product.new', fields)
    expect(status).toBe(400)
    expect(html).toContain('role="alert"')
    expect(html).toContain(`value="${name}"`)
    expect(await read(name)).toBeUndefined()
  })

  test('are renamed and closed', async () => {
    const { name, path } = await makeProduct()
    const { id } = await read(name)
    const fields = { name: `${name} two`, description: 'New', do: 'product.save' }
    const saved = await submit(path, `product.${id}`, {
      ...fields,
      default_version: '1.0',
      default_milestone: '---',
      default_bug_type: 'defect',
    })
    expect(saved.status, saved.html).toBe(303)
    expect(await read(`${name} two`)).toMatchObject({ id, is_active: false, description: 'New' })
  })

  test('are refused to others, who see no group control', async () => {
    const { name, path } = await makeProduct()
    const stranger = await new Browser().signIn(await insertPerson({ password: PASSWORD }))
    expect((await stranger.open(path)).status).toBe(401)
    const sent = await stranger.submit('/', `${path}?open=version.new`, {
      do: 'version.create',
      name: '2.0',
    })
    expect(sent.status).toBe(401)
    expect((await read(name)).versions).toHaveLength(1)
  })
})

describe('the parts of a product', () => {
  test('are components that are made and changed', async () => {
    const { name, path } = await makeProduct()
    const fields = {
      name: 'Core <i>',
      description: 'Heart',
      default_assignee: editor.login,
      team_name: 'Us',
      is_active: 'on',
    }
    await submit(path, 'component.new', { ...fields, do: 'component.create' })
    expect((await read(name)).components).toMatchObject([{ name: 'Core <i>', is_active: true }])
    const open = 'component.Core <i>'
    const { html } = await browser.open(`${path}?open=${encodeURIComponent(open)}`)
    expect(html).toContain('value="Core &lt;i&gt;"')
    expect(html).toContain(`value="${editor.login}"`)
    const nobody = { ...fields, default_assignee: 'nobody@nowhere.test', do: 'component.save' }
    const refused = await submit(path, open, nobody)
    expect(refused.status).toBe(404)
    expect(refused.html).toContain('value="nobody@nowhere.test"')
    const saved = await submit(path, open, {
      ...{ ...fields, name: 'Hub', bug_description_template: 'Steps:' },
      do: 'component.save',
    })
    expect(saved.status, saved.html).toBe(303)
    expect((await read(name)).components).toMatchObject([{ name: 'Hub' }])
  })

  test.each(['version', 'milestone'])(
    'are %ss that are made, changed and removed',
    async (kind) => {
      const { name, path } = await makeProduct()
      const parts = async () => (await read(name))[`${kind}s`]
      const fresh = { name: 'next', sort_key: '7', is_active: 'on', do: `${kind}.create` }
      await submit(path, `${kind}.new`, fresh)
      const made = (await parts()).find((part: { name: string }) => part.name === 'next')
      expect(made).toMatchObject({ sort_key: 7, is_active: true })
      const open = `${kind}.${made.id}`
      await submit(path, open, { name: 'later', sort_key: '8', do: `${kind}.save` })
      expect(await parts()).toContainEqual({
        ...made,
        name: 'later',
        sort_key: 8,
        is_active: false,
      })
      const gone = await submit(path, open, { name: 'later', do: `${kind}.remove` })
      expect(gone.status, gone.html).toBe(303)
      expect(await parts()).toHaveLength(1)
    },
  )

  test('are group controls', async () => {
    const { path, name } = await makeProduct()
    const group = await insertGroup()
    const fields = { group: group.name, membercontrol: 'SHOWN', othercontrol: 'NA' }
    await submit(path, 'control.new', { ...fields, do: 'control.create' })
    const open = `control.${group.name}`
    await submit(path, open, { ...fields, canedit: 'on', do: 'control.save' })
    const { body } = await get(editor, `/rest/product/${name}/group_control`)
    expect(body.group_controls).toMatchObject([{ membercontrol: 'SHOWN', canedit: true }])
    const illegal = { ...fields, membercontrol: 'MANDATORY', othercontrol: 'SHOWN' }
    const refused = await submit(path, open, { ...illegal, do: 'control.save' })
    expect(refused.status).toBe(404)
    expect(refused.html).toContain('role="alert"')
  })
})

describe('classifications', () => {
  test('are made, changed, and removed when they are empty', async () => {
    const name = uniqueName('class')
    const page = '/admin/products'
    await submit(page, 'classification.new', { do: 'classification.create', name })
    const found = async () => (await get(editor, `/rest/classification/${name}`)).body
    const { id } = (await found()).classifications[0]
    const change = { name, description: 'Ours', sort_key: '3', do: 'classification.save' }
    await submit(page, `classification.${id}`, change)
    expect((await found()).classifications[0]).toMatchObject({ description: 'Ours', sort_key: 3 })
    await submit(page, `classification.${id}`, { name, do: 'classification.remove' })
    expect((await found()).classifications).toBeUndefined()
  })
})
