import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { copyBug, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, send } from '../../support/client.ts'
import { testRefusals } from '../../support/clients/refusals.ts'
import { execute } from '../../support/database/execute.ts'
import { CREATE_BUG_REFUSALS } from '../../support/tables/refusals/bug-create.ts'
import {
  GET_BUG_REFUSALS,
  HISTORY_REFUSALS,
  SEARCH_REFUSALS,
} from '../../support/tables/refusals/bug-read.ts'
import { UPDATE_BUG_REFUSALS } from '../../support/tables/refusals/bug-update.ts'

/**
 * Every number with which reading, filing and changing bugs can refuse, each by a request that gets it
 * and writes nothing.
 */

const world = await buildWorld()

/** The numbers that each operation documents. */
const OPERATIONS = [
  { name: 'GET /bug/:id', refusals: GET_BUG_REFUSALS, codes: [100, 101, 102, 56] },
  { name: 'GET /bug/:id/history', refusals: HISTORY_REFUSALS, codes: [100, 101, 102, 52, 53, 56] },
  { name: 'GET /bug', refusals: SEARCH_REFUSALS, codes: [50, 52, 1000] },
  {
    name: 'POST /bug',
    refusals: CREATE_BUG_REFUSALS,
    codes: [
      ...[51, 103, 104, 105, 106, 107, 116, 120, 129, 130, 131, 133, 134, 135, 504],
      ...[50, 52, 53, 54, 55, 56, 100, 101, 102, 109, 112, 113, 114, 119, 121, 122, 123, 410],
      32000,
    ],
  },
  {
    name: 'PUT /bug/:id',
    refusals: UPDATE_BUG_REFUSALS,
    codes: [
      ...[50, 51, 52, 53, 54, 55, 56, 100, 101, 102, 103, 104, 105, 106, 107, 109, 112, 113, 114],
      ...[115, 116, 117, 118, 119, 120, 121, 122, 123, 129, 130, 131, 132, 133, 134, 140, 410],
      ...[504, 32000],
    ],
  },
]

describe.each(OPERATIONS)('$name', ({ refusals, codes }) => {
  testRefusals(refusals, () => world)

  test('has a request above for every number that it documents', () => {
    const covered = new Set(refusals.map(({ code }) => code))
    expect(codes.filter((code) => !covered.has(code))).toEqual([])
  })
})

async function buildWorld() {
  const [editor, reporter, stranger, insider, crowd, away] = [
    await insertPerson({ roles: ['editbugs', 'timetracking'] }),
    await insertPerson(),
    await insertPerson(),
    await insertPerson({ roles: ['insider'] }),
    await insertPerson(),
    await insertPerson({ loginDeniedText: 'Gone.' }),
  ]
  const crew = await insertGroup([insider])
  const place = await insertProduct({
    controls: [{ group: crew, memberControl: 1, otherControl: 0 }],
  })
  const secret = await insertProduct({
    controls: [{ group: crew, memberControl: 3, otherControl: 3, entry: true }],
  })
  const closed = await insertProduct({ isActive: false })
  const [bare, bareSecret, unversioned] = [
    await insertProduct(),
    await insertProduct({
      controls: [{ group: crew, memberControl: 3, otherControl: 3, entry: true }],
    }),
    await insertProduct(),
  ]
  await execute(
    sql`DELETE FROM components WHERE product_id IN (${bare.id}, ${bareSecret.id})`,
    sql`UPDATE versions SET is_active = 0 WHERE product_id = ${unversioned.id}`,
  )
  const fort = await insertProduct()
  const locked = await postBug(reporter, fort)
  await execute(sql`INSERT INTO group_controls (product_id, group_id, canedit, membercontrol)
    VALUES (${fort.id}, ${crew.id}, 1, 1)`)
  const alias = uniqueName('alias')
  const bug = await postBug(reporter, place, { description: 'It is.', groups: [] })
  await postBug(reporter, place, { alias })
  const [other = 0] = await copyBug(await postBug(editor, place), 1)
  const hidden = await postBug(insider, place)
  await restrictBug(hidden, crew)
  const duplicate = await postBug(reporter, place)
  await send(reporter, 'PUT', `/rest/bug/${duplicate}`, { dupe_of: bug })
  const ducky = await postBug(editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
  await execute(
    sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${bug}, ${crowd.id})`,
    sql`UPDATE bugs SET reporter_id = ${reporter.id} WHERE id = ${ducky}`,
  )
  const flags = await insertFlagTypes(place.id, (await insertGroup()).id)
  const several = { name: flags.several, status: '?' }
  await send(editor, 'PUT', `/rest/bug/${bug}`, { flags: [several, { ...several, new: true }] })
  const comments = (await execute(
    sql`SELECT id FROM comments WHERE bug_id = ${bug} AND number = 0`,
  )) as { id: number }[]
  await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body, is_private)
    VALUES (${bug}, 9, ${insider.id}, 1, 'Hush.', 1)`)
  const [whisper] = await execute(sql`SELECT max(id) AS id FROM comments WHERE bug_id = ${bug}`)
  const numbers = { bug, other, hidden, locked, duplicate, ducky }
  return {
    senders: { anyone: ANYONE, editor, reporter, stranger },
    names: {
      ...Object.fromEntries(Object.entries(numbers).map(([name, id]) => [name, String(id)])),
      ...flags,
      ...{ alias, upperAlias: alias.toUpperCase(), away: away.login, crowd: crowd.login },
      ...{ editor: editor.login, reporter: reporter.login },
      ...{ product: place.name, component: place.component, crew: crew.name },
      ...{ secret: secret.name, closed: closed.name, unversioned: unversioned.name },
      ...{ bare: bare.name, bareSecret: bareSecret.name },
      ...{ comment: String(comments[0]?.id), whisper: String(whisper?.id) },
    },
  }
}

async function insertFlagTypes(productId: number, groupId: number) {
  const here = [{ productId }]
  const guard = { grantGroupId: groupId, requestGroupId: groupId }
  const twin = await insertFlagType({}, here)
  await insertFlagType({ name: twin.name }, here)
  return {
    twin: twin.name,
    open: (await insertFlagType({}, here)).name,
    guarded: (await insertFlagType(guard, here)).name,
    plain: (await insertFlagType({ isRequesteeble: false }, here)).name,
    retired: (await insertFlagType({ isActive: false }, here)).name,
    several: (await insertFlagType({}, here)).name,
  }
}
