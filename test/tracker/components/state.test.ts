import { describe, expect, test } from 'vitest'
import {
  type ComponentState,
  presentState,
  sortByLogin,
  toColumns,
} from '../../../src/tracker/components/state.ts'

const bare: ComponentState = {
  name: 'Straße',
  description: 'x',
  isActive: true,
  sortKey: 0,
  type: null,
  assignee: { id: 7, login: 'ann' },
  qaContact: null,
  triageOwner: null,
  teamName: 'x',
  template: '',
  cc: [],
}

describe('the state of a component', () => {
  test('is kept under IDs, its name folded for comparison', () => {
    expect(toColumns({ ...bare, name: 'ÄRGER', type: { id: 3, name: 'task' } })).toMatchObject({
      name: 'ÄRGER',
      nameFold: 'ärger',
      defaultTypeId: 3,
      defaultAssigneeId: 7,
      defaultQaContactId: null,
      triageOwnerId: null,
    })
  })

  test('is shown by names, nothing as the empty text', () => {
    const cc = sortByLogin([
      { id: 2, login: 'zoe' },
      { id: 1, login: 'bob' },
    ])
    expect(presentState({ ...bare, cc })).toMatchObject({
      default_bug_type: '',
      default_assignee: 'ann',
      default_qa_contact: '',
      default_cc: 'bob, zoe',
    })
  })
})
