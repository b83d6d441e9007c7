import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug, postBug } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertComment, recordChangesBy } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, post } from '../../support/client.ts'
import { readEntries, readHistory } from '../../support/clients/history.ts'
import { fetchWith } from '../../support/clients/service.ts'

const THEN = 1_700_000_000

const author = await insertPerson()
const editor = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['insider'] })
const tracker = await insertPerson({ roles: ['timetracking'] })
const both = await insertPerson({ roles: ['timetracking', 'insider'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: editor })

const recordChange = recordChangesBy(author, THEN)

describe('GET /bug/:id/history', () => {
  test('hides changes of private attachments from all but insiders and their submitter', async () => {
    const about = await insertBug()
    const attachment = await insertAttachment(about, stranger, { summary: 'x', isPrivate: true })
    await recordChange(about, 'attachments.description', 'a', 'b', { attachmentId: attachment })
    await recordChange(about, 'flagtypes.name', '', 'review?', { attachmentId: attachment })
    const all = ['attachments.description: a > b', 'flagtypes.name:  > review?']

    for (const who of [ANYONE, author, editor, tracker]) {
      expect(await readEntries(about.id, who)).toEqual([])
    }
    expect(await readHistory(about.id, insider)).toEqual(all)
    expect(await readHistory(about.id, stranger)).toEqual(all)
  })

  test('hides the privacy of comments, and tags of private ones, from all but insiders', async () => {
    const about = await insertBug()
    const open = await insertComment(about, author, { body: 'Open.' })
    const closed = await insertComment(about, author, { body: 'Psst.', isPrivate: true })
    await recordChange(about, 'longdescs.isprivate', '1', '0', { commentId: open })
    await recordChange(about, 'longdescs.isprivate', '0', '1', { commentId: closed })
    await recordChange(about, 'comment_tag', '', 'good', { commentId: open })
    await recordChange(about, 'comment_tag', '', 'spam', { commentId: closed })

    for (const who of [ANYONE, author, editor, tracker]) {
      expect(await readHistory(about.id, who)).toEqual(['comment_tag:  > good'])
    }
    expect(await readHistory(about.id, insider)).toHaveLength(4)
  })

  test('hides hours from all but the time-tracking group, and shows deadlines to everybody', async () => {
    const about = await insertBug()
    await recordChange(about, 'estimated_time', '0', '8')
    await recordChange(about, 'remaining_time', '8', '5.5')
    await recordChange(about, 'work_time', '', '2.5')
    await recordChange(about, 'deadline', '', '2024-02-29')

    for (const who of [ANYONE, author, editor, insider]) {
      expect(await readHistory(about.id, who)).toEqual(['deadline:  > 2024-02-29'])
    }
    expect(await readHistory(about.id, tracker)).toEqual([
      'estimated_time: 0 > 8',
      'remaining_time: 8 > 5.5',
      'work_time:  > 2.5',
      'deadline:  > 2024-02-29',
    ])
  })

  test('hides work on a private comment from people who are no insiders', async () => {
    const id = await postBug(author, place)
    await post(both, `/rest/bug/${id}/comment`, { comment: 'Psst.', is_private: 1, work_time: 2 })
    await post(both, `/rest/bug/${id}/comment`, { comment: 'Done.', work_time: 3 })

    expect(await readHistory(id, tracker)).toEqual(['work_time:  > 3'])
    expect(await readHistory(id, both)).toEqual(['work_time:  > 2', 'work_time:  > 3'])
  })

  test('hides hidden bugs in relations of every kind, and entries of which nothing is left', async () => {
    const [about, open] = [await insertBug(), await insertBug()]
    const { id: hidden } = await insertBug({ groups: [secret] })
    const { name: cf } = await insertCustomField(FIELD_TYPE.bugId)
    const lists = ['depends_on', 'blocks', 'regressed_by', 'regressions', 'duplicates']
    for (const field of lists) {
      await recordChange(about, field, `${hidden}`, `${hidden}, ${open.id}`)
    }
    for (const field of ['dupe_of', cf]) {
      await recordChange(about, field, '', `${hidden}`)
      await recordChange(about, field, `${hidden}`, `${open.id}`)
    }
    await recordChange(about, 'blocks', '', `${hidden}`, { changedAt: THEN + 9 })

    for (const who of [ANYONE, author, editor, insider]) {
      expect(await readHistory(about.id, who)).toEqual([
        ...lists.map((field) => `${field}:  > ${open.id}`),
        `dupe_of:  > ${open.id}`,
        `${cf}:  > ${open.id}`,
      ])
      expect(await readEntries(about.id, who)).toHaveLength(1)
    }
    expect(await readHistory(about.id, member)).toEqual([
      ...lists.map((field) => `${field}: ${hidden} > ${hidden}, ${open.id}`),
      `dupe_of:  > ${hidden}`,
      `dupe_of: ${hidden} > ${open.id}`,
      `${cf}:  > ${hidden}`,
      `${cf}: ${hidden} > ${open.id}`,
      `blocks:  > ${hidden}`,
    ])
  })

  test('hides links to hidden bugs of this service, and none to those of others', async () => {
    const about = await insertBug()
    const { id: hidden } = await insertBug({ groups: [secret] })
    const here = 'https://tracker.test'
    const away = `https://elsewhere.test/show_bug.cgi?id=${hidden}`
    const links = [`${here}/bug/${hidden}`, away, `${here}/show_bug.cgi?id=${hidden}#c3`]
    await recordChange(about, 'see_also', links.join(', '), `${here}/bug/${about.id}`)

    expect(await readHistory(about.id)).toEqual([`see_also: ${away} > ${here}/bug/${about.id}`])
    expect(await readHistory(about.id, member)).toEqual([
      `see_also: ${links.join(', ')} > ${here}/bug/${about.id}`,
    ])
  })

  test('hides nothing of a field that names bugs in words of its own', async () => {
    const about = await insertBug()
    const { id: hidden } = await insertBug({ groups: [secret] })
    await recordChange(about, 'whiteboard', '', `${hidden}`)

    expect(await readHistory(about.id)).toEqual([`whiteboard:  > ${hidden}`])
  })

  test('hides domains of logins from anonymous callers where HIDE_EMAIL_DOMAINS is on', async () => {
    const about = await insertBug()
    await recordChange(about, 'cc', '', `${author.login}, ${uniqueName('x')}@example.test`)
    await recordChange(about, 'assigned_to', author.login, 'somebody@example.test')
    await recordChange(about, 'flagtypes.name', '', 'review?(reviewer@example.test)')
    await recordChange(about, 'whiteboard', '', 'me@where.test')
    const answer = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, `/rest/bug/${about.id}/history`)
    const text = await answer.text()

    expect(text).toContain(author.login.slice(0, author.login.indexOf('@')))
    expect(text).not.toContain('@example.test')
    expect(text).toContain('review?(reviewer)')
    expect(text).toContain('me@where.test')
  })
})
