import { URL } from 'node:url'
import BugzillaAPI from 'bugzilla'
import BugzillaAPI2 from 'bugzilla2'
import { expect } from 'vitest'
import { describeClient, type TestCommand } from './outcomes.ts'
import { KEY, LOGIN, PASSWORD, PLACE, trackerUrl } from './tracker.ts'

type BugEdit = Parameters<BugzillaAPI['updateBug']>[1]
type UpdatedBugs = Awaited<ReturnType<BugzillaAPI['updateBug']>>

/** The npm package `bugzilla`, which checks the form of every answer; both its versions have the same calls. */
const PACKAGES = {
  'npm bugzilla 3.1.5': BugzillaAPI,
  'npm bugzilla 2.2.0': BugzillaAPI2 as unknown as typeof BugzillaAPI,
} as const

for (const [client, Api] of Object.entries(PACKAGES)) {
  /** How the client presents who it is. */
  const credentials = {
    'an API key': () => new Api(trackerUrl(), KEY),
    'a password': () => new Api(trackerUrl(), LOGIN, PASSWORD),
    'a password for its address alone': () => new Api(trackerUrl(), LOGIN, PASSWORD, true),
  } as const

  describeClient(client, true, (testCommand) => {
    for (const [how, connect] of Object.entries(credentials)) {
      describeCalls(testCommand, how, connect)
    }

    testCommand('version, getBugs, getBugComments without an account', async () => {
      const api = new Api(trackerUrl())
      expect(await api.version()).toMatch(/^\d/)
      const id = await fileBug(credentials['an API key']())
      expect(await api.getBugs([id])).toMatchObject([{ id }])
      expect(await api.getBugComments(id)).toMatchObject([{ bug_id: id, count: 0 }])
    })

    testCommand('fails where there is nothing to read', async () => {
      const api = new Api(trackerUrl())
      await expect(api.whoami()).rejects.toThrow('401')
      await expect(api.bugHistory(99_999)).rejects.toThrow('404')
    })

    testCommand(
      'getBugs with an alias',
      async () => {
        const api = credentials['an API key']()
        const alias = `a${crypto.randomUUID().slice(0, 8)}`
        const id = await fileBug(api, { alias: [alias] })
        expect(await api.getBugs([alias])).toEqual([])
        expect(await api.searchBugs({ alias })).toMatchObject([{ id }])
      },
      { limit: 'finds nothing: it searches for an ID; `searchBugs({ alias })` works' },
    )
  })
}

/** Files a bug of which only the necessary is known. */
function fileBug(api: BugzillaAPI, more: { summary?: string; alias?: string[] } = {}) {
  return api.createBug({
    ...{ ...PLACE, op_sys: 'Linux', platform: 'All', priority: '--', severity: '--' },
    ...{ summary: 'The lamp is dark', description: 'At night.', ...more },
  })
}

/** Changes bugs; version 2 returns the whole answer. */
async function updateBug(api: BugzillaAPI, bug: number | string, edit: BugEdit) {
  const answer: UpdatedBugs | { readonly bugs: UpdatedBugs } = await api.updateBug(bug, edit)
  return 'bugs' in answer ? (answer.bugs as UpdatedBugs) : answer
}

function describeCalls(testCommand: TestCommand, how: string, connect: () => BugzillaAPI): void {
  testCommand(
    `getBugs, searchBugs, quicksearch, advancedSearch, bugHistory with ${how}`,
    async () => {
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
      expect(await api.getBugs([one]).include(['id', 'alias'])).toEqual([
        { id: one, alias: [word] },
      ])
      const [partial] = await api.getBugs([one]).exclude(['flags', 'cc_detail'])
      expect(partial).toMatchObject({ id: one, summary: word })
      expect(partial).not.toHaveProperty('flags')

      const list = `${trackerUrl()}/buglist.cgi?query_format=advanced&short_desc_type=substring&short_desc=${word}&list_id=5`
      const found = [
        await api.searchBugs({ summary: word }),
        await api.searchBugs({ alias: word }),
        await api.quicksearch(word),
        await api.advancedSearch({ f1: 'short_desc', o1: 'substring', v1: word }),
        await api.advancedSearch(list),
        await api.advancedSearch(new URL(list)),
      ]
      expect(found.map((bugs) => bugs.map(({ id }) => id))).toEqual(found.map(() => [one]))

      await updateBug(api, one, { id_or_alias: one, ids: [one], whiteboard: '[x]' })
      const change = { field_name: 'whiteboard', removed: '', added: '[x]' }
      const history = [{ who: LOGIN, changes: [expect.objectContaining(change)] }]
      expect(await api.bugHistory(one)).toMatchObject(history)
    },
  )

  testCommand(
    `createBug, updateBug, createComment, getComment, getBugComments with ${how}`,
    async () => {
      const api = connect()
      const [id, other] = [await fileBug(api), await fileBug(api)]
      const comment = await api.createComment(id, 'I see it too.')
      expect(await api.getComment(comment)).toMatchObject({ bug_id: id, text: 'I see it too.' })
      await api.createComment(id, 'Between us.', { is_private: true })

      const [updated] = await updateBug(api, id, {
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
      expect(await updateBug(api, id, rename)).toMatchObject([{ id, alias: [alias] }])
      const more = `b${crypto.randomUUID().slice(0, 8)}`
      const replace = { id_or_alias: id, ids: [id], alias: { add: [more], remove: [alias] } }
      expect(await updateBug(api, id, replace)).toMatchObject([{ id, alias: [more] }])
      const restore = { id_or_alias: id, ids: [id], alias: { add: [alias], remove: [more] } }
      expect(await updateBug(api, id, restore)).toMatchObject([{ id, alias: [alias] }])
      const reopen = { id_or_alias: alias, ids: [alias], status: 'CONFIRMED' }
      expect(await updateBug(api, alias, reopen)).toMatchObject([{ id, alias: [alias] }])
      const both = { id_or_alias: id, ids: [id, other], priority: 'P1' }
      expect((await updateBug(api, id, both)).map((bug) => bug.id)).toEqual([id, other])
      const close = { status: 'RESOLVED', resolution: 'DUPLICATE', dupe_of: id }
      await updateBug(api, other, { id_or_alias: other, ids: [other], ...close })

      expect((await api.getBugs([id, other])).map((bug) => [bug.status, bug.dupe_of])).toEqual([
        ['CONFIRMED', null],
        ['RESOLVED', id],
      ])
      expect((await api.getBugComments(id))?.map(({ text }) => text)).toEqual([
        ...['At night.', 'I see it too.', 'Between us.', 'New bulb.'],
        expect.stringContaining(`${other}`),
      ])
    },
  )

  // version 2 has no calls for attachments
  if (!('createAttachment' in connect())) {
    return
  }
  testCommand(
    `createAttachment, getAttachment, getBugAttachments, updateAttachment with ${how}`,
    async () => {
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
    },
  )
}
