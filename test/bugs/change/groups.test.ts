import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Person } from '../../../src/access/caller.ts'
import { changeBugs } from '../../../src/bugs/change/change.ts'
import { decideGroups, type GroupChanges } from '../../../src/bugs/change/groups.ts'
import { changeBugInput } from '../../../src/bugs/change/input.ts'
import { postBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { buildCaller, buildCtx } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../support/builders/types.ts'
import { put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

const [NA, SHOWN, DEFAULT, MANDATORY] = [0, 1, 2, 3] as const

const ANN = buildCaller({ id: 1, login: 'ann', key: '' }) as Person

/** Where the caller belongs to a group, or does not. */
function caller(isIn: boolean): Person {
  return { ...ANN, groups: new Set(isIn ? [7] : []) }
}

type Case = {
  isIn: boolean
  isMove?: boolean
  isHeld?: boolean
  pair?: readonly [number, number]
  isActive?: boolean
  edit?: GroupChanges['edit']
}

/** One group, number 7, called `Team`, in product 1. */
function decided({ isIn, isMove = false, isHeld = false, pair, isActive = true, edit }: Case) {
  const [memberControl, otherControl] = pair ?? [NA, NA]
  const control = {
    productId: 1,
    groupId: 7,
    name: 'Team',
    nameFold: 'team',
    isActive,
    isBugGroup: true,
    memberControl,
    otherControl,
    editBugs: false,
    canConfirm: false,
  }
  try {
    const result = decideGroups(caller(isIn), {
      bugId: 5,
      groups: isHeld ? [{ id: 7, nameFold: 'team', isActive }] : [],
      product: { id: 1, name: 'Lamp' },
      isMove,
      controls: pair === undefined ? [] : [control],
      edit,
    })
    const { add = [], remove = [] } = result ?? {}
    return [...add.map((id) => `+${id}`), ...remove.map((id) => `-${id}`)].join()
  } catch (error) {
    return (error as { code: number }).code
  }
}

const PAIRS = [
  [NA, NA],
  [SHOWN, NA],
  [SHOWN, SHOWN],
  [SHOWN, DEFAULT],
  [SHOWN, MANDATORY],
  [DEFAULT, NA],
  [DEFAULT, DEFAULT],
  [DEFAULT, MANDATORY],
  [MANDATORY, MANDATORY],
] as const

/** For each pair: a member, a member who moves the bug, somebody else, somebody else who moves it. */
type Row = readonly [unknown, unknown, unknown, unknown]

const ADDING: readonly Row[] = [
  [120, 120, 120, 120],
  ['+7', '+7', 120, 120],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, 120],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
  ['+7', '+7', 120, '+7'],
]

const REMOVING: readonly Row[] = [
  ['-7', '-7', '-7', '-7'],
  ['-7', '-7', 120, 120],
  ['-7', '-7', 120, '-7'],
  ['-7', '-7', 120, '-7'],
  ['-7', '-7', 120, 120],
  ['-7', '-7', 120, 120],
  ['-7', '-7', 120, '-7'],
  ['-7', '-7', 120, 120],
  [120, 120, 120, 120],
]

const MOVING_ALONG: readonly (readonly [member: string, other: string])[] = [
  ['', ''],
  ['', ''],
  ['', ''],
  ['', ''],
  ['', '+7'],
  ['', ''],
  ['', ''],
  ['', '+7'],
  ['+7', '+7'],
]

const CASES = PAIRS.flatMap((pair, i) =>
  [true, false].flatMap((isIn, who) =>
    [false, true].map((isMove, how) => ({ pair, isIn, isMove, i, place: who * 2 + how })),
  ),
)

describe('a group whose controls are', () => {
  test.each(CASES)('$pair, added by a member: $isIn, moving: $isMove', (one) => {
    expect(decided({ ...one, edit: { add: [' TEAM '] } })).toBe(ADDING[one.i]?.[one.place])
  })

  test.each(CASES)('$pair, removed by a member: $isIn, moving: $isMove', (one) => {
    const removed = decided({ ...one, isHeld: true, edit: { remove: ['Team'] } })
    expect(removed).toBe(REMOVING[one.i]?.[one.place])
  })

  test.each(CASES.filter(({ isMove }) => isMove))('$pair, moved to by a member: $isIn', (one) => {
    expect(decided(one)).toBe(MOVING_ALONG[one.i]?.[one.isIn ? 0 : 1])
  })
})

describe('the groups of a bug', () => {
  const both = [SHOWN, SHOWN] as const
  test.each<[string, Case, unknown]>([
    ['stay when nothing is said', { isIn: true, pair: both, isHeld: true }, ''],
    ['lose what means nothing in a new product', { isIn: true, isMove: true, isHeld: true }, '-7'],
    [
      'lose what does not apply there',
      { isIn: true, isMove: true, isHeld: true, pair: [NA, NA] },
      '-7',
    ],
    ['keep what may be there', { isIn: false, isMove: true, isHeld: true, pair: [SHOWN, NA] }, ''],
    [
      'may be added again',
      { isIn: false, pair: both, isHeld: true, edit: { add: ['team'] } },
      '+7',
    ],
    ['know no other name', { isIn: true, pair: both, edit: { add: ['x'] } }, 120],
    [
      'take no inactive one',
      { isIn: true, pair: both, isActive: false, edit: { add: ['team'] } },
      120,
    ],
    ['lose only what is there', { isIn: true, pair: both, edit: { remove: ['team'] } }, 120],
    [
      'lose an inactive one though it is mandatory',
      { isIn: true, pair: [3, 3], isActive: false, isHeld: true, edit: { remove: ['team'] } },
      '-7',
    ],
    [
      'are removed after they are added',
      { isIn: true, pair: both, edit: { add: ['team'], remove: ['team'] } },
      '-7',
    ],
    [
      'may be lost anyway by a move',
      { isIn: false, isMove: true, isHeld: true, edit: { remove: ['team'] } },
      '-7',
    ],
    ['may be set', { isIn: true, pair: both, edit: { set: ['Team'] } }, '+7'],
    ['may be set to none', { isIn: true, pair: both, isHeld: true, edit: { set: [] } }, '-7'],
    ['are not set by others', { isIn: false, pair: both, isHeld: true, edit: { set: [] } }, 120],
    [
      'keep what is mandatory when they are set',
      { isIn: true, pair: [3, 3], isHeld: true, edit: { set: [] } },
      '',
    ],
    [
      'stay as they are when set so',
      { isIn: false, pair: both, isHeld: true, edit: { set: ['team'] } },
      '+7',
    ],
  ])('%s', (_, one, expected) => {
    expect(decided(one)).toBe(expected)
  })
})

describe('changing groups', () => {
  let member: TestPerson
  let outsider: TestPerson
  let team: TestGroup
  let crew: TestGroup
  let place: TestProduct
  let bug: number

  beforeAll(async () => {
    member = await insertPerson()
    outsider = await insertPerson({ roles: ['editbugs'] })
    team = await insertGroup([member])
    crew = await insertGroup([member])
    place = await insertProduct({
      controls: [
        { group: team, memberControl: 1, otherControl: 0 },
        { group: crew, memberControl: 1, otherControl: 0 },
      ],
    })
  })

  beforeEach(async () => {
    bug = await postBug(outsider, place)
    await updateBugRow(bug, { changed_at: 1000 })
  })

  test('answers what was changed, and tells of it', async () => {
    const both = [team, crew].map(({ name }) => name)
    expect(await changeBug(member, bug, { groups: { add: both } })).toEqual({
      groups: { removed: '', added: both.sort().join(', ') },
    })
    expect(await readWholeBug(member, bug)).toMatchObject({ groups: both })
    expect(await loadBugRow(bug)).toMatchObject({ group_count: 2 })
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(1000)
    const swap = { remove: [team.name.toUpperCase()], add: [crew.name] }
    expect(await changeBug(member, bug, { groups: swap })).toEqual({
      groups: { removed: team.name, added: '' },
    })
    const [notice] = (await loadRowsOfBug('notices', bug)).slice(-1)
    expect((await loadRowsOfBug('history', bug)).at(-1)).toMatchObject({
      field: 'groups',
      removed: team.name,
      added: '',
      notice_id: notice?.id,
    })
    expect(await changeBug(member, bug, { groups: { set: [crew.name] } })).toEqual({})
  })

  test('refuses unknown, foreign and absent groups in the same words', async () => {
    const foreign = await insertGroup([outsider])
    await restrictBug(bug, crew)
    const told: string[] = []
    for (const edit of [
      { add: ['no-such-group'] },
      { add: [foreign.name] },
      { add: [team.name] },
      { remove: [team.name] },
      { remove: ['no-such-group'] },
      { set: ['no-such-group', crew.name] },
    ]) {
      const request = () => put(outsider, `/rest/bug/${bug}`, { groups: edit, comment: 'x' })
      await expectRefusal(request, 401, 120)
      const { body } = await request()
      const [name] = [edit.add, edit.remove, edit.set].flatMap((names) => names?.[0] ?? [])
      told.push(body.message.replace(name, '<group>'))
    }
    expect(new Set(told).size).toBe(1)
  })

  test('commutes with what others do at the same time', async () => {
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      groups: { add: [team.name, crew.name] },
    })
    const session = openInterruptedSession(2, () =>
      changeBug(member, bug, { groups: { add: [team.name] } }),
    )
    const ctx = buildCtx(member, [], session)
    const groups = new Set([team.id, crew.id])
    const caller = { ...(ctx.caller as Person), groups }
    const { bugs } = await changeBugs({ ...ctx, caller }, input)
    expect(bugs[0]?.changes).toEqual({ groups: { removed: '', added: crew.name } })
    expect(session.cost.trips).toBe(2)
  })

  test('is decided again when the bug has gone to another product meanwhile', async () => {
    const elsewhere = await insertProduct()
    const input = changeBugInput.parse({ id_or_alias: String(bug), groups: { add: [team.name] } })
    const move = { product: elsewhere.name, component: elsewhere.component }
    const session = openInterruptedSession(2, () => changeBug(outsider, bug, move))
    const ctx = buildCtx(member, [], session)
    const caller = { ...(ctx.caller as Person), groups: new Set([team.id]) }
    await expect(changeBugs({ ...ctx, caller }, input)).rejects.toMatchObject({ code: 120 })
    expect(await readWholeBug(outsider, bug)).toMatchObject({ groups: [], product: elsewhere.name })
  })

  test('hides the groups of a bug from who does not see it any more', async () => {
    const secret = await insertGroup()
    const vault = await insertProduct({
      controls: [{ group: secret, memberControl: 3, otherControl: 3 }],
    })
    await updateBugRow(bug, { reporter_id: member.id, assigned_to_id: member.id })
    const body = { product: vault.name, component: vault.component }
    const changes = await changeBug(outsider, bug, body)
    expect(Object.keys(changes).sort()).toEqual(['component', 'product'])
    await expectRefusal(() => put(outsider, `/rest/bug/${bug}`, {}), 401, 102)
    expect(await readWholeBug(member, bug)).toMatchObject({ groups: [secret.name] })
    const row = (await loadRowsOfBug('history', bug)).find(({ field }) => field === 'groups')
    expect(row).toMatchObject({ removed: '', added: secret.name })
  })
})
