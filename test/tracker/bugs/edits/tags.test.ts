import { beforeEach, expect, test } from 'vitest'
import { buildBugBody, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { post, put } from '../../../support/client.ts'
import { changeBug, readWholeBug, searchBugIds } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'

let bug: number

const ann = await insertPerson()
const bob = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(bob, place)
})

const tags = async (who = ann, id = bug) => (await readWholeBug(who, id)).tags

test.each<[object, string[], { removed: string; added: string } | undefined]>([
  [
    { add: ['New one', ' other '] },
    ['KEEP', 'New one', 'other'],
    { removed: '', added: 'New one, other' },
  ],
  [{ add: 'b,a' }, ['a', 'b', 'KEEP'], { removed: '', added: 'a, b' }],
  [{ add: ['keep'] }, ['KEEP'], undefined],
  [{ add: ['x'], remove: ['Keep', 'x', 'y'] }, [], { removed: 'KEEP', added: '' }],
  [{ set: ['ß', 'x'], remove: ['x'] }, ['x', 'ß'], { removed: 'KEEP', added: 'x, ß' }],
  [{ set: [] }, [], { removed: 'KEEP', added: '' }],
])('PUT /bug edits the tags of the caller by %j', async (edit, after, change) => {
  await changeBug(ann, bug, { tags: { add: ['KEEP'] } })
  await changeBug(bob, bug, { tags: { add: ['KEEP', 'mine'] } })
  expect(await changeBug(ann, bug, { tags: edit })).toEqual(change ? { tags: change } : {})
  expect(await tags()).toEqual(after)
  expect(await tags(bob)).toEqual(['KEEP', 'mine'])
})

test('PUT /bug hides tags from everybody else and leaves the bug unchanged', async () => {
  const before = await loadBugRow(bug)
  const word = uniqueName('tag')
  await changeBug(ann, bug, { tags: { add: [word] } })
  expect(await tags(bob)).toEqual([])
  expect(await searchBugIds(`tags=${word}`, ann)).toEqual([bug])
  expect(await searchBugIds(`tags=${word}`, bob)).toEqual([])
  expect(await loadBugRow(bug)).toEqual(before)
  expect(await loadRowsOfBug('history', bug)).toEqual([])
  expect(await loadRowsOfBug('notices', bug)).toHaveLength(1)
})

test('PUT /bug sets tags on several bugs together with other fields', async () => {
  const other = await postBug(bob, place)
  const body = { ids: [other], tags: { add: ['x'] }, whiteboard: '[y]' }
  const answer = await put(bob, `/rest/bug/${bug}`, body)
  expect(answer.body.bugs[0].changes).toEqual({
    tags: { removed: '', added: 'x' },
    whiteboard: { removed: '', added: '[y]' },
  })
  expect([await tags(bob), await tags(bob, other)]).toEqual([['x'], ['x']])
})

test('PUT /bug rejects a tag of more than 64 characters with 104 and a list of tags with 53', async () => {
  const path = `/rest/bug/${bug}`
  await changeBug(ann, bug, { tags: { add: ['é'.repeat(64)] } })
  const long = { tags: { add: ['x'.repeat(65)] } }
  await expectRefusal(() => put(ann, path, long), 104, 'tags')
  await expectRefusal(() => put(ann, path, { tags: ['x'] }), 53, 'tags')
})

test('PUT /bug rejects tags of a hidden bug with 102', async () => {
  await restrictBug(bug, await insertGroup())
  const path = `/rest/bug/${bug}`
  await expectRefusal(() => put(ann, path, { tags: { add: ['x'] } }), 102)
})

test('POST /bug ignores tags', async () => {
  const answer = await post(ann, '/rest/bug', buildBugBody(place, { tags: ['x'] }))
  expect(await tags(ann, answer.body.id)).toEqual([])
})
