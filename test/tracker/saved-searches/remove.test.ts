import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { expectFault, get, send } from '../../support/client.ts'
import { listSearchNames, saveSearch } from '../../support/clients/saved-searches.ts'

describe('DELETE /saved_search', () => {
  test('removes a search for its owner and for those whom it is shared with', async () => {
    const [owner, member] = [await insertPerson(), await insertPerson()]
    const group = await insertGroup([owner, member])
    const id = await saveSearch(owner, 'Ours', 'id=1', { shared_with: group.name })
    expect((await send(owner, 'DELETE', `/rest/saved_search/${id}`)).body).toEqual({ success: 1 })
    expect(await listSearchNames(owner)).toEqual([])
    expect(await listSearchNames(member)).toEqual([])
    const run = await get(member, `/rest/bug?savedsearch=Ours&sharer_id=${owner.id}`)
    expectFault(run, 404, 51)
    expectFault(await send(owner, 'DELETE', `/rest/saved_search/${id}`), 404, 51, String(id))
  })

  test('frees its name', async () => {
    const owner = await insertPerson()
    const id = await saveSearch(owner, 'Mine', 'id=1')
    await send(owner, 'DELETE', `/rest/saved_search/${id}`)
    expect(await saveSearch(owner, 'Mine', 'id=1')).toBeGreaterThan(id)
  })

  test('answers 51 to those whom it is shared with, and removes nothing', async () => {
    const [owner, member] = [await insertPerson(), await insertPerson()]
    const group = await insertGroup([owner, member])
    const id = await saveSearch(owner, 'Ours', 'id=1', { shared_with: group.name })
    expectFault(await send(member, 'DELETE', `/rest/saved_search/${id}`), 404, 51, String(id))
    expect(await listSearchNames(owner)).toEqual(['Ours'])
  })
})
