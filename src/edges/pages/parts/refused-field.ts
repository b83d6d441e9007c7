import { bugAccessFaults } from '../../../platform/access/faults.ts'
import type { Fault } from '../../../platform/faults/fault.ts'
import { productPartInactive, productPartUnknown } from '../../../tracker/components/faults.ts'

const BUG_FIELDS = ['depends_on', 'blocks', 'regressed_by', 'regressions', 'dupe_of', 'see_also']

/** The fields of kinds that are about one alone, where they do not name it. */
const FIELD_OF_FAULT: Readonly<Record<string, string>> = {
  aliasInvalid: 'alias',
  commentRequired: 'comment',
  commentTooLong: 'comment',
  componentMissing: 'component',
  duplicateLoop: 'dupe_of',
  duplicateNeedsTarget: 'dupe_of',
  duplicateNotInitial: 'resolution',
  groupDenied: 'groups',
  keywordUnknown: 'keywords',
  privacyDenied: 'comment',
  productClosed: 'product',
  productDenied: 'product',
  productIncomplete: 'product',
  requesteeNotAllowed: 'flags',
  resolutionMissing: 'resolution',
  resolutionNotAllowed: 'resolution',
  resolutionUnknown: 'resolution',
  statusMoveDenied: 'status',
  statusNotReachable: 'status',
  statusUnknown: 'status',
  summaryMissing: 'summary',
}

/** The control of a form about a bug that a refusal is about; `typed` tells which field names the bug in it. */
export function refusedField(
  { kind, details }: Fault,
  typed: ReadonlyMap<string, string>,
): string | undefined {
  if (kind === productPartUnknown || kind === productPartInactive) {
    return details.kind === 'milestone' ? 'target_milestone' : String(details.kind)
  }
  if (bugAccessFaults.includes(kind)) {
    const bug = String(details.given ?? details.id)
    return BUG_FIELDS.find((name) =>
      typed
        .get(name)
        ?.split(/[\s,]+/)
        .includes(bug),
    )
  }
  if (kind.name.startsWith('flag')) {
    return 'flags'
  }
  return typeof details.field === 'string' ? details.field : FIELD_OF_FAULT[kind.name]
}
