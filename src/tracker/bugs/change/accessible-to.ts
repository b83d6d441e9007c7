import { boolean } from '../../../platform/http/operations/shapes.ts'
import { addChanges, type Capability, capability } from '../model/capability.ts'

/** Whether reporter and CC list see the bug despite its groups. */
export const accessibleToCapability: Capability = capability({
  input: { is_cc_accessible: boolean(), is_creator_accessible: boolean() },

  proposeChanges(decision, { input }) {
    const changes = (['is_cc_accessible', 'is_creator_accessible'] as const).flatMap((field) => {
      const given = input[field]
      return given === undefined ? [] : [{ field, value: Number(given), added: given ? '1' : '0' }]
    })
    return addChanges(decision, changes)
  },
})
