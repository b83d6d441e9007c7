import { fault } from '../../../platform/faults/fault.ts'
import { clearableText } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import { addChanges, type Capability, capability } from '../model/capability.ts'
import { aliasInvalid } from '../model/faults.ts'
import { assertAliasFree, selectBugsWithAlias } from '../model/field-values.ts'
import type { FieldChange } from '../model/history-fields.ts'
import { normalizeSummary, normalizeUrl, normalizeWhiteboard } from '../model/text-rules.ts'
import { aliasChangeInput, decideAlias, findGivenAlias } from './alias-edit.ts'

/** Alias, summary, URL and whiteboard. */
export const texts: Capability = capability({
  input: {
    alias: aliasChangeInput(),
    summary: clearableText(),
    url: clearableText(),
    whiteboard: clearableText(),
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
    const propose = (field: 'summary' | 'url' | 'whiteboard', value: string) =>
      changes.push({ field, value, folded: fold(value), added: value })
    const alias = decideAlias(input.alias, bug.historyValues.alias)
    if (alias !== undefined) {
      assertAliasFree(alias ?? '', known.sameAlias, bug.id)
      const folded = alias === null ? null : fold(alias)
      changes.push({ field: 'alias', value: alias, folded, added: alias ?? '' })
    }
    if (input.summary !== undefined) {
      propose('summary', normalizeSummary(input.summary))
    }
    // a stored URL may be one that today's rules refuse
    if (input.url !== undefined && input.url !== bug.historyValues.url) {
      propose('url', normalizeUrl(input.url ?? ''))
    }
    if (input.whiteboard !== undefined) {
      propose('whiteboard', normalizeWhiteboard(input.whiteboard ?? ''))
    }
    return addChanges(decision, changes)
  },
})
