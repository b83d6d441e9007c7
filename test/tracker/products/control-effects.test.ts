import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { MAX_BUGS } from '../../../src/platform/access/bug-groups.ts'
import { assertEffectAllowed, decideEffect } from '../../../src/tracker/products/control-effects.ts'
import { copyBug, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { expectFault, get, put } from '../../support/client.ts'
import { readWholeBug } from '../../support/clients/bugs.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { countRows, execute } from '../../support/database/execute.ts'
import { loadRevision } from '../../support/database/structure.ts'

const MANDATORY = { membercontrol: 'MANDATORY', othercontrol: 'MANDATORY' }
const SHOWN = { membercontrol: 'SHOWN', othercontrol: 'NA' }
const NOTHING = { membercontrol: 'NA', othercontrol: 'NA' }

const editor = await insertPerson({ roles: ['editcomponents'] })
const reporter = await insertPerson()
const stranger = await insertPerson()
const own = await insertGroup([editor])

const set = (place: TestProduct, body: object, which = own, who = editor) =>
  put(who, `/rest/product/${place.id}/group_control/${which.name}`, body)

const seenBy = async (who: TestPerson, id: number) =>
  (await get(who, `/rest/bug/${id}`)).status === 200

const groupsOf = async (id: number) => (await readWholeBug(reporter, id)).groups

const historyOf = async (id: number) =>
  (await loadRowsOfBug('history', id)).map(({ author_id, field, removed, added }) => ({
    author_id,
    field,
    removed,
    added,
  }))

test.each([
  ['NA', 'MANDATORY', 'put'],
  ['SHOWN', 'MANDATORY', 'put'],
  ['DEFAULT', 'MANDATORY', 'put'],
  ['MANDATORY', 'MANDATORY', null],
  ['SHOWN', 'NA', 'take'],
  ['DEFAULT', 'NA', 'take'],
  ['MANDATORY', 'NA', 'take'],
  ['NA', 'NA', null],
  ['NA', 'SHOWN', null],
  ['NA', 'DEFAULT', null],
  ['SHOWN', 'DEFAULT', null],
  ['MANDATORY', 'SHOWN', null],
  ['MANDATORY', 'DEFAULT', null],
] as const)('from %s to %s: %s', (before, after, effect) => {
  expect(decideEffect(before, after)).toBe(effect)
})

test('too many bugs are refused: 32000', () => {
  const counted = (number: number) => () =>
    assertEffectAllowed(buildCaller(editor), 'put', own, [{ number }])
  expect(catchFaultCode(counted(MAX_BUGS + 1))).toBe(32000)
  expect(catchFaultCode(counted(MAX_BUGS))).toBeUndefined()
})

describe('a group that becomes mandatory', () => {
  test('is put on every bug of the product and on no other', async () => {
    const [place, other] = [await insertProduct(), await insertProduct()]
    const bugs = [await postBug(reporter, place), await postBug(stranger, place)]
    const [outside, inside] = [await postBug(reporter, other), await postBug(reporter, place)]
    await restrictBug(inside, own)
    expect((await set(place, MANDATORY)).status).toBe(200)
    for (const id of [...bugs, inside]) {
      expect(await loadBugRow(id)).toMatchObject({ group_count: 1 })
      expect(await seenBy(editor, id)).toBe(true)
    }
    expect(await groupsOf(bugs[0] ?? 0)).toEqual([own.name])
    expect(await seenBy(stranger, bugs[0] ?? 0)).toBe(false)
    expect(await loadBugRow(outside)).toMatchObject({ group_count: 0 })
  })

  test('is shown in the history, without mail and without moving the time of the last change', async () => {
    const place = await insertProduct()
    const [id, already] = [await postBug(reporter, place), await postBug(reporter, place)]
    await restrictBug(already, own)
    await execute(sql`UPDATE bugs SET changed_at = 1700000000 WHERE id = ${id}`)
    await set(place, MANDATORY)
    expect(await historyOf(id)).toEqual([
      { author_id: editor.id, field: 'groups', removed: '', added: own.name },
    ])
    expect(await historyOf(already)).toEqual([])
    expect(await loadBugRow(id)).toMatchObject({ changed_at: 1_700_000_000 })
    const [row] = await loadRowsOfBug('history', id)
    expect(row).toMatchObject({ added_fold: own.name.toLowerCase(), notice_id: null })
    expect((await loadRowsOfBug('notices', id)).map(({ kind }) => kind)).toEqual(['created'])
  })

  test('for others alone, or a default, leaves the bugs as they are', async () => {
    const place = await insertProduct()
    const id = await postBug(reporter, place)
    await set(place, { membercontrol: 'DEFAULT', othercontrol: 'MANDATORY' })
    expect(await loadBugRow(id)).toMatchObject({ group_count: 0 })
    await set(place, { canedit: true })
    expect(await historyOf(id)).toEqual([])
  })

  test('does nothing when it is so already', async () => {
    const place = await insertProduct({
      controls: [{ group: own, memberControl: 3, otherControl: 3 }],
    })
    const id = await postBug(reporter, place)
    await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${id}`)
    await set(place, { ...MANDATORY, canedit: true })
    expect(await loadBugRow(id)).toMatchObject({ group_count: 0 })
  })
})

describe('a group that is no longer applicable', () => {
  test('is taken off the bugs of the product, and that is shown', async () => {
    const [place, other] = [await insertProduct(), await insertProduct()]
    const second = await insertGroup([editor])
    await set(place, SHOWN)
    const [id, both, outside] = [
      await postBug(reporter, place),
      await postBug(reporter, place),
      await postBug(reporter, other),
    ]
    await restrictBug(id, own)
    await restrictBug(both, own, second)
    await restrictBug(outside, own)
    expect((await set(place, NOTHING)).status).toBe(200)
    expect([await groupsOf(id), await groupsOf(both), await groupsOf(outside)]).toEqual([
      [],
      [second.name],
      [own.name],
    ])
    expect([await seenBy(stranger, id), await seenBy(stranger, both)]).toEqual([true, false])
    expect(await historyOf(both)).toEqual([
      { author_id: editor.id, field: 'groups', removed: own.name, added: '' },
    ])
    expect(await historyOf(outside)).toEqual([])
  })

  test('stays where it is only less than mandatory', async () => {
    const place = await insertProduct()
    await set(place, MANDATORY)
    const id = await postBug(reporter, place)
    await set(place, SHOWN)
    expect(await groupsOf(id)).toEqual([own.name])
  })

  test('cannot be taken off bugs by non-members: 304, and nothing is written', async () => {
    const place = await insertProduct()
    const foreign = await insertGroup([stranger])
    await set(place, SHOWN, foreign)
    const id = await postBug(reporter, place)
    await restrictBug(id, foreign)
    const before = await loadRevision('products', place.id)
    expectFault(await set(place, NOTHING, foreign), 401, 304, foreign.name)
    expect(await loadRevision('products', place.id)).toBe(before)
    expect(await groupsOf(id)).toEqual([foreign.name])
    expect((await set(place, { canedit: true }, foreign)).status).toBe(200)
    await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${id}`)
    expect((await set(place, NOTHING, foreign)).status).toBe(200)
  })
})

test('a bug that is filed while its group becomes mandatory is in it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const place = await insertProduct()
    const [control, ...bugs] = await Promise.all([
      set(place, MANDATORY),
      postBug(reporter, place),
      postBug(reporter, place),
      postBug(reporter, place),
    ])
    expect(control.status).toBe(200)
    for (const id of bugs) {
      expect(await loadBugRow(id)).toMatchObject({ group_count: 1 })
    }
  }
})

test('hundreds of bugs cost as many round trips and statements as one', async () => {
  const costs = []
  for (const count of [0, 600]) {
    const place = await insertProduct()
    const id = await postBug(reporter, place)
    await copyBug(id, count)
    const { cost } = await set(place, MANDATORY)
    costs.push([cost.trips, cost.statements])
    const controlled = sql`group_id = ${own.id} AND bug_id IN (
      SELECT id FROM bugs WHERE product_id = ${place.id})`
    expect(await countRows('bug_groups', controlled)).toBe(count + 1)
  }
  expect(costs[1]).toEqual(costs[0])
  expect(costs[0]?.[0]).toBe(2)
})
