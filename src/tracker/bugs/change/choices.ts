import { clearableText } from '../../../platform/http/operations/shapes.ts'
import { addChanges, type Capability, capability } from '../model/capability.ts'
import { CHOICES, type Choice, requireChoice, selectValuesNamed } from '../model/field-values.ts'

const NAMES = Object.keys(CHOICES) as Choice[]

/** The select fields of one value: type, priority, severity, platform, op_sys. */
export const choicesCapability: Capability = capability({
  input: {
    type: clearableText(),
    priority: clearableText(),
    severity: clearableText(),
    platform: clearableText(),
    op_sys: clearableText(),
  },

  load(_, input) {
    const named = NAMES.flatMap((choice) => {
      const name = input[choice]
      return typeof name === 'string' ? [{ field: CHOICES[choice], name }] : []
    })
    return { values: named.length > 0 ? selectValuesNamed(named) : undefined }
  },

  proposeChanges(decision, { input, known }) {
    const changes = NAMES.flatMap((choice) => {
      const given = input[choice]
      if (given === undefined) {
        return []
      }
      const current = decision.bug.historyValues[choice]
      const { id, name } = requireChoice(known.values, choice, given ?? '', current)
      return [{ field: choice, value: id, added: name }]
    })
    return addChanges(decision, changes)
  },
})
