import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { Browser } from '../../support/browser.ts'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { get, post } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

type Fields = Readonly<Record<string, string | readonly string[] | File>>

const product = await insertProduct()
const ada = await insertPerson({ password: 'a-long-password', roles: ['editbugs'] })
const browser = await new Browser().signIn(ada)

/** The hidden fields of the form that has a button or field with this markup. */
async function hiddenFieldsOf(
  path: string,
  mark: string,
  reader = browser,
): Promise<Record<string, string>> {
  const { html } = await reader.open(path)
  const form = html.split('<form').find((one) => one.includes(mark)) ?? ''
  const hidden = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
}

/** Opens a page once, and sends its form with each of these fillings, one after the other. */
async function sendForm(
  {
    path,
    action,
    mark,
    browser: sender = browser,
  }: {
    path: string
    action: string
    mark: string
    browser?: Browser
  },
  ...fillings: Fields[]
) {
  const hidden = await hiddenFieldsOf(path, mark, sender)
  const answers = []
  for (const fields of fillings) {
    answers.push(await sender.post(action, { ...hidden, ...fields }))
  }
  return answers
}

const attachTo = (bug: number) => ({
  path: `/bug/${bug}/attach`,
  action: `/bug/${bug}/attach`,
  mark: 'name="file"',
})

async function summariesOf(bug: number): Promise<string[]> {
  const { body } = await get(ada, `/rest/bug/${bug}/attachment?include_fields=summary`)
  return body.bugs[bug].map(({ summary }: { summary: string }) => summary)
}

async function commentsOf(bug: number): Promise<string[]> {
  const { body } = await get(ada, `/rest/bug/${bug}/comment?include_fields=raw_text`)
  return body.bugs[bug].comments.map(({ raw_text }: { raw_text: string }) => raw_text)
}

describe('a form that arrives twice, as by two clicks', () => {
  test('attaches its file once', async () => {
    const bug = await postBug(ada, product)
    const fields = { file: new File(['a log'], 'log.txt'), summary: 'The log', comment: 'Here.' }
    const answers = await sendForm(attachTo(bug), fields, fields)
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(await summariesOf(bug)).toEqual(['The log'])
  })

  test('attaches once also where both are under way at the same time', async () => {
    const bug = await postBug(ada, product)
    const hidden = await hiddenFieldsOf(`/bug/${bug}/attach`, 'name="file"')
    const fields = { ...hidden, file: new File(['a log'], 'log.txt'), summary: 'The log' }
    await Promise.all([1, 2].map(() => browser.post(`/bug/${bug}/attach`, fields)))
    expect(await summariesOf(bug)).toEqual(['The log'])
  })

  test('files a bug with its file once', async () => {
    const summary = uniqueName('Filed with a file ')
    const path = `/new?product=${product.name}&component=${product.component}`
    const fields = { summary, looked: '1', version: 'unspecified', file: new File(['x'], 'x.txt') }
    const form = { path, action: '/new', mark: 'name="summary"' }
    const [first, second] = await sendForm(form, fields, fields)
    const location = first?.headers.get('location')
    expect(second?.headers.get('location')).toBe(location)
    expect(await summariesOf(Number(location?.split('/')[2]))).toEqual(['x.txt'])
  })

  test('makes one reminder', async () => {
    const bug = await postBug(ada, product)
    const fields = { do: 'create', bug_id: String(bug), reminder_ts: '2999-01-01', note: 'Look' }
    const form = {
      ...{ path: '/account?tab=reminders', action: '/account/reminders' },
      mark: 'name="reminder_ts"',
    }
    await sendForm(form, fields, fields)
    const { body } = await get(ada, '/rest/reminder')
    expect(body.reminders.filter(({ bug_id }: { bug_id: number }) => bug_id === bug)).toHaveLength(
      1,
    )
  })

  test('makes one API key, which both answers show', async () => {
    const description = uniqueName('For two clicks ')
    const form = {
      ...{ path: '/account?tab=keys', action: '/account/keys' },
      mark: 'name="description"',
    }
    const fields = { do: 'create', description, scopes: ['write'] }
    const answers = await sendForm(form, fields, fields)
    const shown = answers.map(
      ({ html }) => /value="([^"]+)" aria-label="The new API key"/.exec(html)?.[1],
    )
    expect(shown[0]).toBeDefined()
    expect(shown[1]).toBe(shown[0])
    const { body } = await get(ada, '/rest/api_key')
    const made = body.api_keys.filter(
      (key: { description: string }) => key.description === description,
    )
    expect(made).toHaveLength(1)
  })

  test('replaces an API key by one, which both answers show', async () => {
    const description = uniqueName('To be replaced ')
    const { id } = (await post(ada, '/rest/api_key', { description })).body
    const form = {
      ...{ path: '/account?tab=keys', action: '/account/keys' },
      mark: `Replace ${description}`,
    }
    const fields = { do: 'rotate', id: String(id) }
    const answers = await sendForm(form, fields, fields)
    const shown = answers.map(
      ({ html }) => /value="([^"]+)" aria-label="The new API key"/.exec(html)?.[1],
    )
    expect(shown[0]).toBeDefined()
    expect(shown[1]).toBe(shown[0])
  })

  test('makes one flag type', async () => {
    const root = await insertPerson({ password: 'a-long-password', roles: ['admin'] })
    const admin = await new Browser().signIn(root)
    const name = uniqueName('twice')
    const path = '/admin/flag-types?open=type.new'
    const fields = { do: 'type.create', name, description: 'x', inclusions: product.name }
    const form = { path, action: path, mark: 'value="type.create"', browser: admin }
    await sendForm(form, fields, fields)
    // the page lists those of one product, which may be another one
    const made = await execute(sql`SELECT id FROM flag_types WHERE name = ${name}`)
    expect(made).toHaveLength(1)
  })

  test('makes one webhook, whose secret both answers show', async () => {
    const form = {
      ...{ path: '/account?tab=webhooks', action: '/account/webhooks' },
      mark: 'value="create"',
    }
    const url = 'https://hooks.example.com/twice'
    const fields = { do: 'create', name: uniqueName('Twice '), url, event: ['create'] }
    const answers = await sendForm(form, fields, fields)
    const shown = answers.map(({ html }) => /value="(whsec_[^"]+)"/.exec(html)?.[1])
    expect(shown[0]).toBeDefined()
    expect(shown[1]).toBe(shown[0])
  })

  test('comments once on an attachment', async () => {
    const bug = await postBug(ada, product)
    const path = `/attachment/${await postAttachment(ada, bug)}/details`
    const fields = {
      summary: 'Renamed',
      file_name: 'x',
      content_type: 'text/plain',
      comment: 'Why',
    }
    const form = { path, action: path, mark: 'name="file_name"' }
    const answers = await sendForm(form, fields, fields)
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect((await commentsOf(bug)).filter((text) => text === 'Why')).toHaveLength(1)
  })

  test('comments once on each of the bugs that it changes', async () => {
    const word = uniqueName('severally')
    const bugs = [await postBug(ada, product), await postBug(ada, product)]
    for (const bug of bugs) {
      await browser.submit(`/bug/${bug}`, `/bug/${bug}`, { whiteboard: word })
    }
    const path = `/bugs?bug_id=${bugs.join(',')}&tweak=1`
    const fields = { id: bugs.map(String), comment: 'All of them' }
    await sendForm({ path, action: path, mark: 'name="priority"' }, fields, fields)
    for (const bug of bugs) {
      expect((await commentsOf(bug)).filter((text) => text === 'All of them')).toHaveLength(1)
    }
  })
})

test('a form that may arrive twice is told of no field that it has for this alone', async () => {
  const path = `/attachment/${await postAttachment(ada, await postBug(ada, product))}/details`
  const fields = { summary: 'Renamed', file_name: 'x', content_type: 'text/plain', comment: '' }
  const [answer] = await sendForm({ path, action: path, mark: 'name="file_name"' }, fields)
  expect(answer?.headers.get('x-tracker-warnings')).toBeNull()
})

describe('a form to which somebody goes back', () => {
  test('attaches another file', async () => {
    const bug = await postBug(ada, product)
    const [first, second] = ['one', 'two'].map((text) => ({
      ...{ file: new File([text], 'log.txt'), summary: 'The log' },
    }))
    await sendForm(attachTo(bug), first ?? {}, second ?? {})
    expect(await summariesOf(bug)).toEqual(['The log', 'The log'])
  })

  test('files another bug when it is filled anew', async () => {
    const path = `/new?product=${product.name}&component=${product.component}`
    const [first, second] = ['First ', 'Second '].map((word) => ({
      ...{ summary: uniqueName(word), looked: '1', version: 'unspecified' },
    }))
    const form = { path, action: '/new', mark: 'name="summary"' }
    const answers = await sendForm(form, first ?? {}, second ?? {})
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    const [one, other] = answers.map(({ headers }) => headers.get('location'))
    expect(other).not.toBe(one)
  })
})
