import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { fileBug } from '../../../../src/tracker/bugs/file/file.ts'
import { fileBugInput } from '../../../../src/tracker/bugs/file/input.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, post } from '../../../support/client.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

const reporter = await insertPerson()
const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()
await execute(
  sql`INSERT INTO versions (product_id, name, name_fold, is_active)
    VALUES (${place.id}, 'old', 'old', 0)`,
  sql`INSERT INTO milestones (product_id, name, name_fold, is_active)
    VALUES (${place.id}, 'M0', 'm0', 0)`,
)

describe('POST /bug', () => {
  const expectFilingRefusal = (who: () => { key?: string }, more: object, code: number) =>
    expectRefusal(() => post(who(), '/rest/bug', buildBugBody(place, { ...more })), code)

  test('rejects anonymous callers with 410 before it checks anything else', async () => {
    await expectFilingRefusal(() => ANYONE, { colour: 1, product: '' }, 410)
  })

  test.each(['1', '{"product":"x"}'])(
    'rejects the key `__proto__` with 53, as %s',
    async (value) => {
      const more = JSON.parse(`{"__proto__":${value}}`)
      const answer = await post(reporter, '/rest/bug', { ...buildBugBody(place), ...more })
      expectFault(answer, 400, 53, "'__proto__' is not a field of a new bug.")
    },
  )

  test.each<[string, number, Record<string, unknown>]>([
    ['an unknown key before a missing product', 53, { colour: 1, product: '' }],
    ['a missing product before a missing component', 106, { product: null, component: '' }],
    ['a missing component before a missing summary', 105, { component: null, summary: '' }],
    ['an unknown component before a missing summary', 51, { component: 'x', summary: '' }],
    ['a missing summary before a missing version', 107, { summary: ' ', version: '' }],
    [
      'a summary of more than 255 characters before a missing version',
      104,
      { summary: 'x'.repeat(256), version: '' },
    ],
    ['a missing version before all others', 50, { version: null, priority: 'x' }],
    ['an unknown version before all others', 51, { version: 'x', priority: 'x' }],
    ['an inactive version', 51, { version: 'old' }],
    ['a blank milestone', 50, { target_milestone: '' }],
    ['an unknown milestone', 51, { target_milestone: 'x' }],
    ['an inactive milestone', 51, { target_milestone: 'M0' }],
    ['a blank severity', 50, { severity: ' ' }],
    ['an unknown type', 104, { type: 'wish' }],
    ['an unknown op_sys', 104, { op_sys: 'CP/M' }],
    ['an alias of digits', 103, { alias: '17' }],
    ['an address with a script', 112, { url: 'javascript:1' }],
    ['a whiteboard of more than 65,535 characters', 104, { whiteboard: 'x'.repeat(65_536) }],
    ['a description of more than 65,535 characters', 114, { description: 'x'.repeat(65_536) }],
    ['an unknown keyword', 51, { keywords: ['no-such'] }],
    ['an unknown login in CC', 504, { cc: ['nobody@example.test'] }],
    ['a private description from somebody who is no insider', 113, { comment_is_private: true }],
    ['a group that the reporter may not use', 120, { groups: ['no such'] }],
    [
      'a flag of an unknown type after everything else',
      51,
      { flags: [{ name: 'x', status: '?' }] },
    ],
  ])('rejects %s with %i', async (_, code, more) => {
    await expectFilingRefusal(() => reporter, more, code)
  })

  test.each<[string, number, Record<string, unknown>]>([
    ['an unknown assignee', 504, { assigned_to: 'nobody@example.test' }],
    ['an unknown QA contact', 504, { qa_contact: 'nobody@example.test' }],
    ['an unknown status', 51, { status: 'NEW' }],
    ['a status in which no bug starts', 123, { status: 'VERIFIED' }],
    ['a resolution on an open bug', 122, { resolution: 'FIXED' }],
    ['a closed bug without a resolution', 121, { status: 'RESOLVED' }],
    ['the resolution DUPLICATE', 119, { status: 'RESOLVED', resolution: 'DUPLICATE' }],
    ['an unknown resolution', 51, { status: 'RESOLVED', resolution: 'DONE' }],
  ])('rejects %s from an editor with %i', async (_, code, more) => {
    await expectFilingRefusal(() => editor, more, code)
  })

  test('rejects an alias that is taken, in any case, with 103', async () => {
    const alias = uniqueName('Taken')
    await postBug(reporter, place, { alias })
    await expectFilingRefusal(() => reporter, { alias: alias.toUpperCase() }, 103)
  })

  test('rejects all but one of the requests that use an alias at the same time', async () => {
    const alias = uniqueName('Contested')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(reporter, '/rest/bug', buildBugBody(place, { alias }))),
    )
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([
      ...Array(7).fill(103),
      200,
    ])
  })

  test('rejects an inactive keyword with 51', async () => {
    const name = uniqueName('key').toLowerCase()
    await execute(sql`INSERT INTO keywords (name, name_fold, description, is_active)
      VALUES (${name}, ${name}, '', 0)`)
    await expectFilingRefusal(() => reporter, { keywords: name }, 51)
  })

  test('rejects an inactive value with 104, but accepts it as the default', async () => {
    const value = uniqueName('S')
    const [row] = await execute(sql`INSERT INTO field_values (field_id, name, name_fold, is_active)
      SELECT id, ${value}, ${value.toLowerCase()}, 0 FROM fields WHERE name = 'bug_severity'
      RETURNING id`)
    await expectFilingRefusal(() => reporter, { severity: value }, 104)
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
  ])('rejects a product that is %s with 106', async (what, options) => {
    const home = await insertProduct(options)
    await execute(
      what === 'without an active component'
        ? sql`UPDATE components SET is_active = 0 WHERE product_id = ${home.id}`
        : sql`UPDATE versions SET is_active = 0 WHERE product_id = ${home.id}`,
    )
    await expectRefusal(
      () => post(editor, '/rest/bug', buildBugBody(home)),
      106,
      what === 'closed' ? 'takes no new bugs' : home.name,
    )
  })
})

describe('POST /bug decides again', () => {
  const change = {
    'the product closes': (id: number) => sql`UPDATE products SET is_active = 0,
      revision = revision + 1 WHERE id = ${id}`,
    'the component closes': (id: number) => sql`UPDATE components SET is_active = 0,
      revision = revision + 1 WHERE product_id = ${id}`,
    'the version closes': (id: number) => sql`UPDATE versions SET is_active = 0,
      revision = revision + 1 WHERE product_id = ${id}`,
  }

  test.each(Object.entries(change))(
    'and rejects the bug with 106 when %s before it is written',
    async (_, statement) => {
      const home = await insertProduct()
      const session = openInterruptedSession(2, () => execute(statement(home.id)))
      const filing = fileBug.run(
        buildCtx(reporter, [], session),
        fileBugInput.parse(buildBugBody(home)),
      )
      await expect(filing).rejects.toMatchObject({ code: 106 })
      expect(await execute(sql`SELECT id FROM bugs WHERE product_id = ${home.id}`)).toEqual([])
    },
  )

  test('and files the bug with the values that are current by then', async () => {
    const [home, heir] = [await insertProduct(), await insertPerson()]
    const session = openInterruptedSession(2, () =>
      execute(sql`UPDATE components SET default_assignee_id = ${heir.id}, revision = revision + 1
        WHERE product_id = ${home.id}`),
    )
    const { id } = await fileBug.run(
      buildCtx(reporter, [], session),
      fileBugInput.parse(buildBugBody(home)),
    )
    expect((await loadBugRow(id)).assigned_to_id).toBe(heir.id)
  })
})
