import { beforeAll, describe, expect, it } from 'vitest'
import { FIELD_TYPE } from '../../src/db/schema/fields.ts'
import { ANYONE, expectFault, get, post, put, type Sender } from '../support/client.ts'
import { attached, bug, changed, commented, type TestBug } from '../support/happening.ts'
import { alter, customField, filed } from '../support/reading.ts'
import { askWith } from '../support/service.ts'
import {
  group,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
  unique,
} from '../support/world.ts'

const THEN = 1_700_000_000

let author: TestPerson
let editor: TestPerson
let insider: TestPerson
let tracker: TestPerson
let both: TestPerson
let stranger: TestPerson
let member: TestPerson
let secret: TestGroup
let place: TestProduct

beforeAll(async () => {
  author = await person()
  editor = await person({ roles: ['editbugs'] })
  insider = await person({ roles: ['insider'] })
  tracker = await person({ roles: ['timetracking'] })
  both = await person({ roles: ['timetracking', 'insider'] })
  stranger = await person()
  member = await person()
  secret = await group([member])
  place = await product({ assignee: editor })
})

type Entry = { when: string; who: string; changes: Record<string, unknown>[] }

async function entriesOf(id: number, who: Sender = ANYONE, query = ''): Promise<Entry[]> {
  const answer = await get(who, `/rest/bug/${id}/history${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0].history
}

/** The changes that somebody is told of, in short. */
async function told(id: number, who: Sender = ANYONE): Promise<string[]> {
  return (await entriesOf(id, who))
    .flatMap(({ changes }) => changes)
    .map(({ field_name, removed, added }) => `${field_name}: ${removed} > ${added}`)
}

/** Writes down a change, at a moment of its own. */
async function wrote(
  about: TestBug,
  field: string,
  removed: string,
  added: string,
  more: Parameters<typeof changed>[6] = {},
): Promise<void> {
  await changed(about, author, 0, field, removed, added, { changedAt: THEN, ...more })
}

describe('answers', () => {
  it('no entry for a bug that nobody has changed', async () => {
    const id = await filed(author, place)

    expect((await get(ANYONE, `/rest/bug/${id}/history`)).body).toEqual({
      bugs: [{ id, alias: null, history: [] }],
    })
  })

  it('what an update said that it changed, in the same words', async () => {
    const alias = unique('alias')
    const id = await filed(author, place, { alias, summary: 'Before' })
    const answer = await put(editor, `/rest/bug/${id}`, {
      summary: 'After',
      status: 'IN_PROGRESS',
      severity: 'S1',
      is_cc_accessible: false,
      cc: { add: [stranger.login] },
    })
    const { changes, last_change_time } = answer.body.bugs[0]
    const { body } = await get(ANYONE, `/rest/bug/${alias}/history`)

    expect(body.bugs).toEqual([
      {
        id,
        alias,
        history: [{ when: last_change_time, who: editor.login, changes: expect.any(Array) }],
      },
    ])
    const asChanges = body.bugs[0].history[0].changes.map(
      ({ field_name, ...sides }: Record<string, unknown>) => [field_name, sides],
    )
    expect(Object.fromEntries(asChanges)).toEqual(changes)
    expect(changes).toMatchObject({
      summary: { removed: 'Before', added: 'After' },
      is_cc_accessible: { removed: '1', added: '0' },
      is_confirmed: { removed: '0', added: '1' },
      cc: { removed: '', added: stranger.login },
    })
  })

  it('one entry for what one person changed in one second, the oldest first', async () => {
    const about = await bug()
    const later = { changedAt: THEN + 1 }
    await wrote(about, 'summary', 'b', 'c', later)
    await wrote(about, 'summary', 'a', 'b')
    await wrote(about, 'priority', 'P1', 'P2')
    await changed(about, editor, 0, 'summary', 'c', 'd', later)
    await wrote(about, 'summary', 'd', 'e', later)

    expect(
      (await entriesOf(about.id)).map(({ when, who, changes }) => [
        when,
        who,
        changes.map(({ added }) => added),
      ]),
    ).toEqual([
      ['2023-11-14T22:13:20Z', author.login, ['b', 'P2']],
      ['2023-11-14T22:13:21Z', author.login, ['c']],
      ['2023-11-14T22:13:21Z', editor.login, ['d']],
      ['2023-11-14T22:13:21Z', author.login, ['e']],
    ])
  })

  it('the attachment of a change, and no such key for other changes', async () => {
    const about = await bug()
    const attachment = await attached(about, author, 'x', false)
    await wrote(about, 'attachments.isobsolete', '0', '1', { attachmentId: attachment })
    await wrote(about, 'flagtypes.name', '', 'review+')

    expect((await entriesOf(about.id))[0]?.changes).toEqual([
      {
        field_name: 'attachments.isobsolete',
        removed: '0',
        added: '1',
        attachment_id: attachment,
      },
      { field_name: 'flagtypes.name', removed: '', added: 'review+' },
    ])
  })

  it('long values whole, and nothing of a change that changes nothing', async () => {
    const about = await bug()
    const long = 'wörd, '.repeat(9000)
    await wrote(about, 'whiteboard', '', long)
    await wrote(about, 'summary', 'same', 'same')

    expect(await told(about.id)).toEqual([`whiteboard:  > ${long}`])
  })

  it('only what is newer, to the second, when asked', async () => {
    const about = await bug()
    await wrote(about, 'priority', 'P1', 'P2')
    await wrote(about, 'priority', 'P2', 'P3', { changedAt: THEN + 1 })
    const added = async (since: string) =>
      (await entriesOf(about.id, ANYONE, `?new_since=${encodeURIComponent(since)}`)).flatMap(
        ({ changes }) => changes.map((one) => one.added),
      )

    expect(await added('2023-11-14T22:13:19Z')).toEqual(['P2', 'P3'])
    expect(await added('2023-11-14T22:13:20Z')).toEqual(['P3'])
    expect(await added('2023-11-14T23:13:20+01:00')).toEqual(['P3'])
    expect(await added('2023-11-14 22:13:21')).toEqual([])
    expect(await added('2023-11-14')).toEqual(['P2', 'P3'])
    expect(await added('2023-11-15')).toEqual([])
    expect(await added('')).toEqual(['P2', 'P3'])
  })

  it('bugs by ID and alias, in the order given and each once, each with its own', async () => {
    const alias = unique('alias')
    const [a, b] = [await bug(), await bug()]
    await alter(b.id, { alias, alias_fold: alias.toLowerCase() })
    await wrote(a, 'priority', 'P1', 'P2')
    await wrote(b, 'priority', 'P1', 'P3')
    const path = `/rest/bug/${alias.toUpperCase()}/history?ids=${a.id}&ids=${b.id},%23${a.id}`
    const { body } = await get(ANYONE, path)

    expect(
      body.bugs.map(({ id, alias, history }: { id: number; alias: string; history: Entry[] }) => [
        id,
        alias,
        history[0]?.changes[0]?.added,
      ]),
    ).toEqual([
      [b.id, alias, 'P3'],
      [a.id, null, 'P2'],
    ])
  })

  it('the fields that are asked for', async () => {
    const about = await bug()
    await wrote(about, 'priority', 'P1', 'P2')
    const path = `/rest/bug/${about.id}/history`

    expect((await get(ANYONE, `${path}?include_fields=id,history.who`)).body.bugs).toEqual([
      { id: about.id, history: [{ who: author.login }] },
    ])
    expect((await get(ANYONE, `${path}?exclude_fields=history`)).body.bugs).toEqual([
      { id: about.id, alias: null },
    ])
  })

  it('one trip for any number of bugs, and rows in proportion to their history alone', async () => {
    const [a, b] = [await bug(), await bug()]
    await wrote(a, 'priority', 'P1', 'P2')
    await wrote(b, 'depends_on', '', `${a.id}`)
    const other = await bug()
    await wrote(other, 'depends_on', '', `${b.id}`)
    const path = `/rest/bug/${a.id}/history?ids=${b.id}`
    const first = (await get(ANYONE, path)).cost
    await wrote(other, 'priority', 'P1', 'P2')
    await wrote(other, 'priority', 'P2', 'P3')

    expect(first.trips).toBe(1)
    expect((await get(stranger, path)).cost.trips).toBe(2)
    expect((await get(ANYONE, path)).cost.read).toBe(first.read)
  })
})

describe('refuses', () => {
  it.each([
    ['0', 400, 100],
    ['no-such-alias', 400, 100],
    ['-1', 400, 100],
    ['2147483647', 404, 101],
  ])('the bug %s', async (name, status, code) => {
    for (const who of [ANYONE, stranger]) {
      expectFault(await get(who, `/rest/bug/${name}/history`), status, code)
    }
  })

  it('a bug that the caller may not see, alone and among others', async () => {
    const [open, hidden] = [await bug(), await bug({ groups: [secret] })]

    for (const who of [ANYONE, stranger, editor]) {
      expectFault(await get(who, `/rest/bug/${hidden.id}/history`), 401, 102)
      expectFault(await get(who, `/rest/bug/${open.id}/history?ids=${hidden.id}`), 401, 102)
    }
    expect(await entriesOf(hidden.id, member)).toEqual([])
  })

  it('a moment that is none', async () => {
    const { id } = await bug()

    expectFault(
      await get(ANYONE, `/rest/bug/${id}/history?new_since=yesterday`),
      400,
      56,
      'new_since',
    )
  })
})

describe('hides', () => {
  it('changes of private attachments from all but insiders and their submitter', async () => {
    const about = await bug()
    const attachment = await attached(about, stranger, 'x', true)
    await wrote(about, 'attachments.description', 'a', 'b', { attachmentId: attachment })
    await wrote(about, 'flagtypes.name', '', 'review?', { attachmentId: attachment })
    const all = ['attachments.description: a > b', 'flagtypes.name:  > review?']

    for (const who of [ANYONE, author, editor, tracker]) {
      expect(await entriesOf(about.id, who)).toEqual([])
    }
    expect(await told(about.id, insider)).toEqual(all)
    expect(await told(about.id, stranger)).toEqual(all)
  })

  it('the privacy of comments, and tags of private ones, from all but insiders', async () => {
    const about = await bug()
    const open = await commented(about, author, 0, 'Open.')
    const closed = await commented(about, author, 0, 'Psst.', { isPrivate: true })
    await wrote(about, 'longdescs.isprivate', '1', '0', { commentId: open })
    await wrote(about, 'longdescs.isprivate', '0', '1', { commentId: closed })
    await wrote(about, 'comment_tag', '', 'good', { commentId: open })
    await wrote(about, 'comment_tag', '', 'spam', { commentId: closed })

    for (const who of [ANYONE, author, editor, tracker]) {
      expect(await told(about.id, who)).toEqual(['comment_tag:  > good'])
    }
    expect(await told(about.id, insider)).toHaveLength(4)
  })

  it('hours from all but the time-tracking group, and deadlines from nobody', async () => {
    const about = await bug()
    await wrote(about, 'estimated_time', '0', '8')
    await wrote(about, 'remaining_time', '8', '5.5')
    await wrote(about, 'work_time', '', '2.5')
    await wrote(about, 'deadline', '', '2024-02-29')

    for (const who of [ANYONE, author, editor, insider]) {
      expect(await told(about.id, who)).toEqual(['deadline:  > 2024-02-29'])
    }
    expect(await told(about.id, tracker)).toEqual([
      'estimated_time: 0 > 8',
      'remaining_time: 8 > 5.5',
      'work_time:  > 2.5',
      'deadline:  > 2024-02-29',
    ])
  })

  it('work on a private comment from who is no insider', async () => {
    const id = await filed(author, place)
    await post(both, `/rest/bug/${id}/comment`, { comment: 'Psst.', is_private: 1, work_time: 2 })
    await post(both, `/rest/bug/${id}/comment`, { comment: 'Done.', work_time: 3 })

    expect(await told(id, tracker)).toEqual(['work_time:  > 3'])
    expect(await told(id, both)).toEqual(['work_time:  > 2', 'work_time:  > 3'])
  })

  it('hidden bugs in relations of every kind, and entries of which nothing is left', async () => {
    const [about, open] = [await bug(), await bug()]
    const { id: hidden } = await bug({ groups: [secret] })
    const { name: cf } = await customField(FIELD_TYPE.bugId)
    const lists = ['depends_on', 'blocks', 'regressed_by', 'regressions', 'duplicates']
    for (const field of lists) {
      await wrote(about, field, `${hidden}`, `${hidden}, ${open.id}`)
    }
    for (const field of ['dupe_of', cf]) {
      await wrote(about, field, '', `${hidden}`)
      await wrote(about, field, `${hidden}`, `${open.id}`)
    }
    await wrote(about, 'blocks', '', `${hidden}`, { changedAt: THEN + 9 })

    for (const who of [ANYONE, author, editor, insider]) {
      expect(await told(about.id, who)).toEqual([
        ...lists.map((field) => `${field}:  > ${open.id}`),
        `dupe_of:  > ${open.id}`,
        `${cf}:  > ${open.id}`,
      ])
      expect(await entriesOf(about.id, who)).toHaveLength(1)
    }
    expect(await told(about.id, member)).toEqual([
      ...lists.map((field) => `${field}: ${hidden} > ${hidden}, ${open.id}`),
      `dupe_of:  > ${hidden}`,
      `dupe_of: ${hidden} > ${open.id}`,
      `${cf}:  > ${hidden}`,
      `${cf}: ${hidden} > ${open.id}`,
      `blocks:  > ${hidden}`,
    ])
  })

  it('links to hidden bugs of this service, and none to those of others', async () => {
    const about = await bug()
    const { id: hidden } = await bug({ groups: [secret] })
    const here = 'https://tracker.test'
    const away = `https://elsewhere.test/show_bug.cgi?id=${hidden}`
    const links = [`${here}/bug/${hidden}`, away, `${here}/show_bug.cgi?id=${hidden}#c3`]
    await wrote(about, 'see_also', links.join(', '), `${here}/bug/${about.id}`)

    expect(await told(about.id)).toEqual([`see_also: ${away} > ${here}/bug/${about.id}`])
    expect(await told(about.id, member)).toEqual([
      `see_also: ${links.join(', ')} > ${here}/bug/${about.id}`,
    ])
  })

  it('nothing of a field that names bugs in words of its own', async () => {
    const about = await bug()
    const { id: hidden } = await bug({ groups: [secret] })
    await wrote(about, 'whiteboard', '', `${hidden}`)

    expect(await told(about.id)).toEqual([`whiteboard:  > ${hidden}`])
  })

  it('domains of logins from anonymous callers where that is wanted', async () => {
    const about = await bug()
    await wrote(about, 'cc', '', `${author.login}, ${unique('x')}@example.test`)
    await wrote(about, 'assigned_to', author.login, 'somebody@example.test')
    await wrote(about, 'flagtypes.name', '', 'review?(asked@example.test)')
    await wrote(about, 'whiteboard', '', 'me@where.test')
    const answer = await askWith({ HIDE_EMAIL_DOMAINS: 'on' }, `/rest/bug/${about.id}/history`)
    const text = await answer.text()

    expect(text).toContain(author.login.slice(0, author.login.indexOf('@')))
    expect(text).not.toContain('@example.test')
    expect(text).toContain('review?(asked)')
    expect(text).toContain('me@where.test')
  })
})
