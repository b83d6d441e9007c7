import { defineFaults } from '../../platform/faults/fault.ts'

export const { keywordUnknown } = defineFaults({
  keywordUnknown: [51, "There is no keyword named '{name}'."],
})
