import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../src/db/schema/fields.ts'
import { buildBugBody, copyBug, postBug } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { post, put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { execute } from '../../support/database/execute.ts'

type Field = { id: number; name: string }
type Type = keyof typeof FIELD_TYPE

const CHOICES = ['Blue', 'Red', 'Sky, high']

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let field: Record<Type, Field>
let bug: number
let other: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  reporter = await insertPerson()
  place = await insertProduct()
  const made = await Promise.all(
    (Object.keys(FIELD_TYPE) as Type[]).map(async (type) => {
      const values = type === 'single' || type === 'multi' ? CHOICES : []
      return [type, await insertCustomField(FIELD_TYPE[type], { values })] as const
    }),
  )
  field = Object.fromEntries(made) as Record<Type, Field>
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  ;[other = 0] = await copyBug(bug, 1)
})

describe('a custom field refuses', () => {
  test.each<[Type, unknown, number, number]>([
    ['freeText', 'x'.repeat(256), 400, 104],
    ['freeText', { text: 'x' }, 400, 53],
    ['largeText', 'x'.repeat(65_536), 400, 104],
    ['single', 'Green', 400, 104],
    ['multi', ['Blue', 'Green'], 400, 104],
    ['datetime', 'soon', 400, 56],
    ['date', '2023-02-30', 400, 56],
    ['integer', '1.5', 400, 52],
    ['integer', 2_147_483_648, 400, 54],
    ['integer', -2_147_483_649, 400, 55],
    ['bugId', 'no-such-alias', 400, 100],
    ['bugId', 'x'.repeat(100), 400, 100],
    ['bugId', 2_000_000_000, 404, 101],
  ])('%s: %j', async (type, given, status, code) => {
    const body = { [field[type].name]: given }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), status, code)
    await expectRefusal(() => post(editor, '/rest/bug', buildBugBody(place, body)), status, code)
  })

  test('the bug itself, and a way that leads back to it', async () => {
    const { name } = field.bugId
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, { [name]: bug }), 400, 116, name)
    const [third = 0] = await copyBug(bug, 1)
    await changeBug(editor, other, { [name]: third })
    await changeBug(editor, third, { [name]: bug })
    await expectRefusal(() => put(editor, path, { [name]: other }), 400, 116, name)
    const { status } = await put(editor, path, { ids: [third], [name]: other })
    expect(status).toBe(400)
    await changeBug(editor, third, { [name]: null })
    await changeBug(editor, bug, { [name]: other })
  })

  test('all but one of those who close a circle at once', async () => {
    const { name } = field.bugId
    const ring = [bug, ...(await copyBug(bug, 5))]
    const answers = await Promise.all(
      ring.map((id, i) => put(editor, `/rest/bug/${id}`, { [name]: ring[(i + 1) % ring.length] })),
    )
    expect(answers.filter(({ body }) => body.code === 116)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(ring.length - 1)
  })

  test('choices that are switched off, unless the bug has them', async () => {
    const made = await insertCustomField(FIELD_TYPE.multi, { values: ['Gone', 'Here'] })
    await changeBug(editor, bug, { [made.name]: 'Gone' })
    await execute(sql`UPDATE field_values SET is_active = 0
      WHERE field_id = ${made.id} AND name = 'Gone'`)
    expect(await changeBug(editor, bug, { [made.name]: ['Gone', 'Here'] })).toMatchObject({
      [made.name]: { added: 'Here' },
    })
    const body = { [made.name]: 'Gone' }
    await expectRefusal(() => put(editor, `/rest/bug/${other}`, body), 400, 104, 'Gone')
  })

  test('new values while it is obsolete, but lets go of what it holds', async () => {
    const made = await insertCustomField(FIELD_TYPE.freeText)
    await changeBug(editor, bug, { [made.name]: 'old' })
    await execute(sql`UPDATE fields SET is_obsolete = 1 WHERE id = ${made.id}`)
    const body = { [made.name]: 'new' }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 400, 53, made.name)
    await expectRefusal(
      () => post(editor, '/rest/bug', buildBugBody(place, body)),
      400,
      53,
      made.name,
    )
    expect(await changeBug(editor, bug, { [made.name]: 'old' })).toEqual({})
    expect(await changeBug(editor, bug, { [made.name]: '' })).toEqual({
      [made.name]: { removed: 'old', added: '' },
    })
  })
})
