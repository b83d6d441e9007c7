import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const place = await insertProduct()
const [row] = await execute(sql`SELECT id FROM components WHERE product_id = ${place.id}`)
const firstId = Number(row?.id)
const second = uniqueName('second')
const [other] = await execute(sql`INSERT INTO components (product_id, name, name_fold, description,
    default_assignee_id)
  SELECT product_id, ${second}, ${second}, '', default_assignee_id FROM components
  WHERE id = ${firstId} RETURNING id`)
const secondId = Number(other?.id)
const granters = await insertGroup()
const granter = await insertPerson({ groups: [granters] })
const stranger = await insertPerson()
const here = { productId: place.id }
const open = await insertFlagType({ sortKey: 4, isActive: false, isRequestable: false }, [here])
const grantGroupId = granters.id
const guarded = await insertFlagType({ sortKey: 3, grantGroupId }, [here])
const narrow = await insertFlagType({ sortKey: 2, target: 'attachment' }, [
  { ...here, componentId: secondId },
])
const wide = await insertFlagType({ sortKey: 1 }, [
  here,
  { ...here, componentId: firstId, isExclusion: true },
])
await insertFlagType({}, [here, { ...here, isExclusion: true }])

async function readFlagTypes(who: Sender, path = '', query = '') {
  const answer = await get(who, `/rest/flag_type/${encodeURIComponent(place.name)}${path}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const ids = (types: { id: number }[]) => types.map(({ id }) => id)

describe('GET /flag_type', () => {
  test('lists types of bugs and of attachments, in order, with their inclusions and exclusions', async () => {
    const { bug, attachment } = await readFlagTypes(stranger)
    expect(ids(bug)).toEqual([wide.id, guarded.id, open.id])
    expect(bug[0]).toEqual({
      id: wide.id,
      name: wide.name,
      description: `What ${wide.name} is for`,
      type: 'bug',
      values: ['X', '?', '+', '-'],
      is_active: true,
      is_requesteeble: true,
      is_multiplicable: true,
      exclusions: [place.component],
    })
    expect(attachment).toMatchObject([{ id: narrow.id, type: 'attachment', inclusions: [second] }])
  })

  test('lists the types of one component', async () => {
    const first = await readFlagTypes(stranger, `/${place.component.toUpperCase()}`)
    expect([ids(first.bug), ids(first.attachment)]).toEqual([[guarded.id, open.id], []])
    const other = await readFlagTypes(stranger, `/${second}`)
    expect([ids(other.bug), ids(other.attachment)]).toEqual([
      [wide.id, guarded.id, open.id],
      [narrow.id],
    ])
  })

  test('shows the statuses that the caller may set', async () => {
    const values = async (who: Sender) =>
      (await readFlagTypes(who)).bug.map((type: { values: string[] }) => type.values.join(''))
    expect(await values(granter)).toEqual(['X?+-', 'X?+-', 'X+-'])
    expect(await values(stranger)).toEqual(['X?+-', 'X?', 'X+-'])
    expect(await values(ANYONE)).toEqual(['X', 'X', 'X'])
  })

  test('lists the types of a product by its ID', async () => {
    const answer = await get(stranger, `/rest/flag_type/${place.id}`)
    expect(answer.body).toEqual(await readFlagTypes(stranger))
  })

  test('works at both paths, and selects fields', async () => {
    const path = `/rest/flag_types/${place.name}/${second}`
    expect((await get(stranger, path)).body).toEqual(await readFlagTypes(stranger, `/${second}`))
    expect(Object.keys(await readFlagTypes(stranger, '', '?include_fields=attachment'))).toEqual([
      'attachment',
    ])
  })
})

describe('GET /flag_type', () => {
  test('rejects an unknown product and an unknown component', async () => {
    expectFault(await get(granter, '/rest/flag_type/Nowhere'), 401, 106, 'Nowhere')
    expectFault(await get(granter, `/rest/flag_type/${place.name}/Nothing`), 404, 51, 'Nothing')
  })

  test('rejects a product that the caller may not know of, like an unknown one', async () => {
    const control = { group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }
    const hidden = await insertProduct({ controls: [control] })
    for (const path of ['', `/${hidden.component}`, '/Nothing']) {
      expectFault(await get(granter, `/rest/flag_type/${hidden.name}${path}`), 401, 106)
    }
  })
})
