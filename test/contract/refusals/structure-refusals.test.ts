import { describe, expect, test } from 'vitest'
import { testRefusals } from '../../support/clients/refusals.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { COMMON_REFUSALS } from '../../support/tables/refusals/common.ts'
import { COMPONENT_REFUSALS } from '../../support/tables/refusals/components.ts'
import { FIELD_REFUSALS } from '../../support/tables/refusals/fields.ts'
import { FLAG_TYPE_REFUSALS } from '../../support/tables/refusals/flag-types.ts'
import { PEOPLE_REFUSALS } from '../../support/tables/refusals/people.ts'
import { PRODUCT_REFUSALS } from '../../support/tables/refusals/products.ts'
import { SAVED_SEARCH_REFUSALS } from '../../support/tables/refusals/saved-searches.ts'
import { WEBHOOK_REFUSALS } from '../../support/tables/refusals/webhooks.ts'
import { buildStructureWorld } from '../../support/worlds/structure-world.ts'

/**
 * Every number with which operations on people, groups, products, components, fields, flag types,
 * saved searches and webhooks can refuse, each by a request that gets it and writes nothing.
 */

const REFUSALS = {
  ...PEOPLE_REFUSALS,
  ...PRODUCT_REFUSALS,
  ...COMPONENT_REFUSALS,
  ...FLAG_TYPE_REFUSALS,
  ...FIELD_REFUSALS,
  ...SAVED_SEARCH_REFUSALS,
  ...WEBHOOK_REFUSALS,
  ...COMMON_REFUSALS,
}

const world = await buildStructureWorld()

describe.each(Object.entries(REFUSALS))('%s', (_, refusals) => {
  testRefusals(refusals, () => world)
})

test('Get User answers 304 for somebody whom the caller may not see', async () => {
  const init = { headers: { 'x-tracker-api-key': world.senders.outsider.key } }
  const path = `/rest/user/${world.senders.keeper.id}`
  const answer = await fetchWith({ USE_VISIBILITY_GROUPS: 'true' }, path, init)
  expect(await answer.json()).toMatchObject({ error: true, code: 304 })
})

/** The numbers that each operation documents. */
test.each([
  { operation: 'Create Product', codes: [51, 700, 701, 702, 703] },
  { operation: 'Update Product', codes: [700, 701, 702, 703, 705, 706] },
  { operation: 'Create Group', codes: [800, 801, 802, 803] },
  { operation: 'Update Group', codes: [800, 801, 802, 803] },
  { operation: 'Get Group', codes: [51, 805] },
  { operation: 'Login', codes: [50, 300, 301, 305] },
  { operation: 'Create User', codes: [502] },
  { operation: 'Update User', codes: [51, 304] },
  { operation: 'Get User', codes: [51, 52, 505, 804] },
  { operation: 'Bug fields', codes: [51] },
  { operation: 'Legal values', codes: [106, 108] },
])('$operation has requests above for all of $codes', ({ operation, codes }) => {
  const covered = (REFUSALS[operation] ?? []).map(({ code }) => code)
  expect(covered).toEqual(expect.arrayContaining(codes))
})
