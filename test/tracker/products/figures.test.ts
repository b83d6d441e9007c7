import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { copyBug, postBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertHiddenProduct, insertProduct } from '../../support/builders/products.ts'
import { ANYONE, expectFault, get, put, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const DAY = 86_400

const figuresOf = async (who: Sender, product = place) =>
  (await get(who, `/rest/product/${encodeURIComponent(product.name)}/figures`)).body

const editor = await insertPerson({ roles: ['editbugs', 'canconfirm'] })
const group = await insertGroup()
const member = await insertPerson({ groups: [group] })
const place = await insertProduct({ assignee: editor })
const [first = 0, closed = 0, hidden = 0, old = 0] = [
  await postBug(editor, place, { severity: 'S1' }),
  await postBug(editor, place, { severity: 'S2' }),
  await postBug(editor, place, { severity: 'S2' }),
  await postBug(editor, place, { severity: 'S2' }),
]
expect(first).toBeGreaterThan(0)
await put(editor, `/rest/bug/${closed}`, { status: 'RESOLVED', resolution: 'FIXED' })
await restrictBug(hidden, group)
const past = Math.floor(Date.now() / 1000) - 40 * DAY
await updateBugRow(old, { created_at: past, changed_at: past })

describe('GET /product/:id_or_name/figures', () => {
  test('counts the open bugs that the caller sees by component, severity and age', async () => {
    const figures = await figuresOf(ANYONE)
    expect(figures).toMatchObject({
      product: place.name,
      open: 2,
      is_complete: true,
      components: [{ name: place.component, open: 2 }],
      severities: [
        { name: 'S1', open: 1 },
        { name: 'S2', open: 1 },
      ],
    })
    expect(figures.ages.map(({ open }: { open: number }) => open)).toEqual([1, 0, 1, 0, 0])
    expect((await figuresOf(member)).open).toBe(3)
  })

  test('counts what was opened and closed in twelve weeks, each from a Monday on', async () => {
    const { weeks } = await figuresOf(ANYONE)
    expect(weeks).toHaveLength(12)
    expect(weeks.every(({ start }: { start: string }) => new Date(start).getUTCDay() === 1)).toBe(
      true,
    )
    const sumOf = (name: 'opened' | 'closed') =>
      weeks.reduce((sum: number, week: Record<string, number>) => sum + (week[name] ?? 0), 0)
    expect([sumOf('opened'), sumOf('closed')]).toEqual([3, 1])
    expect(weeks.at(-1)).toMatchObject({ opened: 2, closed: 1 })
    const ofMember = (await figuresOf(member)).weeks
    expect(ofMember.at(-1)).toMatchObject({ opened: 3 })
  })

  test('does not count a bug as closed that is open again', async () => {
    const other = await insertProduct({ assignee: editor })
    const id = await postBug(editor, other)
    await put(editor, `/rest/bug/${id}`, { status: 'RESOLVED', resolution: 'FIXED' })
    expect((await figuresOf(ANYONE, other)).weeks.at(-1)).toMatchObject({ closed: 1 })
    await put(editor, `/rest/bug/${id}`, { status: 'CONFIRMED' })
    expect((await figuresOf(ANYONE, other)).weeks.at(-1)).toMatchObject({ closed: 0 })
  })

  test('knows a product by its ID, and says when there are more bugs than are counted', async () => {
    const large = await insertProduct({ assignee: editor })
    await copyBug(await postBug(editor, large), 5_001)
    const { body, cost } = await get(ANYONE, `/rest/product/${large.id}/figures`)
    expect(body).toMatchObject({ product: large.name, open: 5_000, is_complete: false })
    await execute(sql`UPDATE bugs SET status_id = (SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
      WHERE f.name = 'bug_status' AND v.name = 'VERIFIED'), changed_at = 1, created_at = 1 WHERE product_id = ${large.id}`)
    const closed = await get(ANYONE, `/rest/product/${large.id}/figures`)
    expect(closed.body.open).toBe(0)
    expect(closed.cost.read).toBeLessThan(cost.read / 20)
  })

  test('hides a product that the caller may not search', async () => {
    const hidden = await insertHiddenProduct()
    expectFault(await get(ANYONE, `/rest/product/${hidden.id}/figures`), 401, 106)
    expectFault(await get(ANYONE, '/rest/product/no-such/figures'), 401, 106)
  })
})
