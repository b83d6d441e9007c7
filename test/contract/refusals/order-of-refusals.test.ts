import { describe, expect, test } from 'vitest'
import { operations } from '../../../src/app.ts'
import { notAuthorized } from '../../../src/platform/access/faults.ts'
import type { Operation } from '../../../src/platform/http/operations/operation.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, send } from '../../support/client.ts'

/** Operations whose right depends on what the parameters say, so that they are read first. */
const BY_PARAMETERS = [
  'DELETE /account/totp',
  'GET /api_key',
  'POST /api_key',
  'GET /bug/comment/tags/:query',
  'PUT /bug/comment/:comment_id/tags',
  'GET /user',
  'GET /user/:id_or_name',
  // the right belongs to one field of a search
  'GET /bug',
  'POST /saved_search',
  'PUT /saved_search/:id',
]

const nameOf = ({ method, path }: Operation) => `${method} ${path}`

/** Bodies that no operation accepts: nothing, and the wrong form of everything. */
const WRONG_BODIES = [
  {},
  Object.fromEntries(
    ['name', 'description', 'values', 'sort_key', 'inclusions', 'ids', 'names', 'sortkey'].map(
      (name) => [name, { not: 'this' }],
    ),
  ),
]

const guarded = operations.filter(({ requires }) => requires.isRight)

const outsider = await insertPerson()
const place = await insertProduct()

function pathOf({ path }: Operation): string {
  return path
    .replace(':product{.+}', ':product')
    .replace(/:product\b/, encodeURIComponent(place.name))
    .replace(/:\w+(\{[^}]*\})?/g, 'x')
}

describe('credentials come before the right, and the right before the parameters', () => {
  test.each(guarded.map((operation) => [nameOf(operation), operation] as const))(
    'of %s',
    async (_, operation) => {
      for (const body of WRONG_BODIES) {
        const sent = operation.method === 'GET' ? undefined : body
        const request = [operation.method, `/rest${pathOf(operation)}`, sent] as const
        const codes = []
        for (const sender of [ANYONE, outsider]) {
          const answer = await send(sender, ...request)
          codes.push(answer.body.code)
        }
        expect(codes).toEqual([operation.requires.login ? 410 : 304, 304])
      }
    },
  )

  test('of every operation that asks for a right', () => {
    const others = operations.filter(
      ({ faults, requires }) => faults.includes(notAuthorized) && !requires.isRight,
    )
    expect([...new Set(others.map(nameOf))].sort()).toEqual(BY_PARAMETERS.toSorted())
  })
})
