import { defineFaults } from '../faults/fault.ts'

export const { busy } = defineFaults({
  busy: [32000, 'Others kept changing this at the same time; try later.', 503],
})
