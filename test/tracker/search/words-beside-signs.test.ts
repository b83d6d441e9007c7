import { expect, test } from 'vitest'
import { copyBug, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { get, post } from '../../support/client.ts'

/** What the words stand in, with letters and signs that few tables of characters agree about. */
const TEXTS = [
  'a W b',
  'a xW b',
  'a Wx b',
  'a Wx W b',
  'a \u00e9 W',
  'a W\u00e9 b',
  'a \u00e9W b',
  'a W\u061f b',
  'a \u060cW b',
  'a W\u0301 b',
  'a \u0301W b',
  'a W\u{1f914} b',
  'a W\u2014b',
  'a W\u3002\u4e00',
  'a W\u4e00 b',
  'a W\u0903 b',
  'a W\u1d165 b',
  '\u201cW\u201d',
  'a xW\u00e9 \u2014W',
  'a \ufeffW b',
  'a W\u200d b',
  'a \uff37 W\u00b2 b',
]

test('a comment has a word or not, whether bugs are found by it or by their numbers', async () => {
  const who = await insertPerson()
  const bug = await postBug(who, await insertProduct())
  const ids = await copyBug(bug, TEXTS.length)
  const rare = 'windowox'
  const texts = TEXTS.map((text) => text.replaceAll('W', rare))
  await Promise.all(
    texts.map((comment, n) => post(who, `/rest/bug/${ids[n]}/comment`, { comment })),
  )
  const find = async (more: Record<string, string>) => {
    const query = new URLSearchParams({
      longdesc: rare,
      longdesc_type: 'allwords',
      include_fields: 'id',
      ...more,
    })
    const { body } = await get(who, `/rest/bug?${query}`)
    return body.bugs.map(({ id }: { id: number }) => TEXTS[ids.indexOf(id)])
  }
  const byNumber = await find({ id: ids.join() })
  expect(byNumber).toContain('a W b')
  expect(byNumber).not.toContain('a Wx b')
  const byIndex = await find({})
  expect(byIndex.filter((text: string | undefined) => text !== undefined)).toEqual(byNumber)
})
