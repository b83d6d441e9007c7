import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { copyBug, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, expectFault, get, type Sender } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const author = await insertPerson()
const place = await insertProduct()

const file = (summary: string, at = place) => postBug(author, at, { summary })

async function findDuplicates(summary: string, more = '', sender: Sender = ANYONE) {
  const query = `summary=${encodeURIComponent(summary)}${more}`
  const answer = await get(sender, `/rest/bug/possible_duplicates?${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs.map(({ id }: { id: number }) => id)
}

describe('GET /bug/possible_duplicates', () => {
  test('ranks bugs by the number and the length of the words they share', async () => {
    const both = await file('Zucchini xylophon: fluctuant at start')
    const long = await file('Fluctuant ZUCCHINI')
    const short = await file('A zucchini')
    expect(await findDuplicates('zucchini FLUCTUANT xylophon')).toEqual([both, long, short])
    expect(await findDuplicates('zucchini xylophon')).toEqual([both, short, long])
    expect(await findDuplicates('zucchini xylophon', '&limit=1')).toEqual([both])
  })

  test('finds words of any script, also as parts of longer ones', async () => {
    const [one, two] = [await file('Überlauf im Kürbiskern'), await file('Kürbiskernöl')]
    expect((await findDuplicates('KÜRBISKERN?')).toSorted()).toEqual([one, two].toSorted())
    expect(await findDuplicates('Überlauf: Kürbiskern')).toEqual([one, two])
  })

  test('passes over words that every summary may have, unless there is no other', async () => {
    const id = await file('There is the pumpernickel')
    await file('There is the something with this')
    expect(await findDuplicates('there is the pumpernickel')).toEqual([id])
    const place = await insertProduct()
    const common = await file('then some than others', place)
    expect(await findDuplicates('some than', `&product=${place.name}`)).toEqual([common])
    expect(await findDuplicates('a b ?')).toEqual([])
  })

  test('limits the products', async () => {
    const other = await insertProduct()
    const [here, there] = [await file('Rutabaga here'), await file('Rutabaga there', other)]
    expect(await findDuplicates('rutabaga', `&product=${place.name}`)).toEqual([here])
    const names = `&products=${place.name}&products=${other.name.toUpperCase()}`
    expect((await findDuplicates('rutabaga', names)).toSorted()).toEqual([here, there].toSorted())
    expect(await findDuplicates('rutabaga', '&product=nonsense')).toEqual([])
  })

  test('neither shows bugs that the caller does not see nor counts them', async () => {
    const visible = await file('Salsify')
    const hidden = await file('Salsify salsify kohlrabi')
    await restrictBug(hidden, await insertGroup([author]))
    expect(await findDuplicates('salsify kohlrabi', '&limit=1')).toEqual([visible])
    expect(await findDuplicates('kohlrabi')).toEqual([])
    expect(await findDuplicates('salsify kohlrabi', '', author)).toEqual([hidden, visible])
  })

  test('ranks the bug that changed last first where words do not decide', async () => {
    const [older, newer] = [await file('Celeriac one'), await file('Celeriac two')]
    await execute(sql`UPDATE bugs SET changed_at = changed_at + 100 WHERE id = ${older}`)
    expect(await findDuplicates('celeriac')).toEqual([older, newer])
  })

  test('finds an old bug of two frequent words, and one of a product, behind many newer ones', async () => {
    const both = await file('Jicama with tomatillo')
    const quiet = await insertProduct()
    const alone = await file('Jicama', quiet)
    const [jicama, tomatillo] = [await file('Jicama'), await file('Tomatillo')]
    await Promise.all([copyBug(jicama, 200), copyBug(tomatillo, 200)])
    const words = 'jicama tomatillo and eight more which nobody ever wrote before'
    expect(await findDuplicates(words, '&limit=1')).toEqual([both])
    const place = `&product=${quiet.name}&include_fields=_all`
    expect(await findDuplicates(words, place)).toEqual([alone])
  })

  test('shows the selected fields, comments too', async () => {
    const id = await file('Chicory')
    const path = '/rest/bug/possible_duplicates?summary=chicory&include_fields=id,comments.count'
    expect((await get(ANYONE, path)).body).toEqual({
      ...{ faults: [], bugs: [{ id, comments: [{ count: 0 }] }] },
    })
  })

  test('takes hostile texts literally', async () => {
    const hostile = `"); DROP TABLE bugs -- ${'x" OR "'.repeat(50)} ${'ab* NEAR('.repeat(200)} \0`
    const place = await insertProduct()
    const alike = await file('Drop a table', place)
    await file('Something else', place)
    expect(await findDuplicates(hostile, `&product=${place.name}`)).toEqual([alike])
  })

  test('is refused with 50 without a text, and with 52 for a limit that is none', async () => {
    for (const query of ['', 'summary=', 'summary=%20']) {
      expectFault(await get(ANYONE, `/rest/bug/possible_duplicates?${query}`), 400, 50, 'summary')
    }
    const path = '/rest/bug/possible_duplicates?summary=x&limit=x'
    expectFault(await get(ANYONE, path), 400, 52, 'limit')
  })
})
