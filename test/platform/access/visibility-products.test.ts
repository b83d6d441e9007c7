import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller, SYSTEM } from '../../../src/platform/access/caller.ts'
import {
  editableProductCondition,
  enterableProductCondition,
  selectableProductCondition,
} from '../../../src/platform/access/visibility.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { execute } from '../../support/database/execute.ts'

describe('products', () => {
  const CONDITIONS = {
    selectableProductCondition,
    enterableProductCondition,
    editableProductCondition,
  }

  async function evaluateFor(place: TestProduct, callers: Caller[], name: keyof typeof CONDITIONS) {
    const answers = callers.map(
      async (caller) =>
        (
          await execute(sql`SELECT 1 AS yes FROM products
            WHERE products.id = ${place.id} AND ${CONDITIONS[name](caller)}`)
        ).length === 1,
    )
    return Promise.all(answers)
  }

  async function insertPeople(): Promise<{
    member: TestPerson
    callers: Caller[]
    secret: { id: number; name: string }
  }> {
    const member = await insertPerson()
    const secret = await insertGroup([member])
    return {
      member,
      secret,
      callers: [ANONYMOUS, buildCaller(await insertPerson()), buildCaller(member), SYSTEM],
    }
  }

  test('without controls may be searched and edited, and take bugs, from everybody', async () => {
    const { callers } = await insertPeople()
    const place = await insertProduct()

    for (const name of [
      'selectableProductCondition',
      'enterableProductCondition',
      'editableProductCondition',
    ] as const) {
      expect(await evaluateFor(place, callers, name), name).toEqual([true, true, true, true])
    }
  })

  test.each([
    ['selectableProductCondition', { memberControl: 3, otherControl: 3 }],
    ['enterableProductCondition', { entry: true }],
    ['editableProductCondition', { canEdit: true }],
  ] as const)(
    'with a control of %s are restricted to members of its group',
    async (name, control) => {
      const { callers, secret } = await insertPeople()
      const place = await insertProduct({ controls: [{ group: secret, ...control }] })

      expect(await evaluateFor(place, callers, name)).toEqual([false, false, true, true])
      for (const other of [
        'selectableProductCondition',
        'enterableProductCondition',
        'editableProductCondition',
      ] as const) {
        if (other !== name) {
          expect(await evaluateFor(place, callers, other), other).toEqual([true, true, true, true])
        }
      }
    },
  )

  test('take no bugs when they are closed or lack an active component or version', async () => {
    const { callers } = await insertPeople()
    const closed = await insertProduct({ isActive: false })
    const [bare, old] = [await insertProduct(), await insertProduct()]
    await execute(sql`UPDATE components SET is_active = 0 WHERE product_id = ${bare.id}`)
    await execute(sql`UPDATE versions SET is_active = 0 WHERE product_id = ${old.id}`)

    for (const place of [closed, bare, old]) {
      expect(await evaluateFor(place, callers, 'enterableProductCondition')).toEqual([
        false,
        false,
        false,
        false,
      ])
      expect(await evaluateFor(place, callers, 'selectableProductCondition')).toEqual([
        true,
        true,
        true,
        true,
      ])
    }
  })
})
