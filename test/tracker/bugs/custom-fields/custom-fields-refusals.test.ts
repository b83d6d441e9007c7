import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { FIELD_TYPE, type FieldTypeName } from '../../../../src/platform/db/schema/fields.ts'
import { buildBugBody, copyBug, postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField, insertFieldOfEachType } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { post, put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { execute } from '../../../support/database/execute.ts'

let bug: number
let other: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const place = await insertProduct()
const field = await insertFieldOfEachType()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[other = 0] = await copyBug(bug, 1)
})

describe('a custom field', () => {
  test.each<{ type: FieldTypeName; value: unknown; code: number }>([
    { type: 'freeText', value: 'x'.repeat(256), code: 104 },
    { type: 'freeText', value: { text: 'x' }, code: 53 },
    { type: 'largeText', value: 'x'.repeat(65_536), code: 104 },
    { type: 'single', value: 'Green', code: 104 },
    { type: 'multi', value: ['Blue', 'Green'], code: 104 },
    { type: 'datetime', value: 'soon', code: 56 },
    { type: 'date', value: '2023-02-30', code: 56 },
    { type: 'integer', value: '1.5', code: 52 },
    { type: 'integer', value: 2_147_483_648, code: 54 },
    { type: 'integer', value: -2_147_483_649, code: 55 },
    { type: 'bugId', value: 'no-such-alias', code: 100 },
    { type: 'bugId', value: 'x'.repeat(100), code: 100 },
    { type: 'bugId', value: 2_000_000_000, code: 101 },
  ])('of the type $type rejects $value with $code', async ({ type, value, code }) => {
    const body = { [field[type].name]: value }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), code)
    await expectRefusal(() => post(editor, '/rest/bug', buildBugBody(place, body)), code)
  })

  test('rejects the bug itself and a loop of bugs with 116', async () => {
    const { name } = field.bugId
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, { [name]: bug }), 116, name)
    const [third = 0] = await copyBug(bug, 1)
    await changeBug(editor, other, { [name]: third })
    await changeBug(editor, third, { [name]: bug })
    await expectRefusal(() => put(editor, path, { [name]: other }), 116, name)
    const { status } = await put(editor, path, { ids: [third], [name]: other })
    expect(status).toBe(400)
    await changeBug(editor, third, { [name]: null })
    await changeBug(editor, bug, { [name]: other })
  })

  test('rejects all but one of the requests that close a loop at once', async () => {
    const { name } = field.bugId
    const ring = [bug, ...(await copyBug(bug, 5))]
    const answers = await Promise.all(
      ring.map((id, i) => put(editor, `/rest/bug/${id}`, { [name]: ring[(i + 1) % ring.length] })),
    )
    expect(answers.filter(({ body }) => body.code === 116)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(ring.length - 1)
  })

  test('rejects inactive choices with 104 unless the bug already has them', async () => {
    const made = await insertCustomField(FIELD_TYPE.multi, { values: ['Gone', 'Here'] })
    await changeBug(editor, bug, { [made.name]: 'Gone' })
    await execute(sql`UPDATE field_values SET is_active = 0
      WHERE field_id = ${made.id} AND name = 'Gone'`)
    expect(await changeBug(editor, bug, { [made.name]: ['Gone', 'Here'] })).toMatchObject({
      [made.name]: { added: 'Here' },
    })
    const body = { [made.name]: 'Gone' }
    await expectRefusal(() => put(editor, `/rest/bug/${other}`, body), 104, 'Gone')
  })

  test('rejects new values with 53 while it is obsolete, but may be cleared', async () => {
    const made = await insertCustomField(FIELD_TYPE.freeText)
    await changeBug(editor, bug, { [made.name]: 'old' })
    await execute(sql`UPDATE fields SET is_obsolete = 1 WHERE id = ${made.id}`)
    const body = { [made.name]: 'new' }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 53, made.name)
    await expectRefusal(() => post(editor, '/rest/bug', buildBugBody(place, body)), 53, made.name)
    expect(await changeBug(editor, bug, { [made.name]: 'old' })).toEqual({})
    expect(await changeBug(editor, bug, { [made.name]: '' })).toEqual({
      [made.name]: { removed: 'old', added: '' },
    })
  })
})
