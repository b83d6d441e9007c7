import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../../src/platform/access/caller.ts'
import {
  sharedGroupName,
  visibleSavedSearchCondition,
} from '../../../src/platform/access/saved-searches.ts'
import { loadCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'

/** Inserts saved searches or reports of the owner. */
async function insertSearches(...rows: { kind?: string; name: string; sharedWith?: number }[]) {
  await execute(
    ...rows.map(
      ({ kind = 'search', name, sharedWith = null }) => sql`INSERT INTO saved_searches
        (user_id, kind, name, name_fold, query, shared_group_id)
        VALUES (${owner.id}, ${kind}, ${name}, ${name}, 'id=1', ${sharedWith})`,
    ),
  )
}

/** The searches of the owner that a person sees, with the group that each is shared with. */
function loadVisible(person: Person) {
  return execute(sql`SELECT saved_searches.name, ${sharedGroupName()} AS shared_with FROM saved_searches
    WHERE user_id = ${owner.id} AND ${visibleSavedSearchCondition(person)}
    ORDER BY saved_searches.name`)
}

const owner = await insertPerson()
const [member, admin] = [await insertPerson(), await insertPerson({ roles: ['admin'] })]
const group = await insertGroup([owner, member])
const readers: Record<'owner' | 'member' | 'stranger' | 'admin', Person> = {
  owner: await loadCaller(owner),
  member: await loadCaller(member),
  stranger: await loadCaller(await insertPerson()),
  admin: await loadCaller(admin, ['admin']),
}
await insertSearches(
  { name: 'private' },
  { name: 'shared', sharedWith: group.id },
  { name: 'shared elsewhere', sharedWith: (await insertGroup([member])).id },
  { kind: 'report', name: 'report', sharedWith: group.id },
)

describe('a saved search', () => {
  test('is visible to its owner, with the group while the owner belongs to it', async () => {
    expect(await loadVisible(readers.owner)).toEqual([
      { name: 'private', shared_with: null },
      { name: 'shared', shared_with: group.name },
      { name: 'shared elsewhere', shared_with: null },
    ])
  })

  test('is visible to members of a group that its owner belongs to as well', async () => {
    expect(await loadVisible(readers.member)).toEqual([{ name: 'shared', shared_with: group.name }])
  })

  test('is hidden from everybody else, administrators included', async () => {
    expect(await loadVisible(readers.stranger)).toEqual([])
    expect(await loadVisible(readers.admin)).toEqual([])
  })
})

test('visible searches are found by indexes, however many there are', async () => {
  const rows = await execute(sql`EXPLAIN QUERY PLAN SELECT id FROM saved_searches
    WHERE ${visibleSavedSearchCondition(readers.member)}`)
  const plan = rows.map(({ detail }) => String(detail)).join('\n')
  expect(plan).not.toMatch(/SCAN saved_searches/)
  expect(plan).toMatch(/INDEX saved_searches_user /)
  expect(plan).toMatch(/INDEX saved_searches_shared /)
})
