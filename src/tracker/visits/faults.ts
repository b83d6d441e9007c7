import { defineFaults } from '../../platform/faults/fault.ts'

export const { notInvolved } = defineFaults({
  notInvolved: [1300, 'You are not involved with bug {bug}.'],
})
