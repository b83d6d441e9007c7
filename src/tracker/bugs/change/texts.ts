import { fault } from '../../../platform/faults/fault.ts'
import { clearableText } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import { addChanges, type Capability, capability } from '../model/capability.ts'
import { aliasInvalid } from '../model/faults.ts'
import { assertAliasFree, selectBugsWithAlias } from '../model/field-values.ts'
import type { FieldChange } from '../model/history-fields.ts'
import { plainChanges, plainInputs } from '../model/plain-fields.ts'
import { normalizeSummary } from '../model/text-rules.ts'
import { aliasChangeInput, decideAlias, findGivenAlias } from './alias-edit.ts'

/** Alias, summary and plain fields. */
export const textsCapability: Capability = capability({
  input: {
    alias: aliasChangeInput(),
    summary: clearableText(),
    ...plainInputs(clearableText),
  },

  load({ person }, input) {
    const alias = findGivenAlias(input.alias)
    return { sameAlias: alias === undefined ? undefined : selectBugsWithAlias(person, alias) }
  },

  assertInput({ input, bugCount }) {
    const alias = findGivenAlias(input.alias)
    if (alias !== undefined && bugCount > 1) {
      throw fault(aliasInvalid, { alias, reason: 'can be given to one bug only' })
    }
  },

  proposeChanges(decision, { input, known }) {
    const { bug } = decision
    const changes: FieldChange[] = []
    const alias = decideAlias(input.alias, bug.historyValues.alias)
    if (alias !== undefined) {
      assertAliasFree(alias ?? '', known.sameAlias, bug.id)
      const folded = alias === null ? null : fold(alias)
      changes.push({ field: 'alias', value: alias, folded, added: alias ?? '' })
    }
    if (input.summary !== undefined) {
      const summary = normalizeSummary(input.summary)
      changes.push({ field: 'summary', value: summary, folded: fold(summary), added: summary })
    }
    return addChanges(decision, [...changes, ...plainChanges(input, bug)])
  },
})
