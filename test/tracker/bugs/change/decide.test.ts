import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { execute } from '../../../support/database/execute.ts'

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let contact: TestPerson

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  reporter = await insertPerson()
  contact = await insertPerson()
  place = await insertProduct()
  await execute(
    sql`UPDATE components SET default_qa_contact_id = ${contact.id} WHERE product_id = ${place.id}`,
    sql`INSERT INTO versions (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'old', 'old', 0)`,
    sql`INSERT INTO milestones (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'M1', 'm1', 1), (${place.id}, 'M0', 'm0', 0)`,
  )
})

const fileBug = (more: object = {}) => postBug(reporter, place, { ...more })

/** An open and a closed bug, neither of which any case below changes. */
let open: number
let closed: number

beforeAll(async () => {
  open = await fileBug()
  closed = await postBug(editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
})

describe('PUT /bug with a wrong value', () => {
  test.each<[string, number, Record<string, unknown>, string?]>([
    ['a blank summary', 107, { summary: ' ' }],
    ['a null summary', 107, { summary: null }],
    ['a summary of more than 255 characters', 104, { summary: 'x'.repeat(256) }, 'summary'],
    ['an alias of digits', 103, { alias: '12' }, '12'],
    ['an alias of more than 40 characters', 103, { alias: 'x'.repeat(41) }, 'longer'],
    ['an address with a script', 112, { url: 'JAVASCRIPT:1' }, 'url'],
    [
      'a whiteboard of more than 65,535 characters',
      104,
      { whiteboard: 'x'.repeat(65_536) },
      'whiteboard',
    ],
    ['a blank priority', 50, { priority: '' }, 'priority'],
    ['a null severity', 50, { severity: null }, 'severity'],
    ['an unknown type', 104, { type: 'wish' }, 'wish'],
    ['an unknown platform', 104, { platform: 'Abacus' }, 'Abacus'],
    ['an unknown op_sys', 104, { op_sys: 'CP/M' }, 'CP/M'],
    ['a blank version', 50, { version: ' ' }, 'version'],
    ['a null version', 50, { version: null }, 'version'],
    ['an unknown version', 51, { version: 'x' }, 'version'],
    ['an inactive version', 51, { version: 'old' }, 'not active'],
    ['a blank milestone', 50, { target_milestone: '' }, 'target_milestone'],
    ['an unknown milestone', 51, { target_milestone: 'x' }, 'milestone'],
    ['an inactive milestone', 51, { target_milestone: 'M0' }, 'not active'],
    ['a blank assignee', 50, { assigned_to: ' ' }, 'assigned_to'],
    ['an unknown assignee', 504, { assigned_to: 'nobody@x.test' }, 'nobody@x.test'],
    ['an unknown QA contact', 504, { qa_contact: 'nobody@x.test' }, 'nobody@x.test'],
    ['a blank status', 50, { status: '' }, 'status'],
    ['an unknown status', 51, { status: 'CLOSED' }, 'CLOSED'],
    ['a status out of reach', 123, { status: 'VERIFIED' }, 'VERIFIED'],
    ['a closed status without a resolution', 121, { status: 'RESOLVED' }, 'RESOLVED'],
    ['a resolution on an open bug', 122, { resolution: 'FIXED' }, 'FIXED'],
    ['an unknown resolution', 51, { resolution: 'DONE' }, 'DONE'],
    [
      'the resolution DUPLICATE without dupe_of',
      119,
      { status: 'RESOLVED', resolution: 'DUPLICATE' },
      'dupe_of',
    ],
  ])('rejects %s with %i', async (_, code, body, naming) => {
    await expectRefusal(
      () => put(editor, `/rest/bug/${open}`, { comment: 'Not this.', ...body }),
      code,
      naming,
    )
  })

  test('rejects the alias of another bug in any case with 103', async () => {
    const alias = uniqueName('Alias')
    const holder = await fileBug({ alias })
    const take = () => put(editor, `/rest/bug/${open}`, { alias: alias.toUpperCase() })
    await expectRefusal(take, 103, `bug ${holder}`)
    await restrictBug(holder, await insertGroup())
    await expectRefusal(take, 103, 'another bug')
  })

  test('rejects one alias for several bugs with 103', async () => {
    const alias = uniqueName('Alias')
    const path = `/rest/bug/${open}`
    await expectRefusal(() => put(editor, path, { ids: [closed], alias }), 103, alias)
    expect((await put(editor, path, { ids: [closed, open], alias: ' ' })).status).toBe(200)
  })

  test('rejects an inactive value with 104 unless the bug already has it', async () => {
    const value = uniqueName('S')
    const [row] = await execute(sql`INSERT INTO field_values (field_id, name, name_fold, is_active)
      SELECT id, ${value}, ${value.toLowerCase()}, 0 FROM fields WHERE name = 'bug_severity'
      RETURNING id`)
    const bug = await fileBug()
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(editor, path, { severity: value }), 104, value)
    await execute(sql`UPDATE bugs SET severity_id = ${row?.id}, version_id =
      (SELECT id FROM versions WHERE product_id = ${place.id} AND name = 'old') WHERE id = ${bug}`)
    expect(await changeBug(editor, bug, { severity: value, version: 'OLD' })).toEqual({})
  })
})

describe('PUT /bug with a legal value', () => {
  test.each<[string, { body: Record<string, unknown>; expected: Record<string, unknown> }]>([
    [
      'another case of the summary',
      { body: { summary: 'CRASH' }, expected: { summary: { removed: 'Crash', added: 'CRASH' } } },
    ],
    [
      'a null address',
      { body: { url: null }, expected: { url: { removed: 'https://a.test', added: '' } } },
    ],
    [
      'an address that is a lone scheme',
      { body: { url: 'http://' }, expected: { url: { removed: 'https://a.test', added: '' } } },
    ],
    [
      'names in any case',
      {
        body: { target_milestone: ' m1 ', type: 'TASK' },
        expected: {
          target_milestone: { removed: '---', added: 'M1' },
          type: { removed: 'defect', added: 'task' },
        },
      },
    ],
    [
      'a boolean in digits',
      {
        body: { is_creator_accessible: '0' },
        expected: { is_creator_accessible: { removed: '1', added: '0' } },
      },
    ],
    [
      'values that the bug already has',
      { body: { summary: ' Crash ', url: ' https://a.test', type: 'DEFECT' }, expected: {} },
    ],
  ])('accepts %s', async (_, { body, expected }) => {
    const bug = await fileBug({ summary: 'Crash', url: 'https://a.test' })
    expect(await changeBug(editor, bug, body)).toEqual(expected)
  })

  test('changes the alias by edits of a list, which hold one at most', async () => {
    const [first, second] = [uniqueName('alias'), uniqueName('alias')]
    const bug = await fileBug()
    expect(await changeBug(editor, bug, { alias: { add: [first] } })).toEqual({
      alias: { removed: '', added: first },
    })
    const addSecond = () => put(editor, `/rest/bug/${bug}`, { alias: { add: [second] } })
    await expectRefusal(addSecond, 103, first)
    expect(await changeBug(editor, bug, { alias: { add: [second], remove: [first] } })).toEqual({
      alias: { removed: first, added: second },
    })
    const other = await fileBug({ alias: first })
    const replace = { alias: { add: [second], remove: [first] } }
    await expectRefusal(() => put(editor, `/rest/bug/${other}`, replace), 103, second)
    expect(await changeBug(editor, bug, { alias: { remove: [first] } })).toEqual({})
    expect(await changeBug(editor, bug, { alias: { remove: [second] } })).toEqual({
      alias: { removed: second, added: '' },
    })
  })

  test('accepts another case of the alias, and frees an alias that is removed', async () => {
    const [alias, ALIAS] = [uniqueName('alias')].flatMap((name) => [name, name.toUpperCase()])
    const bug = await fileBug({ alias })
    expect(await changeBug(editor, bug, { alias: [ALIAS] })).toEqual({
      alias: { removed: alias, added: ALIAS },
    })
    const { body } = await put(editor, `/rest/bug/${alias}`, { alias: '' })
    expect(body.bugs).toMatchObject([
      { id: bug, alias: null, changes: { alias: { removed: ALIAS, added: '' } } },
    ])
    await fileBug({ alias })
  })

  test('accepts null for no QA contact', async () => {
    expect(await changeBug(editor, await fileBug(), { qa_contact: null })).toEqual({
      qa_contact: { removed: contact.login, added: '' },
    })
  })

  test('accepts an unsafe address that the bug already has', async () => {
    const bug = await fileBug()
    await execute(sql`UPDATE bugs SET url = 'javascript:1' WHERE id = ${bug}`)
    expect(await changeBug(editor, bug, { url: 'javascript:1' })).toEqual({})
  })
})
