import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertFieldValue } from '../../support/builders/fields.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, type Sender } from '../../support/client.ts'
import { readFields, readValuesOf } from '../../support/clients/fields.ts'
import { execute } from '../../support/database/execute.ts'

const ENTRY = '/rest/field/bug'

const member = await insertPerson()
const stranger = await insertPerson()
const restricted = await insertGroup([member])
const open = await insertProduct()
const hidden = await insertProduct({
  controls: [{ group: restricted, memberControl: 3, otherControl: 3 }],
})

describe('GET /field/bug', () => {
  test.each(['version', 'component', 'target_milestone'])(
    'hides every %s of products that the caller may not search',
    async (field) => {
      expect(await readValuesOf(field, hidden, member)).not.toEqual([])
      for (const outsider of [ANYONE, stranger]) {
        expect(await readValuesOf(field, hidden, outsider)).toEqual([])
        expect(await readValuesOf(field, open, outsider)).not.toEqual([])
      }
    },
  )

  test('hides a classification all of whose products are hidden, but not from those who edit it', async () => {
    const editor = await insertPerson({ roles: ['editclassifications'] })
    const restricted = await insertGroup([member])
    const place = await insertProduct({
      controls: [{ group: restricted, memberControl: 3, otherControl: 3 }],
    })
    const name = uniqueName('Secret works')
    await execute(
      sql`INSERT INTO classifications (name, name_fold, sort_key) VALUES (${name}, ${name}, 7)`,
      sql`UPDATE products SET classification_id =
        (SELECT id FROM classifications WHERE name = ${name}) WHERE id = ${place.id}`,
    )
    const listed = async (who: Sender) => (await readFields('/classification', who))[0].values
    const entry = { name, sort_key: 7, sortkey: 7, visibility_values: [] }

    expect(await listed(member)).toContainEqual(entry)
    expect(await listed(editor)).toContainEqual(entry)
    for (const outsider of [ANYONE, stranger]) {
      expect(await listed(outsider)).not.toContainEqual(entry)
      expect(JSON.stringify(await listed(outsider))).toContain('Unclassified')
    }
  })

  test('hides everything of a hidden product from the whole list', async () => {
    const [asStranger, asMember] = [await get(stranger, ENTRY), await get(member, ENTRY)]

    expect(asMember.text).toContain(hidden.name)
    expect(asStranger.text).not.toContain(hidden.name)
    expect(asStranger.text).not.toContain(hidden.component)
  })
})

describe('GET /field/bug', () => {
  test('reads nothing again for a client with the same ETag', async () => {
    const path = `${ENTRY}/status`
    const tag = (await get(ANYONE, path)).headers.get('etag') ?? ''
    const again = await get(ANYONE, path, { 'if-none-match': tag })

    expect(tag).not.toBe('')
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
    const field = { id: 10, name: 'bug_status' }
    const id = await insertFieldValue(field, uniqueName('NEW'), { sortKey: 9000 })
    expect((await get(ANYONE, path, { 'if-none-match': tag })).status).toBe(200)
    await execute(sql`DELETE FROM field_values WHERE id = ${id}`)
  })

  test('costs as many rows for one drop-down however many products there are', async () => {
    const read = async () => (await get(ANYONE, `${ENTRY}/op_sys`)).cost.read
    const before = await read()
    for (let i = 0; i < 5; i += 1) {
      await insertProduct()
    }

    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(100)
    expect(await read()).toBe(before)
  })
})
