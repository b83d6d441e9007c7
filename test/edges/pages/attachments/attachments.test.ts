import { describe, expect, test } from 'vitest'
import { Browser } from '../../../support/browser.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { get } from '../../../support/client.ts'

const PATCH = `--- a/<img src=x>.ts
+++ b/<img src=x>.ts
@@ -1,2 +1,2 @@
 const same = 1
-const old = '<script>alert(1)</script>'
+const next = '<b>2</b>'
`

const product = await insertProduct()
const ada = await insertPerson({ password: 'a-long-password', roles: ['editbugs'] })
const insider = await insertPerson({ password: 'a-long-password', roles: ['insider'] })
const bug = await postBug(ada, product)
const browser = await new Browser().signIn(ada)

describe('the page of an attachment', () => {
  test('shows a patch side by side, with its texts escaped', async () => {
    const id = await postAttachment(ada, bug, { data: btoa(PATCH), is_patch: true })
    const { html } = await new Browser().open(`/attachment/${id}/details`)
    expect(html).toContain('d2h-file-side-diff')
    expect(html).toContain('/assets/patch-')
    expect(html).not.toMatch(/<script>alert|<img src=x|<b>2/)
    expect(html).not.toContain('style=')
  })

  test.each([
    ['of many lines', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'.repeat(1000)],
    ['of names alone', '--- a\n+++ b\n'.repeat(16_000)],
  ])('shows a patch %s as a text, which takes no time', async (_, text) => {
    const id = await postAttachment(ada, bug, { data: btoa(text), is_patch: true })
    const { html } = await new Browser().open(`/attachment/${id}/details`)
    expect(html).not.toContain('d2h-file-side-diff')
    expect(html).toContain('<pre class="wide"><code>--- a')
  })

  test('does not compare all lines of a patch that replaces many long ones', async () => {
    const part = (sign: string) => `${sign}${'lacewing '.repeat(20)}\n`.repeat(49)
    const text = `--- a/x\n+++ b/x\n${`@@ -1,49 +1,49 @@\n${part('-')}${part('+')}`.repeat(10)}`
    const id = await postAttachment(ada, bug, { data: btoa(text), is_patch: true })
    const start = performance.now()
    const { html } = await new Browser().open(`/attachment/${id}/details`)
    expect(html).toContain('d2h-file-side-diff')
    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('shows a text escaped, and an image by its address', async () => {
    const text = await postAttachment(ada, bug, { data: btoa('<script>x</script>') })
    expect((await browser.open(`/attachment/${text}/details`)).html).toContain('&lt;script&gt;x')
    const image = await postAttachment(ada, bug, { content_type: 'image/png' })
    expect((await browser.open(`/attachment/${image}/details`)).html).toContain(
      `<img src="/attachment/${image}"`,
    )
  })

  test('is for insiders where the attachment is private', async () => {
    const id = await postAttachment(insider, bug, { is_private: true, summary: 'A secret' })
    const signedOut = await new Browser().open(`/attachment/${id}/details`)
    expect(signedOut.status).toBe(401)
    expect(signedOut.html).toContain('<h1>Sign in first</h1>')
    expect(signedOut.html).not.toMatch(/A secret|Your account lacks/)
    for (const stranger of [browser, new Browser()]) {
      const answer = await stranger.open(`/attachment/${id}/details`)
      expect(answer.status).toBe(401)
      expect(answer.html).not.toContain('A secret')
    }
    const own = await new Browser().signIn(insider)
    expect((await own.open(`/attachment/${id}/details`)).html).toContain('A secret')
    expect((await own.open(`/attachment/${id}`)).html).toBe('hi')
    expect((await browser.open(`/attachment/${id}`)).status).toBe(401)
  })

  test.each([
    ['action=edit&id=7', '/attachment/7/details'],
    ['action=diff&id=7', '/attachment/7/details'],
    ['action=enter&bugid=7', '/bug/7/attach'],
  ])('is found at the old address with %s', async (query, path) => {
    expect((await browser.open(`/attachment.cgi?${query}`)).headers.get('location')).toBe(path)
  })
})

describe('changing an attachment', () => {
  test('changes what it says, and keeps what was typed where it is refused', async () => {
    const id = await postAttachment(ada, bug)
    const page = `/attachment/${id}/details`
    const fields = { file_name: 'b.txt', content_type: 'text/plain', comment: 'Renamed' }
    const done = await browser.submit(page, page, {
      ...{ ...fields, summary: 'A better name', is_obsolete: 'on' },
    })
    expect(done.headers.get('location')).toBe(`/bug/${bug}#attachments`)
    const { body } = await get(ada, `/rest/bug/attachment/${id}`)
    expect(body.attachments[id]).toMatchObject({
      ...{ summary: 'A better name', file_name: 'b.txt', is_obsolete: true },
    })
    const refused = await browser.submit(page, page, { ...fields, summary: ' ', content_type: 'x' })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('role="alert"')
    expect(refused.html).toContain('Renamed')
  })

  test('shows no form to anonymous readers', async () => {
    const id = await postAttachment(ada, bug)
    const { html } = await new Browser().open(`/attachment/${id}/details`)
    expect(html).not.toContain('<textarea')
  })
})

describe('attaching', () => {
  test('adds the file with a comment, and makes those that it replaces obsolete', async () => {
    const old = await postAttachment(ada, bug)
    const page = `/bug/${bug}/attach`
    const done = await browser.submit(page, page, {
      file: new File(['new'], 'new.txt', { type: 'text/plain' }),
      ...{ summary: 'The new one', comment: 'Better', obsolete: String(old) },
    })
    expect(done.status, done.html).toBe(303)
    const { body } = await get(ada, `/rest/bug/${bug}/attachment`)
    const files = body.bugs[bug] as { id: number; summary: string; is_obsolete: boolean }[]
    expect(files.at(-1)).toMatchObject({ summary: 'The new one', is_obsolete: false })
    expect(files.find(({ id }) => id === old)?.is_obsolete).toBe(true)
  })

  test('says what is missing without a file', async () => {
    const page = `/bug/${bug}/attach`
    const { status, html } = await browser.submit(page, page, { summary: 'Nothing' })
    expect(status).toBe(400)
    expect(html).toContain('value="Nothing"')
  })
})
