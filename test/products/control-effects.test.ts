import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { MOST_BUGS } from '../../src/access/bug-groups.ts'
import { assertEffectAllowed, decideEffect } from '../../src/products/control-effects.ts'
import { expectFault, get, put } from '../support/client.ts'
import { readBug, rowsOf, storedBug } from '../support/filing.ts'
import { write } from '../support/happening.ts'
import { callerOf, copies, filed, restrict } from '../support/reading.ts'
import { countOf, revisionOf } from '../support/structure.ts'
import { told } from '../support/workflow.ts'
import {
  group,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
} from '../support/world.ts'

const MANDATORY = { membercontrol: 'MANDATORY', othercontrol: 'MANDATORY' }
const SHOWN = { membercontrol: 'SHOWN', othercontrol: 'NA' }
const NOTHING = { membercontrol: 'NA', othercontrol: 'NA' }

let editor: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let own: TestGroup

beforeAll(async () => {
  editor = await person({ roles: ['editcomponents'] })
  reporter = await person()
  stranger = await person()
  own = await group([editor])
})

const set = (place: TestProduct, body: object, which = own, who = editor) =>
  put(who, `/rest/product/${place.id}/group_control/${which.name}`, body)

const seenBy = async (who: TestPerson, id: number) =>
  (await get(who, `/rest/bug/${id}`)).status === 200

const groupsOf = async (id: number) => (await readBug(reporter, id)).groups

const historyOf = async (id: number) =>
  (await rowsOf('history', id)).map(({ author_id, field, removed, added }) => ({
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
    assertEffectAllowed(callerOf(editor), 'put', own, [{ number }])
  expect(told(counted(MOST_BUGS + 1))).toBe(32000)
  expect(told(counted(MOST_BUGS))).toBeUndefined()
})

describe('a group that becomes mandatory', () => {
  test('is put on every bug of the product and on no other', async () => {
    const [place, other] = [await product(), await product()]
    const bugs = [await filed(reporter, place), await filed(stranger, place)]
    const [outside, inside] = [await filed(reporter, other), await filed(reporter, place)]
    await restrict(inside, own)
    expect((await set(place, MANDATORY)).status).toBe(200)
    for (const id of [...bugs, inside]) {
      expect(await storedBug(id)).toMatchObject({ group_count: 1 })
      expect(await seenBy(editor, id)).toBe(true)
    }
    expect(await groupsOf(bugs[0] ?? 0)).toEqual([own.name])
    expect(await seenBy(stranger, bugs[0] ?? 0)).toBe(false)
    expect(await storedBug(outside)).toMatchObject({ group_count: 0 })
  })

  test('is told in the history, without mail and without moving the time of the last change', async () => {
    const place = await product()
    const [id, already] = [await filed(reporter, place), await filed(reporter, place)]
    await restrict(already, own)
    await write(sql`UPDATE bugs SET changed_at = 1700000000 WHERE id = ${id}`)
    await set(place, MANDATORY)
    expect(await historyOf(id)).toEqual([
      { author_id: editor.id, field: 'groups', removed: '', added: own.name },
    ])
    expect(await historyOf(already)).toEqual([])
    expect(await storedBug(id)).toMatchObject({ changed_at: 1_700_000_000 })
    const [row] = await rowsOf('history', id)
    expect(row).toMatchObject({ added_fold: own.name.toLowerCase(), notice_id: null })
    expect((await rowsOf('notices', id)).map(({ kind }) => kind)).toEqual(['created'])
  })

  test('for others alone, or a default, leaves the bugs as they are', async () => {
    const place = await product()
    const id = await filed(reporter, place)
    await set(place, { membercontrol: 'DEFAULT', othercontrol: 'MANDATORY' })
    expect(await storedBug(id)).toMatchObject({ group_count: 0 })
    await set(place, { canedit: true })
    expect(await historyOf(id)).toEqual([])
  })

  test('does nothing when it is so already', async () => {
    const place = await product({ controls: [{ group: own, memberControl: 3, otherControl: 3 }] })
    const id = await filed(reporter, place)
    await write(sql`DELETE FROM bug_groups WHERE bug_id = ${id}`)
    await set(place, { ...MANDATORY, canedit: true })
    expect(await storedBug(id)).toMatchObject({ group_count: 0 })
  })
})

describe('a group that is no longer applicable', () => {
  test('is taken off the bugs of the product, and that is told', async () => {
    const [place, other] = [await product(), await product()]
    const second = await group([editor])
    await set(place, SHOWN)
    const [id, both, outside] = [
      await filed(reporter, place),
      await filed(reporter, place),
      await filed(reporter, other),
    ]
    await restrict(id, own)
    await restrict(both, own, second)
    await restrict(outside, own)
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
    const place = await product()
    await set(place, MANDATORY)
    const id = await filed(reporter, place)
    await set(place, SHOWN)
    expect(await groupsOf(id)).toEqual([own.name])
  })

  test('cannot be taken off bugs by who is not in it: 304, and nothing is written', async () => {
    const place = await product()
    const foreign = await group([stranger])
    await set(place, SHOWN, foreign)
    const id = await filed(reporter, place)
    await restrict(id, foreign)
    const before = await revisionOf('products', place.id)
    expectFault(await set(place, NOTHING, foreign), 401, 304, foreign.name)
    expect(await revisionOf('products', place.id)).toBe(before)
    expect(await groupsOf(id)).toEqual([foreign.name])
    expect((await set(place, { canedit: true }, foreign)).status).toBe(200)
    await write(sql`DELETE FROM bug_groups WHERE bug_id = ${id}`)
    expect((await set(place, NOTHING, foreign)).status).toBe(200)
  })
})

test('a bug that is filed while its group becomes mandatory is in it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const place = await product()
    const [control, ...bugs] = await Promise.all([
      set(place, MANDATORY),
      filed(reporter, place),
      filed(reporter, place),
      filed(reporter, place),
    ])
    expect(control.status).toBe(200)
    for (const id of bugs) {
      expect(await storedBug(id)).toMatchObject({ group_count: 1 })
    }
  }
})

test('hundreds of bugs cost as many trips and statements as one', async () => {
  const costs = []
  for (const count of [0, 600]) {
    const place = await product()
    const id = await filed(reporter, place)
    await copies(id, count)
    const { cost } = await set(place, MANDATORY)
    costs.push([cost.trips, cost.statements])
    const controlled = sql`group_id = ${own.id} AND bug_id IN (
      SELECT id FROM bugs WHERE product_id = ${place.id})`
    expect(await countOf('bug_groups', controlled)).toBe(count + 1)
  }
  expect(costs[1]).toEqual(costs[0])
  expect(costs[0]?.[0]).toBe(2)
})
