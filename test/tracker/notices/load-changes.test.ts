import { describe, expect, test } from 'vitest'
import { loadChanges } from '../../../src/tracker/notices/load-changes.ts'
import type { Notice } from '../../../src/tracker/notices/types.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertNotice, insertNoticed } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

async function linked(field: string, added: (id: number) => string, vars = {}) {
  const author = await insertPerson()
  const other = await insertBug({ groups: [await insertGroup()] })
  const about = await insertBug({ reporter: author, assignee: author })
  const id = await insertNotice(about, author)
  await insertNoticed(id, about, author, [field, '', added(other.id)])
  const notice: Notice = {
    id,
    bugId: about.id,
    authorId: author.id,
    kind: 'changed',
    happenedAt: NOW,
    isMinor: false,
  }
  const [change] = await loadChanges(buildMailService(vars).ctx(), [notice])
  const links = (change?.links ?? []).map(({ bugId }) => bugId)
  return { links, hidden: change?.hidden ?? [], author, other }
}

describe('which bugs a change names', () => {
  test.each([
    ['depends_on', (id: number) => `${id}`, true],
    ['blocks', (id: number) => `${id}`, true],
    ['regressed_by', (id: number) => `${id}`, true],
    ['regressions', (id: number) => `${id}`, true],
    ['duplicates', (id: number) => `${id}`, true],
    ['dupe_of', (id: number) => `${id}`, true],
    ['see_also', (id: number) => `https://tracker.test/bug/${id}`, true],
    ['see_also', (id: number) => `https://tracker.test/show_bug.cgi?id=${id}#c1`, true],
    ['see_also', (id: number) => `https://elsewhere.test/bug/${id}`, false],
    ['see_also', () => 'https://tracker.test/bug/"quoted\\', false],
    ['whiteboard', (id: number) => `${id}`, false],
  ])('%s, written as in case %#', async (field, added, isLink) => {
    const { links, hidden, author, other } = await linked(field, added)

    expect(links.filter((id) => id !== null)).toEqual(isLink ? [other.id] : [])
    expect([...hidden]).toEqual(isLink ? [`${author.id}:${other.id}`] : [])
  })

  test('of the custom fields only those of the type bug name one', async () => {
    const { links, hidden, author, other } = await linked((await insertCustomField(6)).name, String)
    expect(links).toEqual([other.id])
    expect([...hidden]).toEqual([`${author.id}:${other.id}`])
    expect((await linked((await insertCustomField(10)).name, String)).links).toEqual([])
  })

  test('where the service does not know its address, any link that looks like a bug counts', async () => {
    const { links, other } = await linked('see_also', (id) => `https://anywhere.test/bug/${id}`, {
      BASE_URL: '',
    })
    expect(links).toEqual([other.id])
  })
})
