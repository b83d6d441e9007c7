import { describe, expect, test } from 'vitest'
import { insertBug, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { CHOICES, insertFieldOfEachType } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'

const place = await insertProduct()
const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const reader = await insertPerson()
const tracker = await insertPerson({ roles: ['timetracking'] })
const [open, hidden] = [await insertBug(), await insertBug()]
await restrictBug(hidden.id, await insertGroup([editor, tracker]))

/** The lines of the mail about a new bug to the reader, or to somebody who sees more, by their label. */
async function fileAndRead(more: Record<string, unknown>) {
  const bug = await postBug(editor, place, { cc: [reader.login, tracker.login], ...more })
  const [notice] = await loadRowsOfBug('notices', bug)
  const box = buildMailService()
  await deliverNotice(box.ctx(), Number(notice?.id))
  const linesOf = ({ login }: TestPerson) => {
    const text = box.mailTo(login)?.text ?? ''
    const lines = text.matchAll(/^ *([A-Z][\w -]*): (.*)$/gm)
    return {
      text,
      fields: Object.fromEntries([...lines].map(([, label, value]) => [label, value])),
    }
  }
  return { reader: linesOf(reader), tracker: linesOf(tracker) }
}

describe('the mail about a new bug', () => {
  test('shows every field that was set, but those that say nothing', async () => {
    const alias = uniqueName('alias')
    const told = await fileAndRead({
      alias,
      whiteboard: '[dark]',
      deadline: '2099-12-24',
      is_cc_accessible: false,
      see_also: ['https://example.test/1'],
    })
    expect(told.reader.fields).toMatchObject({
      Alias: alias,
      'Status Whiteboard': '[dark]',
      Deadline: '2099-12-24',
      'CC Accessible': '0',
      'See Also': 'https://example.test/1',
    })
    const bare = await fileAndRead({})
    expect(Object.keys(bare.reader.fields)).toEqual(
      expect.not.arrayContaining(['Alias', 'Deadline', 'CC Accessible', 'Depends on', 'Group']),
    )
  })

  test.each([
    ['depends_on', 'Depends on'],
    ['blocks', 'Blocks'],
    ['regressed_by', 'Regressed by'],
    ['regressions', 'Regressions'],
  ])('names of the relation %s the bugs that the reader sees', async (name, label) => {
    const told = await fileAndRead({ [name]: [open.id, hidden.id] })
    const labelOf = (fields: object) =>
      Object.keys(fields).find((each) => each.toLowerCase() === label.toLowerCase()) ?? ''
    expect(told.reader.fields[labelOf(told.reader.fields)]).toBe(String(open.id))
    expect(told.tracker.fields[labelOf(told.tracker.fields)]).toBe(`${open.id}, ${hidden.id}`)
    expect(told.reader.text).toContain(`[Bug ${open.id}] ${open.summary}`)
    expect(told.reader.text).not.toContain(hidden.summary)
    expect(told.tracker.text).toContain(hidden.summary)
  })

  test('leaves out a relation of which the reader sees nothing', async () => {
    const told = await fileAndRead({ depends_on: [hidden.id] })
    expect(told.reader.fields).not.toHaveProperty('Depends on')
    expect(told.reader.text).not.toMatch(new RegExp(`: ${hidden.id}$`, 'm'))
    expect(told.reader.text).not.toContain(hidden.summary)
    expect(told.tracker.fields['Depends on']).toBe(String(hidden.id))
  })

  test('shows hours to people who track time alone', async () => {
    const told = await fileAndRead({ estimated_time: 7.5 })
    expect(told.tracker.text).toMatch(/: 7\.5$/m)
    expect(told.reader.text).not.toContain('7.5')
  })

  test('shows custom fields of every type by the names that people read', async () => {
    const fields = await insertFieldOfEachType()
    const told = await fileAndRead({
      [fields.freeText.name]: 'free',
      [fields.single.name]: CHOICES[0],
      [fields.multi.name]: [CHOICES[0], CHOICES[1]],
      [fields.largeText.name]: 'first\nsecond',
      [fields.datetime.name]: '2031-02-03T04:05:06Z',
      [fields.bugId.name]: open.id,
      [fields.date.name]: '2031-02-03',
      [fields.integer.name]: 42,
    })
    for (const value of [
      ...['free', CHOICES[0], `${CHOICES[0]}, ${CHOICES[1]}`, 'first'],
      ...['2031-02-03T04:05:06Z', String(open.id), '2031-02-03', '42'],
    ]) {
      expect(told.reader.text).toMatch(new RegExp(`: ${value}$`, 'm'))
    }
    expect(told.reader.text).toMatch(/^ {21}second$/m)
    const secret = await fileAndRead({ [fields.bugId.name]: hidden.id })
    expect(secret.reader.text).not.toMatch(new RegExp(`: ${hidden.id}$`, 'm'))
    expect(secret.reader.text).not.toContain(hidden.summary)
    expect(secret.tracker.text).toContain(`: ${hidden.id}\n`)
  })
})
