import { beforeAll, beforeEach, expect, test } from 'vitest'
import { post, put } from '../../support/client.ts'
import { changesOf, expectRefusal, readBug, rowsOf, storedBug } from '../../support/filing.ts'
import { filed, found, restrict } from '../../support/reading.ts'
import {
  group,
  newBug,
  person,
  product,
  type TestPerson,
  type TestProduct,
  unique,
} from '../../support/world.ts'

let ann: TestPerson
let bob: TestPerson
let place: TestProduct
let bug: number

beforeAll(async () => {
  ann = await person()
  bob = await person({ roles: ['editbugs'] })
  place = await product()
})

beforeEach(async () => {
  bug = await filed(bob, place)
})

const tags = async (who = ann, id = bug) => (await readBug(who, id)).tags

test.each<[object, string[]]>([
  [{ add: ['New one', ' other '] }, ['KEEP', 'New one', 'other']],
  [{ add: 'a,b' }, ['a', 'b', 'KEEP']],
  [{ add: ['keep'] }, ['KEEP']],
  [{ add: ['x'], remove: ['Keep', 'x', 'y'] }, []],
  [{ set: ['ß', 'x'], remove: ['x'] }, ['x', 'ß']],
  [{ set: [] }, []],
])('the tags of the caller are edited: %j', async (edit, after) => {
  await changesOf(ann, bug, { tags: { add: ['KEEP'] } })
  await changesOf(bob, bug, { tags: { add: ['KEEP', 'mine'] } })
  expect(await changesOf(ann, bug, { tags: edit })).toEqual({})
  expect(await tags()).toEqual(after)
  expect(await tags(bob)).toEqual(['KEEP', 'mine'])
})

test('nobody else learns of them, and the bug is as it was', async () => {
  const before = await storedBug(bug)
  const word = unique('tag')
  await changesOf(ann, bug, { tags: { add: [word] } })
  expect(await tags(bob)).toEqual([])
  expect(await found(`tags=${word}`, ann)).toEqual([bug])
  expect(await found(`tags=${word}`, bob)).toEqual([])
  expect(await storedBug(bug)).toEqual(before)
  expect(await rowsOf('history', bug)).toEqual([])
  expect(await rowsOf('notices', bug)).toHaveLength(1)
})

test('they are set on several bugs, beside what changes those', async () => {
  const other = await filed(bob, place)
  const body = { ids: [other], tags: { add: ['x'] }, whiteboard: '[y]' }
  const answer = await put(bob, `/rest/bug/${bug}`, body)
  expect(answer.body.bugs[0].changes).toEqual({ whiteboard: { removed: '', added: '[y]' } })
  expect([await tags(bob), await tags(bob, other)]).toEqual([['x'], ['x']])
})

test('a long one is refused, and so are those that are no edit', async () => {
  const path = `/rest/bug/${bug}`
  await changesOf(ann, bug, { tags: { add: ['é'.repeat(64)] } })
  const long = { tags: { add: ['x'.repeat(65)] } }
  await expectRefusal(() => put(ann, path, long), 400, 104, 'tags')
  await expectRefusal(() => put(ann, path, { tags: ['x'] }), 400, 53, 'tags')
})

test('they are given to visible bugs alone', async () => {
  await restrict(bug, await group())
  const path = `/rest/bug/${bug}`
  await expectRefusal(() => put(ann, path, { tags: { add: ['x'] } }), 401, 102)
})

test('a new bug begins without them', async () => {
  const answer = await post(ann, '/rest/bug', newBug(place, { tags: ['x'] }))
  expect(await tags(ann, answer.body.id)).toEqual([])
})
