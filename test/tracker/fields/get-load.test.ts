import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  insertCustomField,
  insertFieldValue,
  offerValueUnder,
  showFieldUnder,
} from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, type Sender } from '../../support/client.ts'
import { readFields } from '../../support/clients/fields.ts'
import { execute } from '../../support/database/execute.ts'

/** Controllers of fields that not everybody sees, of each kind one visible and one hidden. */
const CONTROLLERS = ['product', 'component', 'classification'] as const

type Thing = { id: number; name: string }
type Pair = { shown: Thing; hidden: Thing }

const member = await insertPerson()
const stranger = await insertPerson()
const restricted = await insertGroup([member])
const open = await insertProduct()
const closed = await insertProduct({
  controls: [{ group: restricted, memberControl: 3, otherControl: 3 }],
})
const pairs: Record<(typeof CONTROLLERS)[number], Pair> = {
  product: { shown: open, hidden: closed },
  component: { shown: await componentOf(open), hidden: await componentOf(closed) },
  classification: {
    shown: await classificationOf(open),
    hidden: await classificationOf(closed),
  },
}

async function componentOf(place: TestProduct): Promise<Thing> {
  const [row] = await execute(sql`SELECT id FROM components WHERE product_id = ${place.id}`)
  return { id: Number(row?.id), name: place.component }
}

async function classificationOf(place: TestProduct): Promise<Thing> {
  const name = uniqueName('class')
  const [row] = await execute(
    sql`INSERT INTO classifications (name, name_fold) VALUES (${name}, ${name}) RETURNING id`,
    sql`UPDATE products SET classification_id =
      (SELECT id FROM classifications WHERE name = ${name}) WHERE id = ${place.id}`,
  )
  return { id: Number(row?.id), name }
}

describe.each(CONTROLLERS)('what hangs on a %s', (controller) => {
  test('names only values that the caller may know of', async () => {
    const { shown, hidden } = pairs[controller]
    const field = await insertCustomField(3)
    const [both, secret] = [
      await insertFieldValue(field, 'both'),
      await insertFieldValue(field, 'secret'),
    ]
    await showFieldUnder(field, controller, [shown.id, hidden.id])
    await offerValueUnder(field, controller, both, [shown.id, hidden.id])
    await offerValueUnder(field, controller, secret, [hidden.id])
    const seenBy = async (who: Sender) => {
      const [{ visibility_values, values }] = await readFields(`/${field.name}`, who)
      return {
        field: visibility_values.toSorted(),
        values: values.map((one: { name: string; visibility_values: string[] }) => [
          one.name,
          one.visibility_values.toSorted(),
        ]),
      }
    }
    const all = [shown.name, hidden.name].sort()

    expect(await seenBy(member)).toEqual({
      field: all,
      values: [
        ['both', all],
        ['secret', [hidden.name]],
      ],
    })
    for (const outsider of [ANYONE, stranger]) {
      expect(await seenBy(outsider)).toEqual({
        field: [shown.name],
        values: [['both', [shown.name]]],
      })
    }
  })
})
