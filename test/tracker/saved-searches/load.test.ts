import { expect, test } from 'vitest'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import {
  requireShareableGroup,
  selectOwnSearch,
  selectOwnSearchesByName,
  selectShareableGroups,
} from '../../../src/tracker/saved-searches/load.ts'
import { loadCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { saveSearch } from '../../support/clients/saved-searches.ts'
import { onPrimary } from '../../support/database/statements.ts'

test('a search is found by its owner alone, by ID and by name in any case', async () => {
  const [owner, member] = [await insertPerson(), await insertPerson()]
  const group = await insertGroup([owner, member])
  const id = await saveSearch(owner, 'Größe', 'id=1', { shared_with: group.name })
  const read = async (who: typeof owner) => {
    const caller = await loadCaller(who)
    return readBatch(onPrimary(), {
      byId: selectOwnSearch(caller, id),
      byName: selectOwnSearchesByName(caller, 'GRÖßE'),
    })
  }
  const { byId, byName } = await read(owner)
  expect(byId).toEqual([
    {
      ...{ id, name: 'Größe', query: 'id=1', revision: 0 },
      ...{ sharedGroupId: group.id, sharedWith: group.name },
    },
  ])
  expect(byName).toEqual([{ id }])
  expect(await read(member)).toEqual({ byId: [], byName: [] })
})

test('a group is shared with by its members, by a name of digits before an ID', async () => {
  const owner = await insertPerson()
  const group = await insertGroup([owner])
  const caller = await loadCaller(owner)
  const find = async (text: string) =>
    (await readBatch(onPrimary(), { groups: selectShareableGroups(caller, text) })).groups
  expect(await find(` ${group.name.toUpperCase()} `)).toEqual([group])
  expect(await find(String(group.id))).toEqual([group])
  expect(await find((await insertGroup()).name)).toEqual([])
  expect(requireShareableGroup('x', [group])).toBe(group)
  expect(() => requireShareableGroup('x', [])).toThrow(expect.objectContaining({ code: 804 }))
})
