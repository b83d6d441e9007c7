import { fault } from '../../platform/faults/fault.ts'
import { searchFieldUnknown, searchInvalid } from './faults.ts'
import { kindOf, OPERATORS, type Operator, parseOperator } from './operators.ts'
import type { SearchField } from './search-fields.ts'

/** The operators of the special fields, which hold nothing that has a text. */
const SPECIAL_OPERATORS: Readonly<Record<string, (operator: Operator) => boolean>> = {
  content: (operator) => kindOf(operator) === 'fulltext',
  owner_idle_time: (operator) => kindOf(operator) === 'order',
  anything: (operator) => kindOf(operator) === 'change',
}

/** Counts of which no history is told; that of the others is the history of what they count. */
const COUNTS_WITHOUT_HISTORY = ['cc_count', 'see_also_count', 'dupe_count']
const COUNT = /[._]count$/

/** The operator of this name; fault 32000 for any other text. Reference: search.md, "Operators". */
export function requireOperator(name: string, source: string): Operator {
  const operator = parseOperator(name)
  if (operator === undefined) {
    throw fault(searchInvalid, {
      source,
      reason: `is '${name}', which is no operator; these are: ${Object.keys(OPERATORS).join(', ')}`,
    })
  }
  return operator
}

/**
 * Throws a fault where the operator can never be answered for the field: 32000, or 108 for the history of
 * counts that have none. Reference: search.md, "Operators".
 */
export function assertOperatorFits(field: SearchField, operator: Operator, source: string): void {
  if (COUNTS_WITHOUT_HISTORY.includes(field.name) && kindOf(operator) === 'change') {
    throw fault(searchFieldUnknown, {
      source,
      name: field.name,
      hint: ` the history of; use the field that it counts`,
    })
  }
  if (!isPossible(field, operator)) {
    throw fault(searchInvalid, {
      source,
      reason: `compares '${field.name}' with '${operator}', which this field does not have`,
    })
  }
}

function isPossible({ name, family }: SearchField, operator: Operator): boolean {
  const isSpecial = SPECIAL_OPERATORS[name]
  if (isSpecial !== undefined) {
    return isSpecial(operator)
  }
  switch (kindOf(operator)) {
    case 'fulltext':
      return false
    case 'account':
      return family === 'person' || family === 'people'
    case 'change':
      return !(isCount(name) && (operator === 'changedfrom' || operator === 'changedto'))
    case 'text':
    case 'list':
    case 'words':
    case 'pattern':
    case 'order':
    case 'presence':
      return true
  }
}

/** The history of comments is the comments, so that their number can be asked for every change. */
function isCount(name: string): boolean {
  return COUNT.test(name) && name !== 'longdescs.count'
}
