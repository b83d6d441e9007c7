import { describe, expect, test } from 'vitest'
import { Browser, type PageAnswer } from '../../../support/browser.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertFieldOfEachType } from '../../../support/builders/fields.ts'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct, insertProductPart } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { post, put } from '../../../support/client.ts'
import { readWholeBug } from '../../../support/clients/bugs.ts'
import { readComments } from '../../../support/clients/comments.ts'
import { readForm } from '../../../support/page-form.ts'

const PASSWORD = 'a-long-password'

type Typed = Record<string, string | string[]>

const editor = await insertPerson({
  password: PASSWORD,
  roles: ['editbugs', 'insider', 'timetracking'],
})
const reporter = await insertPerson({ password: PASSWORD })
const stranger = await insertPerson({ password: PASSWORD })
const team = await insertGroup([editor])
const place = await insertProduct({
  assignee: editor,
  controls: [{ group: team, memberControl: 1 }],
})
await insertProductPart('milestones', place, 'M2')
const custom = await insertFieldOfEachType()

/** Opens the form of a bug, types, and sends it as a browser does. */
async function send(
  browser: Browser,
  id: number,
  typed: Typed,
  { edit = true, action = `/bug/${id}` } = {},
): Promise<PageAnswer> {
  const { html } = await browser.open(`/bug/${id}${edit ? '?edit=1' : ''}`)
  return browser.post(action, { ...readForm(html, 'change'), ...typed })
}

async function signedIn(person: TestPerson): Promise<Browser> {
  return new Browser().signIn(person)
}

function expectSaved({ status, html, headers }: PageAnswer): void {
  expect(status, /role="alert">(.*?)<\/p>/s.exec(html)?.[1]).toBe(303)
  expect(headers.get('location')).toContain('saved=')
}

describe('the form of a bug', () => {
  test('changes every built-in field to what was typed, in one update', async () => {
    const other = await postBug(reporter, place)
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const plain = {
      summary: 'Another "summary"',
      alias: `alias-${id}`,
      version: '1.0',
      target_milestone: 'M2',
      type: 'task',
      priority: 'P1',
      severity: 'S1',
      platform: 'All',
      op_sys: 'Linux',
      assigned_to: reporter.login,
      qa_contact: stranger.login,
      whiteboard: '[typed]',
      url: 'https://typed.test/',
      deadline: '2031-02-03',
      status: 'IN_PROGRESS',
    }
    const typed = {
      ...plain,
      cc: `${reporter.login}, ${stranger.login}`,
      depends_on: String(other),
      see_also: 'https://typed.test/1\r\nhttps://typed.test/2',
      estimated_time: '5.5',
      remaining_time: '4',
      groups: team.name,
      tags: 'my own, later',
      comment: 'With a comment.',
    }
    expectSaved(await send(browser, id, typed))
    expect(await readWholeBug(editor, id)).toMatchObject({
      ...plain,
      cc: [reporter.login, stranger.login].sort(),
      depends_on: [other],
      see_also: ['https://typed.test/1', 'https://typed.test/2'],
      estimated_time: 5.5,
      remaining_time: 4,
      groups: [team.name],
      tags: ['later', 'my own'],
    })
    expect((await readComments(id, editor)).at(-1)).toMatchObject({ text: 'With a comment.' })
    const emptied = { alias: '', qa_contact: '', cc: '', url: '', depends_on: '', see_also: '' }
    expectSaved(await send(browser, id, { ...emptied, deadline: '', groups: [], tags: '' }))
    expect(await readWholeBug(editor, id)).toMatchObject({
      ...{ alias: null, qa_contact: '', cc: [], url: '', depends_on: [], see_also: [] },
      ...{ deadline: null, groups: [], tags: [] },
    })
  })

  test('changes nothing when it is sent as it was opened', async () => {
    const id = await postBug(reporter, place, { cc: [reporter.login], whiteboard: ' a  b ' })
    const before = await readWholeBug(editor, id)
    const answer = await send(await signedIn(editor), id, {})
    expect(answer.headers.get('location')).toBe(`/bug/${id}?saved=`)
    expect(await readWholeBug(editor, id)).toEqual(before)
  })

  test('changes custom fields of every type, and clears them again', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const names = Object.fromEntries(Object.entries(custom).map(([type, { name }]) => [type, name]))
    const values: Record<string, [kind: string, typed: string | string[], shown: unknown]> = {
      freeText: ['line', 'some text', 'some text'],
      single: ['choice', 'Sky, high', 'Sky, high'],
      multi: ['choices', ['Blue', 'Red'], ['Blue', 'Red']],
      largeText: ['text', 'one\r\ntwo', 'one\ntwo'],
      datetime: ['moment', '2030-01-02T03:04:05', '2030-01-02T03:04:05Z'],
      date: ['day', '2030-01-02', '2030-01-02T00:00:00Z'],
      integer: ['line', '-7', '-7'],
    }
    const typed = Object.fromEntries(
      Object.entries(values).map(([type, [kind, value]]) => [`${names[type]}:${kind}`, value]),
    )
    expectSaved(await send(browser, id, typed))
    const bug = await readWholeBug(editor, id)
    for (const [type, [, , shown]] of Object.entries(values)) {
      expect([type, bug[names[type] ?? '']]).toEqual([type, shown])
    }
    const page = await browser.open(`/bug/${id}?edit=1`)
    expect(readForm(page.html, 'change')).toMatchObject({
      [`${names.single}:choice`]: 'Sky, high',
      [`${names.multi}:choices`]: ['Blue', 'Red'],
      [`${names.datetime}:moment`]: '2030-01-02T03:04:05',
    })
    const empty = Object.fromEntries(
      Object.entries(values).map(([type, [kind]]) => [
        `${names[type]}:${kind}`,
        kind === 'choices' ? [] : kind === 'choice' ? '---' : '',
      ]),
    )
    expectSaved(await send(browser, id, empty))
    expect(await readWholeBug(editor, id)).toMatchObject({
      [names.freeText ?? '']: '',
      [names.single ?? '']: '---',
      [names.multi ?? '']: [],
      [names.datetime ?? '']: null,
    })
  })

  test('offers the moves of the workflow that the reader may make, and resolves', async () => {
    const id = await postBug(reporter, place)
    const statusesFor = async (person: TestPerson) => {
      const { html } = await (await signedIn(person)).open(`/bug/${id}`)
      const [, select = ''] = /<select name="status">(.*?)<\/select>/s.exec(html) ?? []
      return [...select.matchAll(/value="(\w+)"/g)].map(([, name]) => name)
    }
    expect(await statusesFor(stranger)).toEqual([])
    expect(await statusesFor(editor)).toEqual([
      'UNCONFIRMED',
      'CONFIRMED',
      'IN_PROGRESS',
      'RESOLVED',
    ])
    const browser = await signedIn(editor)
    const refused = await send(
      browser,
      id,
      { status: 'RESOLVED', comment: 'kept' },
      { edit: false },
    )
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('needs a resolution')
    expect(readForm(refused.html, 'change')).toMatchObject({ status: 'RESOLVED', comment: 'kept' })
    expect(await readComments(id)).toHaveLength(1)
    const fields = { status: 'RESOLVED', resolution: 'FIXED' }
    expectSaved(await send(browser, id, fields, { edit: false }))
    expect(await readWholeBug(editor, id)).toMatchObject(fields)
  })

  test('makes a duplicate by the number of the original alone', async () => {
    const [id, original] = [await postBug(reporter, place), await postBug(reporter, place)]
    expectSaved(
      await send(await signedIn(reporter), id, { dupe_of: String(original) }, { edit: false }),
    )
    expect(await readWholeBug(editor, id)).toMatchObject({
      dupe_of: original,
      resolution: 'DUPLICATE',
    })
  })

  test('puts the reader on the CC list and takes them off', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(stranger)
    expectSaved(await send(browser, id, { cc_me: '1' }, { edit: false }))
    expect((await readWholeBug(editor, id)).cc).toEqual([stranger.login])
    const { html } = await browser.open(`/bug/${id}`)
    const { cc_me: _, ...others } = readForm(html, 'change')
    expectSaved(await browser.post(`/bug/${id}`, others))
    expect((await readWholeBug(editor, id)).cc).toEqual([])
  })

  test('sets flags, asks somebody, and clears them', async () => {
    const type = await insertFlagType({}, [{ productId: place.id }])
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const { html } = await browser.open(`/bug/${id}?edit=1`)
    expect(html).toContain(`name="flagtype-${type.id}"`)
    const asked = { [`flagtype-${type.id}`]: '?', [`flagtype-${type.id}-of`]: reporter.login }
    expectSaved(await send(browser, id, asked))
    const [flag] = (await readWholeBug(editor, id)).flags as { id: number }[]
    expect(flag).toMatchObject({ name: type.name, status: '?', requestee: reporter.login })
    expect((await browser.open(`/bug/${id}`)).html).toMatch(/asked of/)
    expectSaved(await send(browser, id, { [`flag-${flag?.id}`]: '+' }))
    expect((await readWholeBug(editor, id)).flags).toMatchObject([{ status: '+' }])
    expectSaved(await send(browser, id, { [`flag-${flag?.id}`]: '' }))
    expect((await readWholeBug(editor, id)).flags).toEqual([])
  })

  test.each([
    ['summary', { summary: ' ' }],
    ['assigned_to', { assigned_to: 'nobody@nowhere.test' }],
    ['url', { url: 'javascript:alert(1)' }],
    ['depends_on', { depends_on: '2147483000' }],
    ['keywords', { keywords: 'no-such-keyword' }],
    ['estimated_time', { estimated_time: 'many' }],
    ['deadline', { deadline: 'someday' }],
  ])(
    'says beside %s why it was refused, keeps what was typed, and writes nothing',
    async (name, typed) => {
      const id = await postBug(reporter, place)
      const before = await readWholeBug(editor, id)
      const answer = await send(await signedIn(editor), id, { ...typed, comment: 'Kept <b>' })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.html).toMatch(new RegExp(`id="f-${name}"[^]*?<small class="refused">`))
      expect(answer.html).toMatch(new RegExp(`name="${name}"[^>]*aria-invalid="true"`))
      expect(readForm(answer.html, 'change')).toMatchObject({ ...typed, comment: 'Kept <b>' })
      expect(await readWholeBug(editor, id)).toEqual(before)
    },
  )

  test('offers a reporter what reporters may change, and a stranger a comment', async () => {
    const id = await postBug(reporter, place)
    const namesFor = async (person: TestPerson) =>
      Object.keys(
        readForm((await (await signedIn(person)).open(`/bug/${id}?edit=1`)).html, 'change'),
      )
    const [own, foreign] = [await namesFor(reporter), await namesFor(stranger)]
    expect(own).toEqual(expect.arrayContaining(['summary', 'severity', 'whiteboard', 'comment']))
    expect(own).not.toContain('assigned_to')
    expect(own).not.toContain('estimated_time')
    expect(foreign).toEqual(expect.arrayContaining(['cc', 'tags', 'comment']))
    expect(foreign).not.toContain('summary')
    expect(foreign).not.toContain('status')
  })

  test('is refused without the token of the session, and to anonymous readers', async () => {
    const id = await postBug(reporter, place)
    const { html } = await (await signedIn(editor)).open(`/bug/${id}`)
    const form = { ...readForm(html, 'change'), comment: 'forged' }
    const other = await (await signedIn(stranger)).post(`/bug/${id}`, form)
    expect(other.status).toBe(403)
    expect((await new Browser().post(`/bug/${id}`, form)).status).toBe(403)
    expect(await readComments(id)).toHaveLength(1)
  })
})

describe('a comment', () => {
  test('is shown before it is sent, with all that was typed kept', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const typed = { comment: '*Soon*', whiteboard: '[kept]' }
    const answer = await send(browser, id, typed, { action: `/bug/${id}/preview` })
    expect(answer.status).toBe(200)
    expect(answer.html).toContain(
      '<div id="preview" class="prose" aria-live="polite"><p><em>Soon</em>',
    )
    expect(readForm(answer.html, 'change')).toMatchObject(typed)
    expect(await readComments(id)).toHaveLength(1)
    expectSaved(await browser.post(`/bug/${id}`, readForm(answer.html, 'change')))
    expect(await readWholeBug(editor, id)).toMatchObject({ whiteboard: '[kept]' })
  })

  test('is private for insiders who say so, and minor changes send no mail', async () => {
    const id = await postBug(reporter, place)
    const typed = { comment: 'whisper', private: '1', minor: '1' }
    const answer = await send(await signedIn(editor), id, typed, { edit: false })
    expectSaved(answer)
    expect(answer.headers.get('location')).toContain('mail=0')
    expect(await readComments(id)).toHaveLength(1)
    expect((await readComments(id, editor)).at(-1)).toMatchObject({ is_private: true })
  })

  test('gets tags and privacy from a form of its own', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const [first] = await readComments(id, editor)
    const { html } = await browser.open(`/bug/${id}?mark=0`)
    expect(html).toContain(`action="/bug/${id}/comments/${first?.id}"`)
    const answer = await browser.submit(`/bug/${id}?mark=0`, `/bug/${id}/comments/${first?.id}`, {
      count: '0',
      had_tags: '',
      tags: 'evening later',
      was_private: '',
      private: '1',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/bug/${id}#c0`])
    expect((await readComments(id, editor))[0]).toMatchObject({
      tags: ['evening', 'later'],
      is_private: true,
    })
    const refused = await browser.submit(`/bug/${id}`, `/bug/${id}/comments/${first?.id}`, {
      had_tags: 'evening later',
      tags: 'evening later x',
      was_private: '1',
      private: '1',
    })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('too short')
  })
})

describe('a form that arrives twice', () => {
  test('is written once, and its second answer tells what was saved', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const { html } = await browser.open(`/bug/${id}?edit=1`)
    const typed = {
      ...readForm(html, 'change'),
      cc: editor.login,
      severity: 'S1',
      comment: 'Twice\n',
    }
    const answers = [
      await browser.post(`/bug/${id}`, typed),
      await browser.post(`/bug/${id}`, typed),
    ]
    for (const { status, headers } of answers) {
      expect(status).toBe(303)
      expect(
        decodeURIComponent(headers.get('location') ?? '')
          .split(/[=,]/)
          .sort(),
      ).toEqual([`/bug/${id}?saved`, 'cc', 'comment', 'severity'].sort())
    }
    expect(await readComments(id, editor)).toHaveLength(2)
  })

  test('is written once where it has no comment', async () => {
    const id = await postBug(reporter, place)
    const original = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const { html } = await browser.open(`/bug/${id}`)
    const typed = { ...readForm(html, 'change'), dupe_of: `${original}` }
    await browser.post(`/bug/${id}`, typed)
    const again = await browser.post(`/bug/${id}`, typed)
    expect(again.headers.get('location')).toBe(`/bug/${id}?saved=dupe_of`)
  })

  test('is another one with another comment, or with more to change', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(editor)
    const { html } = await browser.open(`/bug/${id}?edit=1`)
    const typed = { ...readForm(html, 'change'), severity: 'S1', comment: 'Once' }
    await browser.post(`/bug/${id}`, typed)
    const others: Record<string, string>[] = [
      { comment: 'Twice' },
      { severity: 'S2' },
      { work_time: '1', comment: '' },
    ]
    for (const other of others) {
      const again = await browser.post(`/bug/${id}`, { ...typed, ...other })
      expect(again.status).toBe(412)
      expect(again.html).toContain('Somebody was faster')
    }
  })
})

test('a comment that is to be private is not taken for the public one of an earlier click', async () => {
  const id = await postBug(reporter, place)
  const browser = await signedIn(editor)
  const { html } = await browser.open(`/bug/${id}`)
  const typed = { ...readForm(html, 'change'), comment: 'Between us' }
  expect((await browser.post(`/bug/${id}`, typed)).status).toBe(303)
  expect((await browser.post(`/bug/${id}`, { ...typed, private: '1' })).status).toBe(412)
})

describe('a form that was opened before somebody else changed the bug', () => {
  test('writes nothing, says what is new, keeps what was typed, and can be sent again', async () => {
    const id = await postBug(reporter, place, { cc: [reporter.login] })
    const browser = await signedIn(editor)
    const { html } = await browser.open(`/bug/${id}?edit=1`)
    await put(stranger, `/rest/bug/${id}`, { cc: { add: [stranger.login] } })
    await put(editor, `/rest/bug/${id}`, { whiteboard: '[theirs]', priority: 'P1' })
    await post(stranger, `/rest/bug/${id}/comment`, { comment: 'Me too' })
    const typed = {
      ...readForm(html, 'change'),
      whiteboard: '[mine]',
      severity: 'S1',
      cc: `${reporter.login}, ${editor.login}`,
      comment: 'Mine',
    }
    const collided = await browser.post(`/bug/${id}`, typed)
    expect(collided.status).toBe(412)
    expect(collided.html).toContain('Somebody was faster')
    expect(collided.html).toContain('<ins>[theirs]</ins>')
    expect(collided.html).toContain('<a href="#c1">comment 1</a>')
    expect(await readWholeBug(editor, id)).toMatchObject({ whiteboard: '[theirs]', severity: '--' })
    const again = readForm(collided.html, 'change')
    expect(again).toMatchObject({
      whiteboard: '[mine]',
      severity: 'S1',
      priority: 'P1',
      comment: 'Mine',
    })
    expect(collided.html).toContain('Changed by somebody else meanwhile.')
    expectSaved(await browser.post(`/bug/${id}`, again))
    expect(await readWholeBug(editor, id)).toMatchObject({
      whiteboard: '[mine]',
      severity: 'S1',
      priority: 'P1',
    })
    expect((await readWholeBug(editor, id)).cc).toEqual(
      [reporter.login, stranger.login, editor.login].sort(),
    )
  })

  test('does not collide with what its reader does not see', async () => {
    const id = await postBug(reporter, place)
    const browser = await signedIn(reporter)
    const { html } = await browser.open(`/bug/${id}`)
    await post(editor, `/rest/bug/${id}/comment`, { comment: 'whisper', is_private: true })
    expectSaved(await browser.post(`/bug/${id}`, { ...readForm(html, 'change'), comment: 'Mine' }))
  })
})

describe('GET /suggest/people', () => {
  test('suggests people to those who are signed in', async () => {
    const browser = await signedIn(editor)
    const answer = await browser.open(`/suggest/people?match=${encodeURIComponent(reporter.login)}`)
    expect(JSON.parse(answer.html).people).toMatchObject([{ name: reporter.login }])
    expect((await new Browser().open('/suggest/people?match=a')).status).toBe(303)
  })
})
