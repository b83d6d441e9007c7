import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { fileBug } from '../../../src/bugs/file/file.ts'
import { fileBugInput } from '../../../src/bugs/file/input.ts'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, post } from '../../support/client.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

let place: TestProduct
let reporter: TestPerson
let editor: TestPerson

beforeAll(async () => {
  reporter = await insertPerson()
  editor = await insertPerson({ roles: ['editbugs'] })
  place = await insertProduct()
  await execute(
    sql`INSERT INTO versions (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'old', 'old', 0)`,
    sql`INSERT INTO milestones (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'M0', 'm0', 0)`,
  )
})

describe('filing refuses', () => {
  const refused = (who: () => { key?: string }, more: object, ...expected: [number, number]) =>
    expectRefusal(() => post(who(), '/rest/bug', buildBugBody(place, { ...more })), ...expected)

  test('nobody, before anything else', async () => {
    await refused(() => ANYONE, { colour: 1, product: '' }, 401, 410)
  })

  test.each<[string, Record<string, unknown>, number, number]>([
    ['an unknown key before a missing product', { colour: 1, product: '' }, 400, 53],
    ['a missing product before a missing component', { product: null, component: '' }, 401, 106],
    ['a missing component before a missing summary', { component: null, summary: '' }, 400, 105],
    ['an unknown component before a missing summary', { component: 'x', summary: '' }, 404, 51],
    ['a missing summary before a missing version', { summary: ' ', version: '' }, 400, 107],
    [
      'a long summary before a missing version',
      { summary: 'x'.repeat(256), version: '' },
      400,
      104,
    ],
    ['a missing version before all others', { version: null, priority: 'x' }, 400, 50],
    ['an unknown version before all others', { version: 'x', priority: 'x' }, 404, 51],
    ['an inactive version', { version: 'old' }, 404, 51],
    ['a blank milestone', { target_milestone: '' }, 400, 50],
    ['an unknown milestone', { target_milestone: 'x' }, 404, 51],
    ['an inactive milestone', { target_milestone: 'M0' }, 404, 51],
    ['a blank severity', { severity: ' ' }, 400, 50],
    ['an unknown type', { type: 'wish' }, 400, 104],
    ['an unknown op_sys', { op_sys: 'CP/M' }, 400, 104],
    ['an alias of digits', { alias: '17' }, 400, 103],
    ['an address that runs', { url: 'javascript:1' }, 400, 112],
    ['an endless whiteboard', { whiteboard: 'x'.repeat(65_536) }, 400, 104],
    ['an endless description', { description: 'x'.repeat(65_536) }, 400, 114],
    ['an unknown keyword', { keywords: ['no-such'] }, 404, 51],
    ['an unknown CC', { cc: ['nobody@example.test'] }, 401, 504],
    ['privacy for outsiders', { comment_is_private: true }, 401, 113],
    ['a group for outsiders', { groups: ['no such'] }, 401, 120],
    [
      'a flag that is none, after everything else',
      { flags: [{ name: 'x', status: '?' }] },
      404,
      51,
    ],
  ])('%s', async (_, more, status, code) => {
    await refused(() => reporter, more, status, code)
  })

  test.each<[string, Record<string, unknown>, number, number]>([
    ['an unknown assignee', { assigned_to: 'nobody@example.test' }, 401, 504],
    ['an unknown QA contact', { qa_contact: 'nobody@example.test' }, 401, 504],
    ['an unknown status', { status: 'NEW' }, 404, 51],
    ['a status that is no start', { status: 'VERIFIED' }, 400, 123],
    ['a resolution on an open bug', { resolution: 'FIXED' }, 400, 122],
    ['a closed bug without a resolution', { status: 'RESOLVED' }, 400, 121],
    ['a duplicate of nothing', { status: 'RESOLVED', resolution: 'DUPLICATE' }, 400, 119],
    ['an unknown resolution', { status: 'RESOLVED', resolution: 'DONE' }, 404, 51],
  ])('an editor with %s', async (_, more, status, code) => {
    await refused(() => editor, more, status, code)
  })

  test('an alias that is taken, in any spelling', async () => {
    const alias = uniqueName('Taken')
    await postBug(reporter, place, { alias })
    await refused(() => reporter, { alias: alias.toUpperCase() }, 400, 103)
  })

  test('all but one of those who want an alias at the same moment', async () => {
    const alias = uniqueName('Wanted')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(reporter, '/rest/bug', buildBugBody(place, { alias }))),
    )
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([
      ...Array(7).fill(103),
      200,
    ])
  })

  test('an inactive keyword', async () => {
    const name = uniqueName('key').toLowerCase()
    await execute(sql`INSERT INTO keywords (name, name_fold, description, is_active)
      VALUES (${name}, ${name}, '', 0)`)
    await refused(() => reporter, { keywords: name }, 404, 51)
  })

  test('a value that has been switched off, but not as the default', async () => {
    const value = uniqueName('S')
    const [row] = await execute(sql`INSERT INTO field_values (field_id, name, name_fold, is_active)
      SELECT id, ${value}, ${value.toLowerCase()}, 0 FROM fields WHERE name = 'bug_severity'
      RETURNING id`)
    await refused(() => reporter, { severity: value }, 400, 104)
    const home = await insertProduct()
    await execute(
      sql`UPDATE components SET default_type_id = ${row?.id} WHERE product_id = ${home.id}`,
    )
    expect((await loadBugRow(await postBug(reporter, home))).type_id).toBe(row?.id)
  })

  test.each<[string, object]>([
    ['closed', { isActive: false }],
    ['without an active component', {}],
    ['without an active version', {}],
  ])('a product that is %s', async (what, options) => {
    const home = await insertProduct(options)
    await execute(
      what === 'without an active component'
        ? sql`UPDATE components SET is_active = 0 WHERE product_id = ${home.id}`
        : sql`UPDATE versions SET is_active = 0 WHERE product_id = ${home.id}`,
    )
    await expectRefusal(
      () => post(editor, '/rest/bug', buildBugBody(home)),
      401,
      106,
      what === 'closed' ? 'takes no new bugs' : home.name,
    )
  })
})

describe('filing decides again', () => {
  const change = {
    'the product closes': (id: number) => sql`UPDATE products SET is_active = 0,
      revision = revision + 1 WHERE id = ${id}`,
    'the component closes': (id: number) => sql`UPDATE components SET is_active = 0,
      revision = revision + 1 WHERE product_id = ${id}`,
    'the version closes': (id: number) => sql`UPDATE versions SET is_active = 0,
      revision = revision + 1 WHERE product_id = ${id}`,
  }

  test.each(Object.entries(change))('when %s before the bug is written', async (_, statement) => {
    const home = await insertProduct()
    const session = openInterruptedSession(2, () => execute(statement(home.id)))
    const filing = fileBug(buildCtx(reporter, [], session), fileBugInput.parse(buildBugBody(home)))
    await expect(filing).rejects.toMatchObject({ code: 106 })
    expect(await execute(sql`SELECT id FROM bugs WHERE product_id = ${home.id}`)).toEqual([])
  })

  test('on what stands then, where it may still be filed', async () => {
    const [home, heir] = [await insertProduct(), await insertPerson()]
    const session = openInterruptedSession(2, () =>
      execute(sql`UPDATE components SET default_assignee_id = ${heir.id}, revision = revision + 1
        WHERE product_id = ${home.id}`),
    )
    const { id } = await fileBug(
      buildCtx(reporter, [], session),
      fileBugInput.parse(buildBugBody(home)),
    )
    expect((await loadBugRow(id)).assigned_to_id).toBe(heir.id)
  })
})
