import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { countRows, executeBatch } from '../../support/database/execute.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const NOTHING = {
  entry: false,
  membercontrol: 'NA',
  othercontrol: 'NA',
  canedit: false,
  editcomponents: false,
  editbugs: false,
  canconfirm: false,
}
const CONTROLS = ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY']
const ILLEGAL = ['NA SHOWN', 'NA DEFAULT', 'NA MANDATORY', 'DEFAULT SHOWN']
ILLEGAL.push('MANDATORY NA', 'MANDATORY SHOWN', 'MANDATORY DEFAULT')

let place: TestProduct
let path: string

const editor = await insertPerson({ roles: ['editcomponents'] })
const member = await insertPerson()
const stranger = await insertPerson()
const own = await insertGroup([member, editor])

async function insertPlace() {
  place = await insertProduct()
  path = `/rest/product/${place.id}/group_control`
}

const set = (body: object) => put(editor, `${path}/${own.name}`, body)

async function isListed(who: TestPerson, list: string): Promise<boolean> {
  return (await get(who, `/rest/product_${list}`)).body.ids.includes(place.id)
}

describe('/product/:product/group_control', () => {
  test('shows a control until nothing is left of it', async () => {
    await insertPlace()
    expect((await get(editor, path)).body).toEqual({ group_controls: [] })
    const control = { ...NOTHING, group: own.name, entry: true, membercontrol: 'SHOWN' }
    const answer = await set({ entry: true, membercontrol: 'shown' })
    expect(answer.body).toEqual(control)
    expect((await get(editor, path)).body).toEqual({ group_controls: [control] })
    expect((await set({ canedit: true })).body).toEqual({ ...control, canedit: true })
    expect((await set(NOTHING)).body).toEqual({ group: own.name, ...NOTHING })
    expect((await get(editor, path)).body).toEqual({ group_controls: [] })
    expect(await countRows('group_controls', sql`product_id = ${place.id}`)).toBe(0)
  })

  test('answers the items that are asked for', async () => {
    await insertPlace()
    await set({ entry: true, membercontrol: 'SHOWN' })
    const answer = await get(editor, `${path}?include_fields=group,entry&exclude_fields=entry`)
    expect(answer.body).toEqual({ group_controls: [{ group: own.name }] })
  })

  test('finds products and groups by names and by IDs', async () => {
    await insertPlace()
    const named = `/rest/product/${place.name.toUpperCase()}/group_control`
    expect((await put(editor, `${named}/${own.id}`, { entry: true })).body.group).toBe(own.name)
    expect((await get(editor, named)).body.group_controls).toHaveLength(1)
  })

  test('step the revision of the product, and are recorded, when something changes', async () => {
    await insertPlace()
    await set({ entry: true, membercontrol: 'SHOWN' })
    await set({ entry: true })
    expect(await loadRevision('products', place.id)).toBe(1)
    expect(await loadAuditEntries('Product', place.id)).toEqual([
      {
        user_id: editor.id,
        action: 'update',
        changes: {
          [`group_control.${own.name}.entry`]: { removed: '0', added: '1' },
          [`group_control.${own.name}.membercontrol`]: { removed: 'NA', added: 'SHOWN' },
        },
      },
    ])
  })

  test('keeps every item of concurrent requests', async () => {
    await insertPlace()
    await Promise.all([set({ entry: true }), set({ canedit: true }), set({ editbugs: true })])
    const control = { group: own.name, entry: true, canedit: true, editbugs: true }
    expect((await get(editor, path)).body.group_controls).toEqual([{ ...NOTHING, ...control }])
  })

  test('lets the controls of an inactive group be taken away', async () => {
    await insertPlace()
    const closed = await insertGroup()
    await put(editor, `${path}/${closed.id}`, { entry: true, canedit: true })
    await executeBatch(sql`UPDATE access_groups SET is_active = 0 WHERE id = ${closed.id}`)
    expectFault(await put(editor, `${path}/${closed.id}`, { entry: false }), 400, 53, closed.name)
    expect((await put(editor, `${path}/${closed.id}`, NOTHING)).status).toBe(200)
  })
})

describe('what a control does:', () => {
  test.each([
    [{ entry: true }, { selectable: true, enterable: false }],
    [
      { membercontrol: 'MANDATORY', othercontrol: 'MANDATORY' },
      { selectable: false, enterable: true },
    ],
    [
      { entry: true, membercontrol: 'MANDATORY', othercontrol: 'MANDATORY' },
      { selectable: false, enterable: false },
    ],
    [{ canedit: true }, { selectable: true, enterable: true }],
    [
      { membercontrol: 'DEFAULT', othercontrol: 'MANDATORY' },
      { selectable: true, enterable: true },
    ],
  ])('%j leaves strangers %j', async (control, expected) => {
    await insertPlace()
    await set(control)
    for (const [list, is] of Object.entries(expected)) {
      expect(await isListed(stranger, list), list).toBe(is)
      expect(await isListed(member, list), list).toBe(true)
    }
  })

  test('canedit keeps strangers from changing bugs', async () => {
    await insertPlace()
    const { id } = (await post(stranger, '/rest/bug', buildBugBody(place))).body
    await set({ canedit: true })
    expectFault(await put(stranger, `/rest/bug/${id}`, { summary: 'changed' }), 401, 109)
  })

  test.each([
    ['NA', 'NA', 'never', 'never'],
    ['SHOWN', 'NA', 'chosen', 'never'],
    ['SHOWN', 'SHOWN', 'chosen', 'chosen'],
    ['SHOWN', 'DEFAULT', 'chosen', 'default'],
    ['SHOWN', 'MANDATORY', 'chosen', 'always'],
    ['DEFAULT', 'NA', 'default', 'never'],
    ['DEFAULT', 'DEFAULT', 'default', 'default'],
    ['DEFAULT', 'MANDATORY', 'default', 'always'],
    ['MANDATORY', 'MANDATORY', 'always', 'always'],
  ] as const)(
    '%s for members and %s for others put new bugs of members in it: %s, of others: %s',
    async (membercontrol, othercontrol, ofMember, ofStranger) => {
      await insertPlace()
      await set({ membercontrol, othercontrol })
      for (const [who, expected] of [
        [member, ofMember],
        [stranger, ofStranger],
      ] as const) {
        const isIn = async (groups?: string[]) => {
          const filed = await post(who, '/rest/bug', buildBugBody(place, { groups }))
          if (filed.status !== 200) {
            return filed.body.code
          }
          const { bugs } = (await get(who, `/rest/bug/${filed.body.id}`)).body
          return bugs[0].groups.includes(own.name)
        }
        expect(await isIn()).toBe(expected === 'default' || expected === 'always')
        expect(await isIn([own.name])).toBe(expected === 'never' ? 120 : true)
        expect(await isIn([])).toBe(expected === 'always')
      }
    },
  )
})

describe('/product/:product/group_control', () => {
  const pairs = CONTROLS.flatMap((member) => CONTROLS.map((other) => [member, other] as const))

  test.each(pairs)('rejects or take the pair %s and %s', async (membercontrol, othercontrol) => {
    await insertPlace()
    const answer = await set({ membercontrol, othercontrol, entry: true })
    if (ILLEGAL.includes(`${membercontrol} ${othercontrol}`)) {
      expectFault(answer, 404, 51, 'othercontrol')
      expect(await loadRevision('products', place.id)).toBe(0)
    } else {
      expect(answer.body).toMatchObject({ membercontrol, othercontrol })
    }
  })

  test('rejects a change that makes the pair illegal: 51 naming what was changed', async () => {
    await insertPlace()
    await set({ membercontrol: 'SHOWN', othercontrol: 'DEFAULT' })
    expectFault(await set({ membercontrol: 'MANDATORY' }), 404, 51, "'membercontrol'")
    expectFault(await set({ membercontrol: 'WHATEVER' }), 404, 51, "'membercontrol'")
    expect(await loadRevision('products', place.id)).toBe(1)
  })

  test('rejects groups that do not exist with 51, and administrative ones with 53', async () => {
    await insertPlace()
    expectFault(await put(editor, `${path}/NoSuch`, { entry: true }), 404, 51, 'NoSuch')
    expectFault(await put(editor, `${path}/999999999`, { entry: true }), 404, 51)
    expectFault(await put(editor, `${path}/editbugs`, { entry: true }), 400, 53, 'editbugs')
  })

  test('rejects products that do not exist with 106', async () => {
    expectFault(await get(editor, '/rest/product/NoSuch/group_control'), 401, 106)
    const control = `/rest/product/NoSuch/group_control/${own.name}`
    expectFault(await put(editor, control, { entry: true }), 401, 106)
  })

  test('rejects callers without the right with 304 and anonymous callers with 410', async () => {
    await insertPlace()
    for (const [who, code] of [
      [member, 304],
      [ANYONE, 410],
    ] as const) {
      expectFault(await get(who, path), 401, code)
      expectFault(await put(who, `${path}/${own.name}`, { entry: true }), 401, code)
    }
  })
})

test('group controls hide with their product: 106', async () => {
  const control = { group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }
  const hidden = `/rest/product/${(await insertProduct({ controls: [control] })).id}/group_control`
  expectFault(await get(editor, hidden), 401, 106)
  expectFault(await put(editor, `${hidden}/${own.name}`, { entry: true }), 401, 106)
})
