import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { buildBugBody, copyBug, postBug } from '../../../support/builders/bugs.ts'
import {
  insertCustomField,
  insertFieldValue,
  loadValueId,
  offerValueUnder,
  showFieldUnder,
} from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestProduct } from '../../../support/builders/types.ts'
import { post, put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { execute } from '../../../support/database/execute.ts'

type Field = { id: number; name: string }

let bug: number
let other: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[other = 0] = await copyBug(bug, 1)
})

describe('a mandatory custom field', () => {
  let mandatory: Field
  let home: TestProduct

  /** Visible in one product alone, so that no other test has to fill it. */
  beforeEach(async () => {
    mandatory = await insertCustomField(FIELD_TYPE.freeText)
    home = await insertProduct()
    await showFieldUnder(mandatory, 'product', [home.id])
    await execute(sql`UPDATE fields SET is_mandatory = 1, is_on_bug_entry = 1
      WHERE id = ${mandatory.id}`)
    return () => execute(sql`UPDATE fields SET is_mandatory = 0 WHERE id = ${mandatory.id}`)
  })

  test('must have a value on new bugs where it is visible', async () => {
    for (const more of [{}, { [mandatory.name]: ' ' }, { [mandatory.name]: null }]) {
      const body = buildBugBody(home, more)
      await expectRefusal(() => post(editor, '/rest/bug', body), 50, mandatory.name)
    }
    await postBug(editor, home, { [mandatory.name]: 'x' })
    await postBug(editor, place)
  })

  test('cannot be cleared where it is visible', async () => {
    const id = await postBug(editor, home, { [mandatory.name]: 'x' })
    const body = { [mandatory.name]: '' }
    await expectRefusal(() => put(editor, `/rest/bug/${id}`, body), 50, mandatory.name)
    await changeBug(editor, bug, { [mandatory.name]: 'x' })
    expect(await changeBug(editor, bug, body)).toEqual({
      [mandatory.name]: { removed: 'x', added: '' },
    })
  })

  test('is not required as long as it offers no choice', async () => {
    await execute(sql`UPDATE fields SET type = ${FIELD_TYPE.single} WHERE id = ${mandatory.id}`)
    await postBug(editor, home)
    await insertFieldValue(mandatory, 'Yes')
    await expectRefusal(() => post(editor, '/rest/bug', buildBugBody(home)), 50, mandatory.name)
  })

  test('is visible according to the values that the request gives the bug', async () => {
    const made = await insertCustomField(FIELD_TYPE.freeText)
    await showFieldUnder(made, 'bug_status', [await loadValueId('bug_status', 'RESOLVED')])
    await execute(sql`UPDATE fields SET is_mandatory = 1 WHERE id = ${made.id}`)
    await changeBug(editor, bug, { [made.name]: 'x' })
    const body = { [made.name]: '', status: 'RESOLVED', resolution: 'FIXED' }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 50, made.name)
    await changeBug(editor, bug, { [made.name]: '' })
  })
})

describe('a choice that depends on another field', () => {
  test('is legal under the value that the bug has or that the same request sets', async () => {
    const colour = await insertCustomField(FIELD_TYPE.single, { values: ['Warm', 'Cold'] })
    const shade = await insertCustomField(FIELD_TYPE.single, { values: ['Any'] })
    const warm = await insertFieldValue(shade, 'Orange')
    const [row] = await execute(sql`SELECT id FROM field_values
      WHERE field_id = ${colour.id} AND name = 'Warm'`)
    await offerValueUnder(shade, colour.name, warm, [Number(row?.id)])
    const path = `/rest/bug/${bug}`
    const orange = { [shade.name]: 'Orange' }
    await changeBug(editor, bug, { [shade.name]: 'Any' })
    await expectRefusal(() => put(editor, path, orange), 104, 'Orange')
    await changeBug(editor, bug, { [colour.name]: 'Warm', ...orange })
    await changeBug(editor, bug, { [colour.name]: 'Cold' })
    expect(await changeBug(editor, bug, orange)).toEqual({})
    await expectRefusal(() => put(editor, `/rest/bug/${other}`, orange), 104, 'Orange')
    await changeBug(editor, other, { [colour.name]: 'Warm' })
    await changeBug(editor, other, orange)
    const cold = buildBugBody(place, { [colour.name]: 'Cold', ...orange })
    await expectRefusal(() => post(editor, '/rest/bug', cold), 104, 'Orange')
    await postBug(editor, place, { [colour.name]: 'Warm', ...orange })
  })
})
