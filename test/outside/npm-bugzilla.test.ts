import { URL } from 'node:url'
import BugzillaAPI from 'bugzilla'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from './running-server.ts'

/** The npm package `bugzilla`, which checks the form of every answer. */

const LOGIN = 'root@tracker.example'
const PASSWORD = 'correct horse battery'
const KEY = 'lwAdministratorKeyForThisTestRun00000000'

let server: RunningServer

beforeAll(async () => {
  const administrator = { ADMIN_LOGIN: LOGIN, ADMIN_PASSWORD: PASSWORD, ADMIN_API_KEY: KEY }
  server = await startServer({ ...administrator, ALIAS_AS_LIST: 'on' })
})
afterAll(() => server?.stop())

/** How the client presents who it is. */
const CREDENTIALS = {
  'an API key': () => new BugzillaAPI(server.url, KEY),
  'a password': () => new BugzillaAPI(server.url, LOGIN, PASSWORD),
  'a password for its address alone': () => new BugzillaAPI(server.url, LOGIN, PASSWORD, true),
} as const

describe.each(Object.entries(CREDENTIALS))('the npm package bugzilla with %s', (_how, connect) => {
  /** Files a bug of which only the necessary is known. */
  const fileBug = (api: BugzillaAPI, more: { summary?: string; alias?: string[] } = {}) =>
    api.createBug({
      ...{ product: 'TestProduct', component: 'TestComponent', version: 'unspecified' },
      ...{ op_sys: 'Linux', platform: 'All', priority: '--', severity: '--' },
      ...{ summary: 'The lamp is dark', description: 'At night.', ...more },
    })

  test('finds bugs in every way that it has, and reads their history', async () => {
    const api = connect()
    expect(await api.version()).toMatch(/^\d/)
    expect(await api.whoami()).toMatchObject({ id: 1, name: LOGIN })
    const word = `w${crypto.randomUUID().slice(0, 8)}`
    const [one, two] = [await fileBug(api, { summary: word, alias: [word] }), await fileBug(api)]

    const read = await api.getBugs([one, two])
    expect(read.map(({ id, alias }) => [id, alias])).toEqual([
      [one, [word]],
      [two, []],
    ])
    expect(await api.getBugs([one]).include(['id', 'alias'])).toEqual([{ id: one, alias: [word] }])
    const [partial] = await api.getBugs([one]).exclude(['flags', 'cc_detail'])
    expect(partial).toMatchObject({ id: one, summary: word })
    expect(partial).not.toHaveProperty('flags')

    const list = `${server.url}/buglist.cgi?query_format=advanced&short_desc_type=substring&short_desc=${word}&list_id=5`
    const found = [
      await api.searchBugs({ summary: word }),
      await api.searchBugs({ alias: word }),
      await api.quicksearch(word),
      await api.advancedSearch({ f1: 'short_desc', o1: 'substring', v1: word }),
      await api.advancedSearch(list),
      await api.advancedSearch(new URL(list)),
    ]
    expect(found.map((bugs) => bugs.map(({ id }) => id))).toEqual(found.map(() => [one]))

    await api.updateBug(one, { id_or_alias: one, ids: [one], whiteboard: '[x]' })
    const change = { field_name: 'whiteboard', removed: '', added: '[x]' }
    const history = [{ who: LOGIN, changes: [expect.objectContaining(change)] }]
    expect(await api.bugHistory(one)).toMatchObject(history)
  })

  test('discusses and changes bugs once for each call, and understands the answers', async () => {
    const api = connect()
    const [id, other] = [await fileBug(api), await fileBug(api)]
    const comment = await api.createComment(id, 'I see it too.')
    expect(await api.getComment(comment)).toMatchObject({ bug_id: id, text: 'I see it too.' })
    await api.createComment(id, 'Between us.', { is_private: true })

    const [updated] = await api.updateBug(id, {
      ...{
        id_or_alias: id,
        ids: [id],
        status: 'RESOLVED',
        resolution: 'FIXED',
        url: 'https://x.test/',
      },
      comment: { comment: 'New bulb.', is_private: false },
      flags: [{ name: 'needinfo', status: '?', requestee: LOGIN, new: true }],
      see_also: { add: ['https://github.com/a/b/issues/1'] },
      ...{ depends_on: { add: [other] }, cc: { add: [LOGIN] } },
    })
    expect(updated).toMatchObject({ id, alias: [] })
    expect([...(updated?.changes ?? [])].map(([field]) => field)).toEqual(
      expect.arrayContaining(['status', 'resolution', 'url', 'see_also', 'depends_on', 'cc']),
    )
    const alias = `a${crypto.randomUUID().slice(0, 8)}`
    const rename = { id_or_alias: id, ids: [id], alias: { set: [alias] } }
    expect(await api.updateBug(id, rename)).toMatchObject([{ id, alias: [alias] }])
    const reopen = { id_or_alias: alias, ids: [alias], status: 'CONFIRMED' }
    expect(await api.updateBug(alias, reopen)).toMatchObject([{ id, alias: [alias] }])
    const both = { id_or_alias: id, ids: [id, other], priority: 'P1' }
    expect((await api.updateBug(id, both)).map((bug) => bug.id)).toEqual([id, other])
    const close = { status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: id }
    await api.updateBug(other, { id_or_alias: other, ids: [other], ...close })

    expect((await api.getBugs([id, other])).map((bug) => [bug.status, bug.dupe_of])).toEqual([
      ['CONFIRMED', null],
      ['RESOLVED', id],
    ])
    expect((await api.getBugComments(id))?.map(({ text }) => text)).toEqual([
      ...['At night.', 'I see it too.', 'Between us.', 'New bulb.'],
      expect.stringContaining(`${other}`),
    ])
  })

  test('attaches files, and reads and changes them', async () => {
    const api = connect()
    const [id, other] = [await fileBug(api), await fileBug(api)]
    const data = Buffer.from('some bytes')
    const made = await api.createAttachment(id, {
      ...{ ids: [id, other], data, file_name: 'a.txt', summary: 'A file', comment: 'Look.' },
      ...{ content_type: 'text/plain', is_patch: true, flags: [{ name: 'review', status: '?' }] },
    })
    expect(made).toHaveLength(2)
    const [first = 0] = made
    expect(await api.getAttachment(first)).toMatchObject({ bug_id: id, data, summary: 'A file' })
    expect(await api.getBugAttachments(other)).toMatchObject([{ id: made[1], data }])
    const changes = { summary: 'Another', is_obsolete: true, comment: 'Old.' }
    const updated = await api.updateAttachment(first, { ids: made, ...changes })
    expect(updated.map((one) => one.id)).toEqual(made)
    const flags = [{ name: 'review', status: '+' }]
    await api.updateAttachment(first, { ids: [first], flags })
    expect(await api.getAttachment(first)).toMatchObject({ summary: 'Another', flags })
  })
})

test('the npm package bugzilla reads without an account, and fails where there is nothing to read', async () => {
  const api = new BugzillaAPI(server.url)
  expect(await api.version()).toMatch(/^\d/)
  expect(await api.getBugs([1])).toMatchObject([{ id: 1 }])
  expect(await api.getBugComments(1)).toMatchObject([{ bug_id: 1, count: 0 }])
  await expect(api.whoami()).rejects.toThrow('401')
  await expect(api.bugHistory(99_999)).rejects.toThrow('404')
})
