import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { type Answer, expectFault, get, post, put, send } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { loadBugRow } from '../../../support/database/bugs.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['editbugs', 'insider'] })
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(editor, place)
})

async function readTag(query = '', who = editor): Promise<string> {
  const { headers } = await get(who, `/rest/bug/${bug}${query}`)
  return headers.get('etag') ?? ''
}

function putIfMatch(tags: string, query = '', body: object = { whiteboard: '[x]' }) {
  return send(editor, 'PUT', `/rest/bug/${bug}${query}`, body, { 'if-match': tags })
}

function expectChanged(answer: Answer): void {
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.bugs[0].changes).toHaveProperty('whiteboard')
}

describe('PUT /bug with If-Match', () => {
  test('changes a bug that is as it was read, however it is named', async () => {
    const alias = uniqueName('alias')
    await changeBug(editor, bug, { alias })
    const tag = await readTag()
    const headers = { 'if-match': tag }
    expectChanged(await send(editor, 'PUT', `/rest/bug/${alias}`, { whiteboard: '[x]' }, headers))
  })

  test('refuses a bug that has changed meanwhile with 412 and changes nothing', async () => {
    const tag = await readTag()
    await changeBug(editor, bug, { summary: 'Another' })
    expectFault(await putIfMatch(tag), 412, 32000, 'If-Match')
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '', summary: 'Another' })
  })

  test('refuses a stale tag also when the request would change nothing', async () => {
    const tag = await readTag()
    await changeBug(editor, bug, { summary: 'Another' })
    expectFault(await putIfMatch(tag, '', { summary: 'Another' }), 412, 32000)
  })

  test('compares the selected fields alone', async () => {
    const query = '?include_fields=id,status'
    const tag = await readTag(query)
    const whole = await readTag()
    await changeBug(editor, bug, { summary: 'Another' })
    expectFault(await putIfMatch(tag), 412, 32000)
    expectFault(await putIfMatch(whole, query), 412, 32000)
    expectChanged(await putIfMatch(tag, query))
    await changeBug(editor, bug, { status: 'IN_PROGRESS' })
    expectFault(await putIfMatch(tag, query, { whiteboard: '' }), 412, 32000)
  })

  test('compares all bugs of the request', async () => {
    const other = await postBug(editor, place)
    const { headers } = await get(editor, `/rest/bug/${bug}?ids=${other}`)
    const tag = headers.get('etag') ?? ''
    expectFault(await putIfMatch(tag), 412, 32000)
    expectChanged(await putIfMatch(tag, '', { ids: [other], whiteboard: '[x]' }))
    expectFault(await putIfMatch(tag, '', { ids: [other], whiteboard: '[y]' }), 412, 32000)
  })

  test('takes several tags, unquoted ones, and the asterisk', async () => {
    const bare = (await readTag()).replace('W/', '').replaceAll('"', '')
    expectChanged(await putIfMatch(`"other", W/"${bare}"`))
    expectChanged(await putIfMatch(await readTag(), '', { whiteboard: '[y]' }))
    expectChanged(await putIfMatch('*', '', { whiteboard: '[z]' }))
    for (const tags of [',', '"other"', 'W/""']) {
      expectFault(await putIfMatch(tags, '', { whiteboard: tags }), 412, 32000)
    }
  })

  test('does not notice what its caller may not see', async () => {
    const query = '?include_fields=comments,history'
    const [seen, hidden] = [await readTag(query, insider), await readTag(query)]
    const body = { comment: 'Quietly.', is_private: true }
    expect((await post(insider, `/rest/bug/${bug}/comment`, body)).status).toBe(201)
    expect(await readTag(query, insider)).not.toBe(seen)
    expect(await readTag(query)).toBe(hidden)
    expectChanged(await putIfMatch(hidden, query))
  })

  test('refuses a bug that is unknown, hidden or closed to the caller as without the header', async () => {
    const reporter = await insertPerson()
    const tag = await readTag()
    const headers = { 'if-match': tag }
    expectFault(await send(editor, 'PUT', '/rest/bug/987654321', {}, headers), 404, 101)
    const body = { whiteboard: '[x]' }
    expectFault(await send(reporter, 'PUT', `/rest/bug/${bug}`, body, headers), 401, 115)
    expectFault(await send({}, 'PUT', `/rest/bug/${bug}`, body, headers), 401, 410)
  })

  test('checks again when somebody changes the bug between the check and the write', async () => {
    const tag = (await readTag()).replace(/^W\//, '')
    const session = openInterruptedSession(3, () => changeBug(editor, bug, { summary: 'Quicker' }))
    const ctx = { ...buildCtx(editor, ['editbugs'], session), ifMatch: tag, env }
    const given = changeBugInput.parse({ id_or_alias: String(bug), whiteboard: '[x]' })
    await expect(
      changeBugs.run({ ...ctx, baseUrl: 'https://tracker.test' }, given),
    ).rejects.toThrow('If-Match')
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '', summary: 'Quicker' })
  })

  test('lets one of twenty who have read the same win, as if they came one by one', async () => {
    const tag = await readTag()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => putIfMatch(tag, '', { whiteboard: `[${n}]` })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectFault(answer, 412, 32000)
    }
  })
})

test('PUT /bug without If-Match is never refused for a change meanwhile, and costs no trip more', async () => {
  await changeBug(editor, bug, { summary: 'Another' })
  const plain = await put(editor, `/rest/bug/${bug}`, { whiteboard: '[x]' })
  expect(plain.cost.trips).toBe(2)
  const matching = await putIfMatch(await readTag(), '', { whiteboard: '[y]' })
  expect(matching.cost.trips).toBe(3)
})
