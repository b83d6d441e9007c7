import { describe, expect, test } from 'vitest'
import { decideComponent } from '../../../src/tracker/components/decide.ts'
import type { ComponentState } from '../../../src/tracker/components/state.ts'

const ANN = { id: 1, login: 'ann@x.test', loginFold: 'ann@x.test' }
const BOB = { id: 2, login: 'Bob@x.test', loginFold: 'bob@x.test' }
const known = { people: [ANN, BOB], types: [], productType: 'defect' }

const before: ComponentState = {
  name: 'Engine',
  description: 'Drives',
  isActive: true,
  sortKey: 3,
  type: { id: 9, name: 'task' },
  assignee: { id: 1, login: 'ann@x.test' },
  qaContact: null,
  triageOwner: null,
  teamName: 'Drivers',
  template: 'Steps',
  cc: [],
}

describe('a component', () => {
  test('keeps values that the input does not name', () => {
    expect(decideComponent(before, {}, known)).toEqual(before)
  })

  test('keeps an empty team that it has from older times', () => {
    const older = { ...before, teamName: '' }
    expect(decideComponent(older, {}, known).teamName).toBe('')
  })

  test('lists each person of the CC list once, by login', () => {
    const given = { default_cc: ['bob@x.test', 'ann@x.test', 'BOB@x.test'] }
    expect(decideComponent(before, given, known).cc.map(({ id }) => id)).toEqual([2, 1])
  })

  const type = { id: 5, name: 'enhancement' }
  test.each([
    ['a type of its own', 'enhancement', [type], 'defect', type],
    ['the type of its product', 'enhancement', [type], 'Enhancement', null],
    ['no type', '', [], 'defect', null],
    ['nothing', null, [], 'defect', null],
    ['a type that does not exist', 'nonsense', [], 'defect', null],
  ])('given %s', (_, default_bug_type, types, productType, expected) => {
    const around = { ...known, types, productType }
    expect(decideComponent(before, { default_bug_type }, around).type).toEqual(expected)
  })
})
