import { describe, expect, test } from 'vitest'
import { loadChanges, loadParts } from '../../../src/tracker/notices/load-changes.ts'
import type { Notice } from '../../../src/tracker/notices/types.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertNotice, insertNoticed } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { watchPerson, watchPlaceOf } from '../../support/builders/watches.ts'
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

async function splitIntoParts(cc: readonly number[], most: number) {
  const reporter = await insertPerson()
  const notices = await Promise.all(
    cc.map(async (count): Promise<Notice> => {
      const people = await Promise.all(Array.from({ length: count }, () => insertPerson()))
      const about = await insertBug({ reporter, assignee: reporter, cc: people })
      return noticeOf(await insertNotice(about, reporter), about.id, reporter.id)
    }),
  )
  return { notices, parts: await listParts(notices, most) }
}

async function listParts(notices: readonly Notice[], people: number, pairs = 1000) {
  const parts: { people: string[]; ended: readonly number[] }[] = []
  for await (const { changes, ended } of loadParts(buildMailService().ctx(), notices, {
    people,
    pairs,
  })) {
    const people = changes.flatMap(({ notice, recipients }) =>
      recipients.map(({ person }) => `${notice.id}:${person.id}`),
    )
    parts.push({ people, ended })
  }
  return parts
}

const noticeOf = (id: number, bugId: number, authorId: number): Notice => ({
  ...{ id, bugId, authorId, kind: 'changed', happenedAt: NOW, isMinor: false },
})

describe('notices are loaded', () => {
  test('in one part, where they concern few people', async () => {
    const { notices, parts } = await splitIntoParts([2, 2], 4)
    expect(parts.map(({ ended }) => ended)).toEqual([notices.map(({ id }) => id)])
    expect(parts[0]?.people).toHaveLength(6)
  })

  test('each for itself where they concern many, and few people of many at a time', async () => {
    const { notices, parts } = await splitIntoParts([3, 1, 9], 4)
    const [first, second, third] = notices.map(({ id }) => id)
    expect(parts.map(({ ended }) => ended)).toEqual([[first], [second], [], [], [third]])
    // with the reporter
    expect(parts.map(({ people }) => people.length)).toEqual([4, 2, 4, 4, 2])
    expect(new Set(parts.flatMap(({ people }) => people)).size).toBe(16)
  })

  test('for the fewer people at a time, the more bugs the changes name', async () => {
    const { notices } = await splitIntoParts([5], 100)
    const [notice] = notices
    const named = await Promise.all(Array.from({ length: 4 }, () => insertBug()))
    const author = await insertPerson()
    const added = named.map(({ id }) => id).join(', ')
    const about = { id: notice?.bugId ?? 0, summary: '', reporter: author, assignee: author }
    await insertNoticed(notice?.id ?? 0, about, author, ['depends_on', '', added])

    const sizesOf = async (pairs: number) =>
      (await listParts(notices, 100, pairs)).map(({ people }) => people.length)
    expect(await sizesOf(4 * 5)).toEqual([6])
    expect(await sizesOf(4 * 3)).toEqual([3, 3])
    expect(await sizesOf(4 * 3 + 2)).toEqual([3, 3])
    expect(await sizesOf(1)).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('in parts of people who watch others, or the component, as well', async () => {
    const [reporter, ...watchers] = await Promise.all(
      Array.from({ length: 7 }, () => insertPerson()),
    )
    if (reporter === undefined) {
      throw new Error('nobody')
    }
    const about = await insertBug({ reporter, assignee: reporter, cc: [reporter] })
    const notice = noticeOf(await insertNotice(about, reporter), about.id, reporter.id)
    expect(await listParts([notice], 3)).toHaveLength(1)
    for (const watcher of watchers.slice(0, 3)) {
      await watchPerson(watcher, reporter)
    }
    const parts = await listParts([notice], 3)
    expect(parts.map(({ people }) => people.length)).toEqual([3, 1])
    for (const watcher of watchers.slice(3)) {
      await watchPlaceOf(about, watcher)
    }
    const all = await listParts([notice], 3)
    expect(all.map(({ people }) => people.length)).toEqual([3, 3, 1])
  })
})
