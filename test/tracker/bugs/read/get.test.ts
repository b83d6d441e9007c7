import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertBug, postBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertChange, insertComment } from '../../../support/builders/notices.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, type Sender } from '../../../support/client.ts'
import { readBug } from '../../../support/clients/bugs.ts'
import { detail } from '../../../support/clients/users.ts'
import { execute } from '../../../support/database/execute.ts'
import { DEFAULT_FIELDS } from '../../../support/tables/bug-fields.ts'

const reporter = await insertPerson({ realName: 'Rita Reporter [:rita]' })
const editor = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['insider'] })
const tracker = await insertPerson({ roles: ['timetracking'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: editor })

async function idsAt(path: string, who: Sender = ANYONE): Promise<number[]> {
  const answer = await get(who, `/rest/bug/${path}`)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.faults).toEqual([])
  return answer.body.bugs.map(({ id }: { id: number }) => id)
}

describe('GET /bug/:id', () => {
  test('returns every default field with its type for a bug that has few values', async () => {
    const id = await postBug(reporter, place, { summary: 'It breaks', description: 'Now.' })
    const shownBug = await readBug(id)
    const cfs = Object.keys(shownBug).filter((name) => name.startsWith('cf_'))
    const own = Object.fromEntries(Object.entries(shownBug).filter(([name]) => !cfs.includes(name)))

    const elsewhere = ['actual_time', 'estimated_time', 'remaining_time', 'update_token']
    expect([...Object.keys(own), ...elsewhere, 'qa_contact_detail'].sort()).toEqual(
      DEFAULT_FIELDS.toSorted(),
    )
    expect(own).toMatchObject({
      id,
      alias: null,
      summary: 'It breaks',
      status: 'UNCONFIRMED',
      resolution: '',
      is_open: true,
      is_confirmed: false,
      type: 'defect',
      product: place.name,
      component: place.component,
      classification: 'Unclassified',
      version: 'unspecified',
      platform: 'Unspecified',
      op_sys: 'Unspecified',
      priority: '--',
      severity: '--',
      target_milestone: '---',
      assigned_to: editor.login,
      assigned_to_detail: detail(editor),
      creator: reporter.login,
      creator_detail: { ...detail(reporter, 'Rita Reporter [:rita]'), nick: expect.any(String) },
      qa_contact: '',
      triage_owner: '',
      cc: [],
      cc_detail: [],
      is_cc_accessible: true,
      is_creator_accessible: true,
      groups: [],
      keywords: [],
      blocks: [],
      depends_on: [],
      regressed_by: [],
      regressions: [],
      dupe_of: null,
      duplicates: [],
      see_also: [],
      url: '',
      whiteboard: '',
      deadline: null,
      creation_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      last_change_time: shownBug.creation_time,
      comment_count: 1,
      flags: [],
    })
  })

  test.each<[string, string[]]>([
    ['include_fields=id,summary', ['id', 'summary']],
    ['include_fields=id&include_fields=summary', ['id', 'summary']],
    ['include_fields=id%20summary', ['id', 'summary']],
    ['include_fields=id,nonsense,Summary', ['id']],
    ['include_fields=nonsense', []],
    ['include_fields=id,summary&exclude_fields=summary', ['id']],
    ['include_fields=assigned_to', ['assigned_to', 'assigned_to_detail']],
    ['include_fields=id,creator&exclude_fields=creator_detail', ['creator', 'id']],
    ['include_fields=creator_detail', ['creator', 'creator_detail']],
    [
      'include_fields=_extra',
      [
        ...['attachments', 'comments', 'counts', 'description', 'filed_via', 'history'],
        ...['last_change_time_non_bot', 'tags'],
      ],
    ],
    ['include_fields=id,qa_contact', ['id', 'qa_contact']],
  ])('returns the fields that %s selects', async (query, names) => {
    const id = await postBug(reporter, place)

    expect(Object.keys(await readBug(id, ANYONE, `?${query}`)).sort()).toEqual(names)
  })

  test('returns the sub-fields that are selected', async () => {
    const id = await postBug(reporter, place, { cc: [stranger.login] })

    expect(await readBug(id, ANYONE, '?include_fields=assigned_to.name,cc.id')).toEqual({
      assigned_to: editor.login,
      assigned_to_detail: { name: editor.login },
      cc: [stranger.login],
      cc_detail: [{ id: stranger.id }],
    })
    expect(
      await readBug(id, ANYONE, '?include_fields=creator&exclude_fields=creator.email'),
    ).toMatchObject({ creator_detail: expect.not.objectContaining({ email: reporter.login }) })
  })

  test('returns an update token to every caller who is signed in', async () => {
    const id = await postBug(reporter, place)

    expect(await readBug(id, stranger)).toHaveProperty('update_token', expect.any(String))
    expect(await readBug(id)).not.toHaveProperty('update_token')
    expect(await readBug(id, ANYONE, '?include_fields=_all')).not.toHaveProperty('update_token')
  })

  test('returns bugs by ID and alias in the order of the request, each once', async () => {
    const alias = uniqueName('alias')
    const [a, b] = [await postBug(reporter, place), await postBug(reporter, place, { alias })]

    expect(await idsAt(String(a))).toEqual([a])
    expect(await idsAt(`00${a}`)).toEqual([a])
    expect(await idsAt(`%23${a}`)).toEqual([a])
    expect(await idsAt(`%20${a}%20`)).toEqual([a])
    expect(await idsAt(alias.toUpperCase())).toEqual([b])
    expect(await idsAt(`${b}?ids=${a}`)).toEqual([b, a])
    expect(await idsAt(`${a}?ids=${alias}&ids=${b}&ids=%23${a}`)).toEqual([a, b])
    expect(await idsAt(`${alias}?ids=${b},${a},%20,`)).toEqual([b, a])
    expect(await readBug(b)).toHaveProperty('alias', alias)
  })

  test('returns the visible bugs and the faults of the others with permissive', async () => {
    const id = await postBug(reporter, place)
    const { id: hidden } = await insertBug({ groups: [secret] })
    const ids = `ids=2147483647&ids=${hidden}&ids=${id}&ids=%230&ids=no-such,${hidden}`
    const path = `no-such?${ids}&permissive=1`
    const { status, body } = await get(ANYONE, `/rest/bug/${path}`)

    expect(status).toBe(200)
    expect(body.bugs.map((bug: { id: number }) => bug.id)).toEqual([id])
    expect(body.faults).toEqual([
      { id: 'no-such', faultString: expect.stringContaining('no-such'), faultCode: 100 },
      { id: '2147483647', faultString: expect.stringContaining('2147483647'), faultCode: 101 },
      { id: String(hidden), faultString: expect.stringContaining('not allowed'), faultCode: 102 },
      { id: '#0', faultString: expect.any(String), faultCode: 100 },
    ])
    const none = await get(ANYONE, '/rest/bug/no-such?permissive=true')
    expect(none.status).toBe(200)
    expect(none.body.bugs).toEqual([])
    expectFault(await get(ANYONE, '/rest/bug/no-such?permissive=0'), 400, 100)
  })

  test('takes one round trip, and one more to identify a caller', async () => {
    const id = await postBug(reporter, place)
    const path = `/rest/bug/${id}?include_fields=_all&ids=${await postBug(reporter, place)}`

    expect((await get(ANYONE, path)).cost.trips).toBe(1)
    expect((await get(tracker, path)).cost.trips).toBe(2)
  })

  test('reads no more rows for a few plain fields than for the ID', async () => {
    const id = await postBug(reporter, place, { cc: [stranger.login] })
    const cost = async (query: string) => (await get(ANYONE, `/rest/bug/${id}${query}`)).cost.read

    expect(await cost('?include_fields=id,summary')).toBe(await cost('?include_fields=id'))
    expect(await cost('?include_fields=id,summary')).toBeLessThan(await cost(''))
  })
})

describe('GET /bug/:id with new_since', () => {
  test('limits comments and history to newer entries, and nothing else', async () => {
    const made = await insertBug({ reporter })
    const then = 1_700_000_000
    for (const at of [then, then + 1]) {
      await insertComment(made, reporter, { body: `Said at ${at}.`, createdAt: at })
      await insertChange(made, reporter, {
        field: 'priority',
        removed: 'P1',
        added: `P${at}`,
        changedAt: at,
      })
    }
    const query = `include_fields=id,comments.text,history.when,comment_count`
    const path = `/rest/bug/${made.id}?${query}&new_since=2023-11-14T22:13:20Z`

    expect((await get(ANYONE, path)).body.bugs).toEqual([
      {
        id: made.id,
        comment_count: 2,
        comments: [{ text: `Said at ${then + 1}.` }],
        history: [{ when: '2023-11-14T22:13:21Z' }],
      },
    ])
    expectFault(await get(ANYONE, `/rest/bug/${made.id}?new_since=soon`), 400, 56, 'new_since')
  })
})

describe('GET /bug/:id with comments', () => {
  const texts = (answer: { body: { bugs: { comments?: { text: string }[] }[] } }) =>
    answer.body.bugs.map((one) => one.comments?.map(({ text }) => text))

  test('returns the comments of each bug on request, private ones to insiders alone', async () => {
    const [one, two] = [
      await postBug(reporter, place, { description: 'First.' }),
      await postBug(reporter, place),
    ]
    await post(insider, `/rest/bug/${one}/comment`, { comment: 'Psst.', is_private: true })
    await post(reporter, `/rest/bug/${one}/comment`, { comment: 'Second.' })

    const path = `/rest/bug/${two}?ids=${one}&include_fields=comments.text`
    expect(texts(await get(ANYONE, path))).toEqual([[''], ['First.', 'Second.']])
    expect(texts(await get(insider, path))).toEqual([[''], ['First.', 'Psst.', 'Second.']])
    expect((await get(ANYONE, path)).cost.trips).toBe(1)
    expect(texts(await get(ANYONE, `/rest/bug?id=${one}&include_fields=comments`))).toEqual([
      ['First.', 'Second.'],
    ])
    expect((await get(ANYONE, `/rest/bug/${one}`)).body.bugs[0]).not.toHaveProperty('comments')
  })

  test('returns collapsed comments only when the request names comments', async () => {
    const id = await postBug(reporter, place, { description: 'First.' })
    const { body } = await post(reporter, `/rest/bug/${id}/comment`, { comment: 'Buy now!' })
    await execute(sql`INSERT INTO comment_tags (comment_id, name_fold, name)
      VALUES (${body.id}, 'spam', 'Spam')`)

    expect(texts(await get(ANYONE, `/rest/bug/${id}?include_fields=_extra`))).toEqual([['First.']])
    expect(texts(await get(ANYONE, `/rest/bug/${id}?include_fields=comments`))).toEqual([
      ['First.', 'Buy now!'],
    ])
  })
})
