import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { components, versions } from '../../../../src/platform/db/schema/products.ts'
import { Browser } from '../../../support/browser.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const product = await insertProduct()
await insertProduct()
const ada = await insertPerson({ password: 'a-long-password' })
const browser = await new Browser().signIn(ada)
await browser.open('/account')

function formPath(more = ''): string {
  return `/new?product=${product.name}&component=${product.component}${more}`
}

function file(fields: Record<string, string | File>) {
  const place = { product: product.name, component: product.component, version: 'unspecified' }
  return browser.submit(formPath(), '/new', {
    ...{ ...place, request: crypto.randomUUID() },
    ...fields,
  })
}

async function bugAt(location: string | null) {
  const { body } = await get(ada, `/rest${location}?include_fields=_default,description`)
  return body.bugs[0]
}

describe('the form for a new bug', () => {
  test('is reached by product and component, and prefilled by its address', async () => {
    const places = await browser.open('/new')
    expect(places.html).toContain(`/new?product=${product.name}`)
    const { html, headers } = await browser.open(
      formPath('&short_desc=%3Cb%3EIt+broke&comment=When+I+press&bug_severity=S1'),
    )
    expect(html).toContain('value="&lt;b&gt;It broke"')
    expect(html).toContain('When I press')
    expect(headers.get('server-timing')).toMatch(/"2 trips/)
  })

  test('leads anonymous readers to the sign-in, and back', async () => {
    const { status, headers } = await new Browser().open(formPath())
    expect(status).toBe(303)
    expect(headers.get('location')).toBe(`/login?return=${encodeURIComponent(formPath())}`)
  })

  test('is found at the old address with all that it prefills', async () => {
    const { headers } = await browser.open(`/enter_bug.cgi?product=${product.name}&cc=a`)
    expect(headers.get('location')).toBe(`/new?product=${product.name}&cc=a`)
  })

  test('takes the typed name of a component in a product that has more than any page lists', async () => {
    // hidden from the tests that read all products
    const group = await insertGroup([ada])
    const controls = [{ group, entry: true, memberControl: 3, otherControl: 3 }]
    const huge = await insertProduct({ controls })
    const parts = JSON.stringify(Array.from({ length: 35_000 }, (_, n) => n))
    await execute(sql`INSERT INTO components (product_id, name, name_fold, description, team_name, default_assignee_id)
      SELECT ${huge.id}, 'Part ' || value, 'part ' || value, '', '', ${ada.id} FROM json_each(${parts})`)
    await execute(sql`INSERT INTO versions (product_id, name, name_fold)
      SELECT ${huge.id}, 'v' || value, 'v' || value FROM json_each(${parts})`)
    const at = `/new?product=${huge.name}`
    const { html: choice } = await browser.open(`${at}&short_desc=It+broke`)
    expect(choice).toContain('There are more components than are listed here')
    expect(choice).toContain('name="short_desc" value="It broke"')
    expect((await browser.open(`${at}&component=Nothing`)).html).toContain('no component “Nothing”')
    const { html: form, headers } = await browser.open(`${at}&component=part+34999`)
    expect(form).toContain('name="component" value="Part 34999"')
    expect(form).toMatch(/<input name="version"/)
    expect(headers.get('server-timing')).toMatch(/"2 trips/)
    const { headers: sent } = await browser.submit(`${at}&component=Part+34999`, '/new', {
      ...{ product: huge.name, component: 'Part 34999', version: 'v34999', summary: 'It broke' },
      request: crypto.randomUUID(),
    })
    const location = sent.get('location')
    expect(await bugAt(location)).toMatchObject({ component: 'Part 34999', version: 'v34999' })
    const { html: shown } = await browser.open(`/products/${huge.name}`)
    expect(shown).toContain('More than 4,000 more are not shown')
    const { html: edited } = await browser.open(`${location}?edit=1`)
    expect(edited).toMatch(/<input name="component"[^>]*value="Part 34999"/)
    const { html: search } = await browser.open(`/search?product=${huge.name}&component=Part+34999`)
    expect(search).toContain('There are more parts than are listed here')
    expect(search).toContain('Part 34999')
    for (const table of [components, versions]) {
      await execute(sql`DELETE FROM ${table} WHERE product_id = ${huge.id} AND id NOT IN
        (SELECT component_id FROM bugs UNION SELECT version_id FROM bugs)`)
    }
  })

  test('says of a product that the reader may not use what it says of a missing one', async () => {
    const group = await insertGroup()
    const closed = await insertProduct({ controls: [{ group, entry: true }] })
    const said = await Promise.all(
      [closed.name, 'No such product'].map(async (name) => {
        const { html } = await browser.open(`/new?product=${encodeURIComponent(name)}`)
        return /role="alert">([^<]*)</.exec(html)?.[1]?.replace(name, 'X')
      }),
    )
    expect(said[0]).toContain('may not file')
    expect(said[1]).toBe(said[0])
  })
})

describe('sending it', () => {
  test('files the bug with all that was typed, once for a form that is sent twice', async () => {
    const summary = uniqueName('Unmistakable frobnication ')
    const fields = {
      request: crypto.randomUUID(),
      ...{ summary, description: 'It *broke*', whiteboard: '[found]', cc: ada.login },
      ...{ priority: '', severity: '--' },
    }
    const first = await file(fields)
    expect(first.status, first.html).toBe(303)
    const bug = await bugAt(first.headers.get('location'))
    expect(bug).toMatchObject({
      ...{ summary, description: 'It *broke*', whiteboard: '[found]', cc: [ada.login] },
      creator: ada.login,
    })
    const again = await file({ ...fields, looked: '1' })
    expect(again.headers.get('location')).toBe(`/bug/${bug.id}`)
  })

  test('keeps what was typed where the service refuses it, and files nothing', async () => {
    const summary = uniqueName('Refused ')
    const { status, html } = await file({
      ...{ summary, cc: 'nobody@example.test', url: 'x<y', '(': 'no expression' },
    })
    expect(status).toBe(401)
    expect(html).toContain('role="alert"')
    expect(html).toContain('nobody@example.test')
    expect(html).toContain('value="x&lt;y"')
    const found = await get(ada, `/rest/bug?summary=${encodeURIComponent(summary)}&count_only=1`)
    expect(found.body.bug_count).toBe(0)
  })

  test('asks for another product where there is none of that name, and keeps what was typed', async () => {
    const other = await insertProduct()
    const summary = uniqueName('Homeless ')
    const typed = { summary, description: 'one\n<two>', whiteboard: '[kept]', cc: ada.login }
    const refused = await file({
      ...{ ...typed, product: 'No such product', looked: '1' },
      file: new File(['picture'], 'mine.txt', { type: 'text/plain' }),
    })
    expect(refused.status).toBe(401)
    expect(refused.html).toMatch(/role="alert">[^<]*“No such product” does not exist/)
    expect(refused.html).toContain('one\n&lt;two&gt;</textarea>')
    for (const value of [summary, '[kept]', ada.login, product.component, 'mine.txt']) {
      expect(refused.html).toContain(`value="${value}"`)
    }
    const moved = await file({
      ...{ ...typed, product: other.name, component: 'None' },
      ...{ moved: '1', lost: 'mine.txt' },
    })
    expect(moved.html).toContain('Choose “mine.txt” again.')
    expect(moved.status).toBe(200)
    expect(moved.html).toContain('one\n&lt;two&gt;</textarea>')
    expect(moved.html).toContain(`<option value="${other.component}">`)
    const filed = await file({ ...typed, product: other.name, component: other.component })
    const bug = await bugAt(filed.headers.get('location'))
    expect(bug).toMatchObject({ summary, product: other.name, whiteboard: '[kept]' })
  })

  test('asks for another component where the product has none of that name', async () => {
    const { status, html } = await file({
      ...{ summary: uniqueName('Partless '), component: 'No such part', looked: '1' },
      file: new File(['picture'], 'a&b.txt', { type: 'text/plain' }),
    })
    expect(status).toBe(404)
    expect(html).toContain(`<option value="${product.component}">`)
    expect(html).toContain('Choose “a&amp;b.txt” again.')
  })

  test('shows what may be the same first, but for bugs that the reader may not see', async () => {
    const words = uniqueName('Quincunx')
    const known = await postBug(ada, product, { summary: `${words} explodes` })
    const secret = await insertGroup()
    const restricted = await insertProduct({
      controls: [{ group: secret, memberControl: 3, otherControl: 3 }],
    })
    const insider = await insertPerson({ groups: [secret] })
    await postBug(insider, restricted, { summary: `${words} explodes in secret` })
    const summary = `${words} explodes again`
    const asked = await file({ summary })
    expect(asked.status).toBe(200)
    expect(asked.html).toContain(`/bug/${known}`)
    expect(asked.html).not.toContain('in secret')
    expect(asked.html).toContain(`value="${summary}"`)
    const suggested = await browser.open(`/suggest/duplicates?summary=${words}+explodes`)
    expect(suggested.html).toContain(`/bug/${known}`)
    expect(suggested.html).not.toContain('in secret')
    const filed = await file({ summary, looked: '1' })
    expect(filed.status).toBe(303)
  })

  test('attaches the file that came along', async () => {
    const picture = new File(['picture'], "it's mine.txt", { type: 'text/plain' })
    const { headers } = await file({
      ...{ summary: uniqueName('Filed '), file: picture, file_summary: 'What I saw' },
    })
    const location = headers.get('location')
    const { body } = await get(ada, `/rest${location}/attachment`)
    const [files] = Object.values(body.bugs) as [{ summary: string; file_name: string }[]]
    expect(files).toMatchObject([
      { summary: 'What I saw', file_name: "it's mine.txt", data: btoa('picture') },
    ])
  })

  test('is refused for a file that is too large, with a sentence', async () => {
    const large = new File([new Uint8Array(12 * 1024 * 1024)], 'x.bin')
    const { status } = await file({ summary: uniqueName('Large '), file: large })
    expect(status).toBe(413)
  })
})
