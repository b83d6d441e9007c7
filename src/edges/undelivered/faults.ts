import { defineFaults } from '../../platform/faults/fault.ts'

export const { undeliveredUnknown } = defineFaults({
  undeliveredUnknown: [51, "Nothing with the ID '{id}' waits or was given up."],
})
