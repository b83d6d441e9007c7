import { describe, expect, test } from 'vitest'
import { Browser } from '../../support/browser.ts'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { readWholeBug } from '../../support/clients/bugs.ts'
import { readForm } from '../../support/page-form.ts'

const editor = await insertPerson({ password: 'a-long-password', roles: ['editbugs'] })
const place = await insertProduct()
const browser = await new Browser().signIn(editor)

const warningsOf = ({ headers }: { headers: Headers }) => headers.get('x-tracker-warnings')

async function change(typed: Record<string, string>) {
  const id = await postBug(editor, place)
  const { html } = await browser.open(`/bug/${id}?edit=1`)
  const answer = await browser.post(`/bug/${id}`, { ...readForm(html, 'change'), ...typed })
  return { answer, bug: await readWholeBug(editor, id) }
}

describe('X-Tracker-Warnings behind a form', () => {
  test('names fields that the page has no use for, which does what the others say', async () => {
    const sent = { whiteboard: '[read]', prioritty: 'P1', 'Größe %': '2', __proto__x: '' }
    const { answer, bug } = await change(sent)
    expect([answer.status, bug.whiteboard, bug.priority]).toEqual([303, '[read]', '--'])
    expect(warningsOf(answer)).toBe(
      'unused parameters: prioritty, Gr%C3%B6%C3%9Fe%20%25, __proto__x',
    )
  })

  test('names what a new bug never takes', async () => {
    const named = { product: place.name, component: place.component, version: 'unspecified' }
    const form = { ...named, summary: uniqueName('Sent by hand '), looked: '1' }
    const filed = await browser.submit('/account', '/new', {
      ...form,
      prioritty: 'P1',
      request: 'x',
    })
    expect([filed.status, warningsOf(filed)]).toEqual([303, 'unused parameters: prioritty'])
  })

  test('names what the form of an attachment has no use for', async () => {
    const page = `/attachment/${await postAttachment(editor, await postBug(editor, place))}/details`
    const sent = { summary: 'Read', file_name: 'a.txt', content_type: 'text/plain' }
    const changed = await browser.submit(page, page, { ...sent, sumary: 'x', 'flagtype-0': '' })
    expect([changed.status, warningsOf(changed)]).toEqual([303, 'unused parameters: sumary'])
  })

  test('is absent where a page made the form, and where the form is refused', async () => {
    const { answer } = await change({ whiteboard: '[read]' })
    expect([answer.status, warningsOf(answer)]).toEqual([303, null])
    const refused = await change({ assigned_to: 'nobody at all', prioritty: 'P1' })
    expect([refused.answer.status, warningsOf(refused.answer)]).toEqual([401, null])
  })
})
