import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  insertBug,
  insertBugs,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, get, type Sender } from '../../../support/client.ts'
import { readBug, searchBugIds } from '../../../support/clients/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])

describe('the visibility of GET /bug', () => {
  test('hides bugs from people who may not see them in the list, the count and the pages', async () => {
    const [reporter, assignee, qaContact, copied] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const hidden = await insertBug({
      reporter,
      assignee,
      qaContact,
      cc: [copied],
      groups: [secret],
    })
    const { product: name } = await readBug(hidden.id, member)
    const place = { name }
    const insider = await insertPerson({ roles: ['insider', 'editbugs', 'admin'] })
    const sees = async (who: Sender) => {
      const query = `product=${place.name}`
      const ids = await searchBugIds(query, who)
      const { body } = await get(who, `/rest/bug?${query}&count_only=1`)
      expect(body).toEqual({ bug_count: ids.length })
      expect(await searchBugIds(`id=${hidden.id}&limit=5&order=bug_id%20DESC`, who)).toEqual(ids)
      expect(await searchBugIds(`${query}&order=delta_ts&limit=5`, who)).toEqual(ids)
      return ids.includes(hidden.id)
    }

    for (const who of [ANYONE, stranger, insider]) {
      expect(await sees(who)).toBe(false)
    }
    for (const who of [member, reporter, assignee, qaContact, copied]) {
      expect(await sees(who)).toBe(true)
    }
    await updateBugRow(hidden.id, { is_creator_accessible: 0, is_cc_accessible: 0 })
    expect(await sees(reporter)).toBe(false)
    expect(await sees(copied)).toBe(false)
    expect(await sees(assignee)).toBe(true)
  })

  test('fills each page with visible bugs', async () => {
    const { place, ids } = await insertBugs(editor, 6)
    const [a, b, c, d, e, f] = ids
    await restrictBug(b ?? 0, secret)
    await restrictBug(e ?? 0, secret)
    const page = (query: string, who: Sender = ANYONE) =>
      searchBugIds(`product=${place.name}&${query}`, who)

    expect(await page('limit=3')).toEqual([a, c, d])
    expect(await page('limit=3&offset=3')).toEqual([f])
    expect(await page('limit=3&order=bug_id%20DESC')).toEqual([f, d, c])
    expect(await page('limit=3', member)).toEqual([a, b, c])
  })

  test('hides a bug that matches only by a private description', async () => {
    const place = await insertProduct({ assignee: editor })
    const id = await postBug(editor, place, { description: 'the very secret words' })
    await execute(sql`UPDATE comments SET is_private = 1 WHERE bug_id = ${id}`)
    const insider = await insertPerson({ roles: ['insider'] })
    const query = 'description=the%20very%20secret%20words'

    expect(await searchBugIds(query, stranger)).toEqual([])
    expect((await get(stranger, `/rest/bug?${query}&count_only=1`)).body).toEqual({ bug_count: 0 })
    expect(await searchBugIds(query, insider)).toEqual([id])
  })
})
