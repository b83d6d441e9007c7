import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, expectFault, post, put } from '../../../support/client.ts'
import { readBug } from '../../../support/clients/bugs.ts'
import { readFields } from '../../../support/clients/fields.ts'
import { CLASSIC, removeClassicStatuses } from '../../../support/database/preset-statuses.ts'
import { loadAuditEntries } from '../../../support/database/structure.ts'

const apply = (preset: unknown = 'classic') => put(admin, '/rest/workflow', { preset })
const move = (bug: number, body: object) => put(admin, `/rest/bug/${bug}`, body)
const readStatuses = async () => (await readFields('/status'))[0].values as { name: string }[]

const admin = await insertPerson({ roles: ['admin'] })
const place = await insertProduct()
beforeEach(removeClassicStatuses)
afterAll(removeClassicStatuses)

describe('PUT /workflow', () => {
  test('lets new bugs start as NEW, be closed, reopened and resolved', async () => {
    expectFault(await move(await postBug(admin, place), { status: 'CLOSED' }), 404, 51, 'classic')
    expect((await apply()).status).toBe(200)

    const bug = await postBug(admin, place)
    expect((await readBug(bug)).status).toBe('NEW')
    for (const body of [
      { status: 'ASSIGNED' },
      { status: 'CLOSED', resolution: 'FIXED' },
      { status: 'REOPENED' },
      { status: 'RESOLVED', resolution: 'INVALID' },
      { status: 'CLOSED' },
    ]) {
      expect((await move(bug, body)).status, JSON.stringify(body)).toBe(200)
      expect((await readBug(bug)).status).toBe(body.status)
    }
  })

  test('keeps all statuses and moves that there are, and the status of duplicates', async () => {
    const before = await readStatuses()
    await apply()
    const after = await readStatuses()
    expect(after.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...before.map(({ name }) => name), ...CLASSIC]),
    )
    for (const { name, can_change_to: moves } of before as { name: string; can_change_to: [] }[]) {
      const same = after.find((status) => status.name === name)
      expect(same).toMatchObject({ can_change_to: expect.arrayContaining(moves) })
    }
    const [original, copy] = [await postBug(admin, place), await postBug(admin, place)]
    await move(copy, { dupe_of: original })
    expect((await readBug(copy)).status).toBe('RESOLVED')
  })

  test('reports and records the change once', async () => {
    const { values } = (await apply('Classic')).body
    const fresh = values.find(
      ({ changes }: { changes: { name?: { added: string } } }) => changes.name?.added === 'NEW',
    )
    expect(fresh.changes).toMatchObject({
      name: { removed: '', added: 'NEW' },
      is_open: { removed: '', added: '1' },
      can_be_initial: { removed: '', added: '1' },
    })
    expect(await loadAuditEntries('FieldValue', fresh.id)).toEqual([
      { user_id: admin.id, action: 'create', changes: fresh.changes },
    ])
    const closed = values.filter(
      ({ changes }: { changes: { can_change_to?: { added: string } } }) =>
        changes.can_change_to?.added === 'REOPENED, CLOSED',
    )
    expect(closed).toHaveLength(2)
    expect((await apply()).body).toEqual({ values: [] })
  })

  test('is written once by several administrators at a time', async () => {
    const answers = await Promise.all([apply(), apply(), apply()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.filter(({ body }) => body.values.length > 0)).toHaveLength(1)
    expect((await readStatuses()).filter(({ name }) => name === 'NEW')).toHaveLength(1)
  })

  test('is refused without a preset, for unknown ones, and to all but administrators', async () => {
    expectFault(await put(admin, '/rest/workflow', {}), 400, 50, 'preset')
    expectFault(await apply('modern'), 400, 53, 'classic')
    expectFault(await put(ANYONE, '/rest/workflow', { preset: 'classic' }), 401, 410)
    const editor = await insertPerson({ roles: ['editcomponents', 'editbugs', 'tweakparams'] })
    expectFault(await put(editor, '/rest/workflow', { preset: 'classic' }), 401, 304)
    expect((await readStatuses()).map(({ name }) => name)).not.toContain('NEW')
  })
})

describe('a status that the workflow lacks', () => {
  test.each(['CLOSED', 'Reopened'])('%s is refused with the name of the preset', async (status) => {
    const bug = await postBug(admin, place)
    expectFault(await move(bug, { status, resolution: 'FIXED' }), 404, 51, "preset 'classic'")
    expectFault(await post(admin, '/rest/bug', buildBugBody(place, { status })), 404, 51, 'classic')
  })
})
