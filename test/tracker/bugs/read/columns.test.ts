import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { insertAttachment } from '../../../support/builders/attachments.ts'
import { insertBug, postBug, restrictBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertCustomField, setCustomValue } from '../../../support/builders/fields.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertChange, insertComment } from '../../../support/builders/notices.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, post, put } from '../../../support/client.ts'
import { readBug } from '../../../support/clients/bugs.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { detail } from '../../../support/clients/users.ts'
import { execute } from '../../../support/database/execute.ts'

const reporter = await insertPerson({ realName: 'Rita Reporter [:rita]' })
const editor = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['insider'] })
const tracker = await insertPerson({ roles: ['timetracking'] })
const stranger = await insertPerson()
const place = await insertProduct({ assignee: editor })

describe('GET /bug/:id', () => {
  test('returns the lists of a bug, each in its order', async () => {
    const [b, a] = [await insertPerson(), await insertPerson()].toSorted((x, y) =>
      x.login < y.login ? 1 : -1,
    ) as [TestPerson, TestPerson]
    const id = await postBug(reporter, place, { cc: [b.login, a.login] })
    const [zebra, Apple] = [uniqueName('zebra'), uniqueName('Apple')]
    const groups = [await insertGroup([stranger]), await insertGroup([stranger])]
    await restrictBug(id, ...groups)
    await execute(
      sql`INSERT INTO keywords (name, name_fold, description) VALUES
        (${zebra}, ${zebra}, ''), (${Apple}, ${Apple.toLowerCase()}, '')`,
      sql`INSERT INTO bug_keywords SELECT ${id}, id FROM keywords WHERE name IN (${zebra}, ${Apple})`,
      sql`INSERT INTO see_also (bug_id, url, url_fold) VALUES
        (${id}, 'https://z.test/1', 'https://z.test/1'), (${id}, 'https://a.test/2', 'https://a.test/2')`,
    )
    const bug = await readBug(id, stranger)

    expect(bug.cc).toEqual([a.login, b.login])
    expect(bug.cc_detail).toEqual([detail(a), detail(b)])
    expect(bug.keywords).toEqual([Apple, zebra])
    expect(bug.groups).toEqual(groups.map(({ name }) => name).sort())
    expect(bug.see_also).toEqual(['https://z.test/1', 'https://a.test/2'])
  })

  test('returns relations in both directions, open bugs before closed ones', async () => {
    const [one, closed, open, later] = [
      await postBug(reporter, place),
      await postBug(reporter, place),
      await postBug(reporter, place),
      await postBug(reporter, place),
    ]
    await put(editor, `/rest/bug/${closed}`, { status: 'RESOLVED', resolution: 'FIXED' })
    await execute(
      sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES
        (${one}, ${closed}), (${one}, ${later}), (${one}, ${open}), (${closed}, ${later})`,
      sql`INSERT INTO regressions (bug_id, regressed_by_id) VALUES (${one}, ${open})`,
      sql`UPDATE bugs SET dupe_of_id = ${one} WHERE id IN (${closed}, ${later})`,
    )

    expect(await readBug(one)).toMatchObject({
      depends_on: [open, later, closed],
      blocks: [],
      regressed_by: [open],
      regressions: [],
      dupe_of: null,
      duplicates: [closed, later],
    })
    expect(await readBug(later)).toMatchObject({ blocks: [one, closed], dupe_of: one })
    expect(await readBug(open)).toMatchObject({ blocks: [one], regressions: [one] })
  })

  test('returns the flags of the bug itself and none of its attachments', async () => {
    const { id } = await insertBug({ reporter })
    const name = uniqueName('review')
    const attachment = await insertAttachment(
      { id, summary: '', reporter, assignee: editor },
      reporter,
      { summary: 'x' },
    )
    await execute(
      sql`INSERT INTO flag_types (name, description, target) VALUES (${name}, '', 'bug')`,
      sql`INSERT INTO flags (type_id, bug_id, attachment_id, status, setter_id, requestee_id, created_at, modified_at)
        SELECT t.id, ${id}, a.value, s.value, ${reporter.id}, iif(s.value = '?', ${editor.id}, NULL), 1700000000, 1700000001
        FROM flag_types t, json_each(${JSON.stringify([null, attachment])}) a, json_each('["?","-"]') s
        WHERE t.name = ${name}`,
    )
    const { flags } = await readBug(id)

    expect(flags).toEqual([
      {
        id: expect.any(Number),
        name,
        type_id: expect.any(Number),
        creation_date: '2023-11-14T22:13:20Z',
        modification_date: '2023-11-14T22:13:21Z',
        status: '?',
        setter: reporter.login,
        requestee: editor.login,
      },
      expect.not.objectContaining({ requestee: expect.anything() }),
    ])
  })

  test('returns the QA contact and the triage owner if there are any', async () => {
    const place = await insertProduct()
    const id = await postBug(reporter, place)
    await updateBugRow(id, { qa_contact_id: editor.id })
    await execute(sql`UPDATE components SET triage_owner_id = ${stranger.id}
      WHERE product_id = ${place.id}`)

    const bug = await readBug(id)
    expect(bug.qa_contact).toBe(editor.login)
    expect(bug.qa_contact_detail).toEqual(detail(editor))
    expect(bug.triage_owner).toBe(stranger.login)
    expect(bug).not.toHaveProperty('triage_owner_detail')
    expect(await readBug(id, ANYONE, '?include_fields=triage_owner_detail')).toEqual({
      triage_owner: stranger.login,
      triage_owner_detail: detail(stranger),
    })
  })

  test('returns extra fields only on request', async () => {
    const id = await postBug(reporter, place, { description: 'Look:\n it breaks.' })
    await execute(sql`INSERT INTO bug_tags (user_id, bug_id, name, name_fold)
      VALUES (${reporter.id}, ${id}, 'Mine', 'mine'), (${reporter.id}, ${id}, 'later', 'later')`)
    const extras = { description: 'Look:\n it breaks.', filed_via: 'api', tags: ['later', 'Mine'] }

    expect(Object.keys(await readBug(id, reporter))).not.toEqual(
      expect.arrayContaining(['description']),
    )
    const others = 'attachments,comments,history,counts,last_change_time_non_bot'
    expect(await readBug(id, reporter, `?include_fields=_extra&exclude_fields=${others}`)).toEqual(
      extras,
    )
    expect(await readBug(id, reporter, '?include_fields=id,tags')).toEqual({
      id,
      tags: ['later', 'Mine'],
    })
    expect(await readBug(id, reporter, '?include_fields=_all')).toMatchObject({ id, ...extras })
    expect(await readBug(id, reporter, '?include_fields=_default,tags')).toMatchObject({
      id,
      tags: ['later', 'Mine'],
    })
  })

  test('returns custom fields of every type', async () => {
    const id = await postBug(reporter, place)
    const other = await postBug(reporter, place)
    const fields = {
      text: await insertCustomField(FIELD_TYPE.freeText),
      long: await insertCustomField(FIELD_TYPE.largeText),
      one: await insertCustomField(FIELD_TYPE.single, { values: ['Red', 'Blue'] }),
      many: await insertCustomField(FIELD_TYPE.multi, { values: ['red', 'Blue', 'amber'] }),
      when: await insertCustomField(FIELD_TYPE.datetime),
      day: await insertCustomField(FIELD_TYPE.date),
      bug: await insertCustomField(FIELD_TYPE.bugId),
      number: await insertCustomField(FIELD_TYPE.integer),
    }
    const old = await insertCustomField(FIELD_TYPE.freeText, { isObsolete: true })
    const names = Object.values(fields).map(({ name }) => name)
    const query = `?include_fields=${[...names, old.name].join(',')}`

    expect(Object.values(await readBug(id, ANYONE, query))).toEqual([
      ...['', '', '---'],
      [],
      ...[null, null, null, null],
    ])
    await setCustomValue(id, fields.text, { text: 'line' })
    await setCustomValue(id, fields.long, { text: 'two\nlines' })
    await setCustomValue(id, fields.one, { choice: 'Red' })
    await setCustomValue(id, fields.many, { choice: 'red' })
    await setCustomValue(id, fields.many, { choice: 'amber' })
    await setCustomValue(id, fields.when, { number: 1_700_000_000 })
    await setCustomValue(id, fields.day, { text: '2024-02-29' })
    await setCustomValue(id, fields.bug, { number: other })
    await setCustomValue(id, fields.number, { number: 42 })
    await setCustomValue(id, old, { text: 'kept' })

    const expected = {
      [fields.text.name]: 'line',
      [fields.long.name]: 'two\nlines',
      [fields.one.name]: 'Red',
      [fields.many.name]: ['amber', 'red'],
      [fields.when.name]: '2023-11-14T22:13:20Z',
      [fields.day.name]: '2024-02-29T00:00:00Z',
      [fields.bug.name]: other,
      [fields.number.name]: '42',
      [old.name]: 'kept',
    }
    expect(await readBug(id, ANYONE, query)).toEqual(expected)
    expect(await readBug(id)).toMatchObject(expected)
    expect(await readBug(id, ANYONE, '?include_fields=_custom')).toMatchObject(expected)
    expect(await readBug(id, ANYONE, '?include_fields=_custom')).not.toHaveProperty('id')
    expect(await readBug(id, ANYONE, '?exclude_fields=_custom')).not.toHaveProperty(
      fields.text.name,
    )
    expect(await readBug(id, ANYONE, `?exclude_fields=${fields.text.name}`)).not.toHaveProperty(
      fields.text.name,
    )
    expect(await readBug(id, ANYONE, '?include_fields=id,_extra')).not.toHaveProperty(
      fields.text.name,
    )
  })

  test('returns the last comment or change by a human', async () => {
    const [bot, other] = [await insertPerson(), await insertPerson()]
    const made = await insertBug({ reporter: bot })
    const at = (createdAt: number) => ({ createdAt })
    const readLastChange = async (BOT_LOGINS: string) => {
      const path = `/rest/bug/${made.id}?include_fields=last_change_time_non_bot`
      const answer = await fetchWith({ BOT_LOGINS }, path)
      const { bugs }: { bugs: { last_change_time_non_bot: string }[] } = await answer.json()
      return Date.parse(bugs[0]?.last_change_time_non_bot ?? '') / 1000
    }
    const bots = `nobody@example.test, ${bot.login.toUpperCase()}`
    await updateBugRow(made.id, { created_at: 1000, changed_at: 9000 })
    await insertComment(made, bot, { body: 'Filed.', ...at(1000) })

    expect([await readLastChange(''), await readLastChange(bots)]).toEqual([9000, 1000])
    await insertComment(made, other, { body: 'Seen.', ...at(2000) })
    await insertChange(made, bot, {
      field: 'priority',
      removed: 'P1',
      added: 'P2',
      changedAt: 3000,
    })
    expect(await readLastChange(bots)).toBe(2000)
    await insertChange(made, other, {
      field: 'priority',
      removed: 'P2',
      added: 'P3',
      changedAt: 4000,
    })
    await insertComment(made, bot, { body: 'Reminder.', ...at(5000) })
    expect(await readLastChange(bots)).toBe(4000)
    expect(await readLastChange(`${bots},${other.login}`)).toBe(1000)
    expect(await readLastChange('nobody@example.test')).toBe(5000)
  })

  test('returns hours to the time-tracking group alone', async () => {
    const id = await postBug(reporter, place)
    for (const work_time of [0.1, 0.2, 1]) {
      await post(tracker, `/rest/bug/${id}/comment`, { comment: 'worked', work_time })
    }
    await updateBugRow(id, { estimated_time: 8, remaining_time: 2.5 })
    const hours = { actual_time: 1.3, estimated_time: 8, remaining_time: 2.5 }

    expect(await readBug(id, tracker)).toMatchObject(hours)
    expect(await readBug(id, tracker, '?include_fields=actual_time')).toEqual({ actual_time: 1.3 })
    for (const who of [ANYONE, reporter, editor, insider]) {
      const bug = await readBug(id, who)
      for (const name of Object.keys(hours)) {
        expect(bug).not.toHaveProperty(name)
      }
      expect(await readBug(id, who, '?include_fields=id,actual_time,remaining_time')).toEqual({
        id,
      })
    }
    expect(await readBug(id, stranger)).toHaveProperty('deadline', null)
  })
})
