import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, post } from '../../../support/client.ts'
import { readWholeBug } from '../../../support/clients/bugs.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildFilingWorld } from '../../../support/worlds/filing.ts'

const { place, owner, reporter, editor, insider, member, team } = await buildFilingWorld()

async function keyword(): Promise<string> {
  const name = uniqueName('Key')
  await execute(sql`INSERT INTO keywords (name, name_fold, description)
    VALUES (${name}, ${name.toLowerCase()}, '')`)
  return name
}

describe('POST /bug', () => {
  test('reads everything that it needs in one batch, and nothing that the request does not name', async () => {
    await postBug(reporter, place)
    const plain = await post(reporter, '/rest/bug', buildBugBody(place))
    const full = await post(
      reporter,
      '/rest/bug',
      buildBugBody(place, {
        cc: [owner.login],
        keywords: [await keyword()],
        alias: uniqueName('alias'),
      }),
    )
    expect(full.cost.statements - plain.cost.statements, 'three reads, two writes').toBe(5)
    // caller, look-up; bug, notice with the guard in it, activity, comment
    expect(plain.cost).toMatchObject({ trips: 2, statements: 6 })
  })

  test('returns the ID of a bug that has the default values', async () => {
    const answer = await post(reporter, '/rest/bug', {
      product: place.name.toUpperCase(),
      component: ` ${place.component.toLowerCase()} `,
      version: 'UNSPECIFIED',
      summary: '  Two\nlines  ',
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ id: expect.any(Number) })
    expect(await readWholeBug(ANYONE, answer.body.id)).toMatchObject({
      id: answer.body.id,
      product: place.name,
      component: place.component,
      version: 'unspecified',
      target_milestone: '---',
      summary: 'Two lines',
      status: 'UNCONFIRMED',
      resolution: '',
      is_confirmed: false,
      type: 'defect',
      priority: '--',
      severity: '--',
      platform: 'Unspecified',
      op_sys: 'Unspecified',
      alias: null,
      assigned_to: owner.login,
      creator: reporter.login,
      qa_contact: '',
      cc: [],
      groups: [],
      keywords: [],
      url: '',
      whiteboard: '',
      is_cc_accessible: true,
      is_creator_accessible: true,
      filed_via: 'api',
      description: '',
      comment_count: 1,
    })
  })

  test('stores everything that the request names in its canonical spelling', async () => {
    const alias = uniqueName('Alias')
    const [one, two] = [await keyword(), await keyword()]
    const id = await postBug(editor, place, {
      summary: 'x'.repeat(255),
      description: '  indented\r\nsecond\rthird \n\n',
      type: 'TASK',
      priority: 'p1',
      severity: 's2',
      rep_platform: 'arm',
      op_sys: 'linux',
      version: '1.0',
      target_milestone: 'm1',
      alias: ` ${alias} `,
      assigned_to: reporter.login.toUpperCase(),
      qa_contact: insider.login,
      cc: `${reporter.login}, ${owner.login}`,
      keywords: [`${two.toLowerCase()},${one}`, one],
      url: ' https://a.test/ ',
      whiteboard: '[a]',
      is_cc_accessible: false,
      is_creator_accessible: 'false',
      status: 'in_progress',
      filed_via: 'custom_form',
    })
    expect(await readWholeBug(editor, id)).toMatchObject({
      type: 'task',
      priority: 'P1',
      severity: 'S2',
      platform: 'ARM',
      op_sys: 'Linux',
      version: '1.0',
      target_milestone: 'M1',
      alias,
      assigned_to: reporter.login,
      qa_contact: insider.login,
      cc: [owner.login, reporter.login].sort(),
      keywords: [one, two].sort(),
      url: 'https://a.test/',
      whiteboard: '[a]',
      is_cc_accessible: false,
      is_creator_accessible: false,
      status: 'IN_PROGRESS',
      is_confirmed: true,
      filed_via: 'custom_form',
      description: '  indented\nsecond\nthird',
    })
  })

  test('writes one comment, one notice and no history, all with the same time', async () => {
    const id = await postBug(reporter, place, { comment: 'Under its other name.' })
    const stored = await loadBugRow(id)
    expect(stored.created_at).toBe(stored.changed_at)
    const notices = await loadRowsOfBug('notices', id)
    expect(notices).toMatchObject([
      { kind: 'created', author_id: reporter.id, is_minor: 0, happened_at: stored.created_at },
    ])
    expect(await loadRowsOfBug('comments', id)).toMatchObject([
      {
        number: 0,
        body: 'Under its other name.',
        author_id: reporter.id,
        is_private: 0,
        is_markdown: 1,
        created_at: stored.created_at,
        notice_id: notices[0]?.id,
      },
    ])
    expect(await loadRowsOfBug('history', id)).toEqual([])
    const [activity] = await execute(
      sql`SELECT last_activity_at FROM users WHERE id = ${reporter.id}`,
    )
    expect(activity?.last_activity_at).toBe(stored.created_at)
  })

  test('takes two round trips, and reads no more rows when there are more bugs', async () => {
    const cost = async () =>
      (await post(reporter, '/rest/bug', buildBugBody(place, { alias: uniqueName('alias') }))).cost
    const before = await cost()
    expect(before.trips).toBe(2)
    await Promise.all(Array.from({ length: 60 }, () => postBug(reporter, place)))
    expect((await cost()).read).toBe(before.read)
  })

  test('accepts a description of 65,535 characters, however many bytes they have', async () => {
    const description = '😀'.repeat(65_535)
    const id = await postBug(reporter, place, { description: `${description} \r\n` })
    expect((await loadRowsOfBug('comments', id))[0]?.body).toBe(description)
  })

  test('prefers the defaults of component and product to those of the tracker', async () => {
    const home = await insertProduct({ assignee: owner })
    const setup = (type: string) => sql`(SELECT v.id FROM field_values v
      JOIN fields f ON f.id = v.field_id WHERE f.name = 'bug_type' AND v.name = ${type})`
    await execute(
      sql`UPDATE products SET default_type_id = ${setup('task')} WHERE id = ${home.id}`,
      sql`UPDATE components SET default_qa_contact_id = ${insider.id} WHERE product_id = ${home.id}`,
      sql`INSERT INTO component_cc (component_id, user_id)
        SELECT id, ${member.id} FROM components WHERE product_id = ${home.id}`,
    )
    const first = await postBug(reporter, home, { type: ' ' })
    expect(await readWholeBug(ANYONE, first)).toMatchObject({
      type: 'task',
      qa_contact: insider.login,
      cc: [member.login],
    })
    await execute(sql`UPDATE components SET default_type_id = ${setup('enhancement')}
      WHERE product_id = ${home.id}`)
    const second = await postBug(reporter, home, { cc: [member.login, reporter.login] })
    expect(await readWholeBug(ANYONE, second)).toMatchObject({
      type: 'enhancement',
      cc: [member.login, reporter.login].sort(),
    })
  })

  test('uses the template of the component as the description when the request has none', async () => {
    const home = await insertProduct()
    await execute(sql`UPDATE components SET bug_description_template = 'Steps:'
      WHERE product_id = ${home.id}`)
    const described = async (more: object) =>
      (await readWholeBug(reporter, await postBug(reporter, home, { ...more }))).description
    expect(await described({})).toBe('Steps:')
    expect(await described({ description: null })).toBe('Steps:')
    expect(await described({ description: '' })).toBe('')
    expect(await described({ comment: 'Given.' })).toBe('Given.')
    expect(await described({ description: 'Given.', comment: 'Not used.' })).toBe('Given.')
  })

  test('ignores fields that the caller may not set and uses the defaults', async () => {
    const id = await postBug(reporter, place, {
      assigned_to: 'nobody@example.test',
      qa_contact: 'nobody@example.test',
      status: 'NONSENSE',
      resolution: 'NONSENSE',
    })
    expect(await readWholeBug(ANYONE, id)).toMatchObject({
      assigned_to: owner.login,
      qa_contact: '',
      status: 'UNCONFIRMED',
      resolution: '',
    })
  })

  test('uses the default people of the component when the request names none, for editors as well', async () => {
    const id = await postBug(editor, place, { assigned_to: '', qa_contact: ' ' })
    expect(await readWholeBug(ANYONE, id)).toMatchObject({
      assigned_to: owner.login,
      qa_contact: '',
    })
  })

  test('grants the rights that a group has in that product alone', async () => {
    const home = await insertProduct({
      assignee: owner,
      controls: [{ group: team, editBugs: true, canConfirm: true }],
    })
    const id = await postBug(member, home, { assigned_to: reporter.login })
    expect(await readWholeBug(ANYONE, id)).toMatchObject({
      assigned_to: reporter.login,
      status: 'CONFIRMED',
    })
    const elsewhere = await postBug(member, place, { assigned_to: reporter.login })
    expect(await readWholeBug(ANYONE, elsewhere)).toMatchObject({
      assigned_to: owner.login,
      status: 'UNCONFIRMED',
    })
  })

  test('files a bug that is closed from the start', async () => {
    const id = await postBug(editor, place, { status: 'RESOLVED', resolution: 'wontfix' })
    expect(await readWholeBug(ANYONE, id)).toMatchObject({
      status: 'RESOLVED',
      resolution: 'WONTFIX',
      is_open: false,
      is_confirmed: true,
    })
  })

  test('stores an unknown origin as unknown', async () => {
    const id = await postBug(reporter, place, { filed_via: 'carrier pigeon' })
    expect(await readWholeBug(ANYONE, id)).toMatchObject({ filed_via: 'unknown' })
  })

  test('files many bugs at once, each with its own rows', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        postBug(reporter, place, { description: `Bug ${i}`, cc: [owner.login] }),
      ),
    )
    expect(new Set(ids).size).toBe(20)
    const bodies = await Promise.all(ids.map((id) => loadRowsOfBug('comments', id)))
    expect(bodies.map(([first]) => first?.body)).toEqual(ids.map((_, i) => `Bug ${i}`))
    const cc = await Promise.all(ids.map((id) => loadRowsOfBug('bug_cc', id)))
    expect(cc.every((rows) => rows.length === 1)).toBe(true)
  })
})
