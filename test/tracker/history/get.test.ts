import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug, postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertChange, recordChangesBy } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put } from '../../support/client.ts'
import { type HistoryEntry, readEntries, readHistory } from '../../support/clients/history.ts'

const THEN = 1_700_000_000

const author = await insertPerson()
const editor = await insertPerson({ roles: ['editbugs'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: editor })

const recordChange = recordChangesBy(author, THEN)

describe('GET /bug/:id/history', () => {
  test('has no entry for a bug that nobody has changed', async () => {
    const id = await postBug(author, place)

    expect((await get(ANYONE, `/rest/bug/${id}/history`)).body).toEqual({
      bugs: [{ id, alias: null, history: [] }],
    })
  })

  test('shows the changes of an update exactly as the update returned them', async () => {
    const alias = uniqueName('alias')
    const id = await postBug(author, place, { alias, summary: 'Before' })
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

  test('joins the changes of one person in one second, oldest first', async () => {
    const about = await insertBug()
    const later = { changedAt: THEN + 1 }
    await recordChange(about, 'summary', 'b', 'c', later)
    await recordChange(about, 'summary', 'a', 'b')
    await recordChange(about, 'priority', 'P1', 'P2')
    await insertChange(about, editor, { field: 'summary', removed: 'c', added: 'd', ...later })
    await recordChange(about, 'summary', 'd', 'e', later)

    expect(
      (await readEntries(about.id)).map(({ when, who, changes }) => [
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

  test('names the attachment of a change, and has no such key for other changes', async () => {
    const about = await insertBug()
    const attachment = await insertAttachment(about, author, { summary: 'x' })
    await recordChange(about, 'attachments.isobsolete', '0', '1', { attachmentId: attachment })
    await recordChange(about, 'flagtypes.name', '', 'review+')

    expect((await readEntries(about.id))[0]?.changes).toEqual([
      {
        field_name: 'attachments.isobsolete',
        removed: '0',
        added: '1',
        attachment_id: attachment,
      },
      { field_name: 'flagtypes.name', removed: '', added: 'review+' },
    ])
  })

  test('shows long values whole, and no change without a difference', async () => {
    const about = await insertBug()
    const long = 'wörd, '.repeat(9000)
    await recordChange(about, 'whiteboard', '', long)
    await recordChange(about, 'summary', 'same', 'same')

    expect(await readHistory(about.id)).toEqual([`whiteboard:  > ${long}`])
  })

  test('shows only changes after a moment, to the second', async () => {
    const about = await insertBug()
    await recordChange(about, 'priority', 'P1', 'P2')
    await recordChange(about, 'priority', 'P2', 'P3', { changedAt: THEN + 1 })
    const added = async (since: string) =>
      (await readEntries(about.id, ANYONE, `?new_since=${encodeURIComponent(since)}`)).flatMap(
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

  test('lists bugs by ID and alias, in the given order, each once', async () => {
    const alias = uniqueName('alias')
    const [a, b] = [await insertBug(), await insertBug()]
    await updateBugRow(b.id, { alias, alias_fold: alias.toLowerCase() })
    await recordChange(a, 'priority', 'P1', 'P2')
    await recordChange(b, 'priority', 'P1', 'P3')
    const path = `/rest/bug/${alias.toUpperCase()}/history?ids=${a.id}&ids=${b.id},%23${a.id}`
    const { body } = await get(ANYONE, path)

    expect(
      body.bugs.map(
        ({ id, alias, history }: { id: number; alias: string; history: HistoryEntry[] }) => [
          id,
          alias,
          history[0]?.changes[0]?.added,
        ],
      ),
    ).toEqual([
      [b.id, alias, 'P3'],
      [a.id, null, 'P2'],
    ])
  })

  test('shows the selected fields alone', async () => {
    const about = await insertBug()
    await recordChange(about, 'priority', 'P1', 'P2')
    const path = `/rest/bug/${about.id}/history`

    expect((await get(ANYONE, `${path}?include_fields=id,history.who`)).body.bugs).toEqual([
      { id: about.id, history: [{ who: author.login }] },
    ])
    expect((await get(ANYONE, `${path}?exclude_fields=history`)).body.bugs).toEqual([
      { id: about.id, alias: null },
    ])
  })

  test('takes one round trip for any number of bugs, and reads rows in proportion to their history alone', async () => {
    const [a, b] = [await insertBug(), await insertBug()]
    await recordChange(a, 'priority', 'P1', 'P2')
    await recordChange(b, 'depends_on', '', `${a.id}`)
    const other = await insertBug()
    await recordChange(other, 'depends_on', '', `${b.id}`)
    const path = `/rest/bug/${a.id}/history?ids=${b.id}`
    const first = (await get(ANYONE, path)).cost
    await recordChange(other, 'priority', 'P1', 'P2')
    await recordChange(other, 'priority', 'P2', 'P3')

    expect(first.trips).toBe(1)
    expect((await get(stranger, path)).cost.trips).toBe(2)
    expect((await get(ANYONE, path)).cost.read).toBe(first.read)
  })
})

describe('GET /bug/:id/history', () => {
  test.each([
    ['0', 400, 100],
    ['no-such-alias', 400, 100],
    ['-1', 400, 100],
    ['2147483647', 404, 101],
  ])('rejects the bug %s', async (name, status, code) => {
    for (const who of [ANYONE, stranger]) {
      expectFault(await get(who, `/rest/bug/${name}/history`), status, code)
    }
  })

  test('rejects a bug that the caller may not see, alone and among others', async () => {
    const [open, hidden] = [await insertBug(), await insertBug({ groups: [secret] })]

    for (const who of [ANYONE, stranger, editor]) {
      expectFault(await get(who, `/rest/bug/${hidden.id}/history`), 401, 102)
      expectFault(await get(who, `/rest/bug/${open.id}/history?ids=${hidden.id}`), 401, 102)
    }
    expect(await readEntries(hidden.id, member)).toEqual([])
  })

  test('rejects a moment that is none', async () => {
    const { id } = await insertBug()

    expectFault(
      await get(ANYONE, `/rest/bug/${id}/history?new_since=yesterday`),
      400,
      56,
      'new_since',
    )
  })
})
