import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { copyBug, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get } from '../../../support/client.ts'
import { searchBugIds } from '../../../support/clients/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
const member = await insertPerson()
const secret = await insertGroup([member])

describe('the pages of GET /bug with a text of the summary', () => {
  let word: string
  let place: TestProduct
  let ids: number[]

  beforeAll(async () => {
    word = uniqueName('trembling').toLowerCase()
    place = await insertProduct({ assignee: editor })
    ids = await copyBug(await postBug(editor, place, { summary: `A ${word} window` }), 24)
    ids = await searchBugIds(`product=${place.name}`, editor)
    for (const id of ids.filter((_, n) => n % 5 === 2)) {
      await restrictBug(id, secret)
    }
    await execute(
      sql`UPDATE bugs SET summary = 'Other', summary_fold = 'other' WHERE id = ${ids[6] ?? 0}`,
      sql`UPDATE bugs SET resolution_id = (SELECT v.id FROM field_values v JOIN fields f
        ON f.id = v.field_id WHERE f.name = 'resolution' AND v.name = 'FIXED') WHERE id = ${ids[8] ?? 0}`,
    )
  })

  test.each([
    ['summary={word}', ''],
    ['summary={word}', '&order=bug_id%20DESC'],
    ['summary={word}&resolution=---', ''],
    ['summary={word}&product={place}', '&order=bug_id%20DESC'],
    ['short_desc=window%20{word}&short_desc_type=allwordssubstr', ''],
    ['summary={word}&summary=other&product={place}', '&order=bug_id'],
    ['summary={word}', '&order=changeddate'],
  ])('for %s%s have the same bugs as the whole list, for each caller', async (query, order) => {
    const fullQuery = `${query.replace('{word}', word).replace('{place}', place.name)}${order}`
    for (const who of [ANYONE, member, editor]) {
      const whole = await searchBugIds(fullQuery, who)
      expect(whole.length).toBeGreaterThan(10)
      const pages = []
      for (let offset = 0; offset < whole.length + 7; offset += 7) {
        pages.push(...(await searchBugIds(`${fullQuery}&limit=7&offset=${offset}`, who)))
      }
      expect(pages).toEqual(whole)
    }
  })

  test('read no more rows when there are more bugs', async () => {
    const path = `/rest/bug?summary=${word}&limit=5&count_total=0&include_fields=id`
    for (const order of ['', '&order=bug_id%20DESC']) {
      const [first = 0] = ids
      await copyBug(first, 300)
      const before = (await get(ANYONE, path + order)).cost.read
      await copyBug(first, 300)
      const after = (await get(ANYONE, path + order)).cost.read
      expect(after).toBeLessThanOrEqual(before + 2)
    }
  })

  test('may be so long that they are streamed', async () => {
    await copyBug(ids[0] ?? 0, 600)
    for (const order of ['', '&order=bug_id%20DESC']) {
      const whole = await searchBugIds(`summary=${word}${order}`)
      expect(whole.length).toBeGreaterThan(600)
      expect(await searchBugIds(`summary=${word}${order}&limit=590&offset=3`)).toEqual(
        whole.slice(3, 593),
      )
    }
  })
})
