import type { Caller } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import { fault } from '../../platform/faults/fault.ts'
import type { SearchConfiguration } from './configuration.ts'
import type { ParseContext } from './context.ts'
import { searchFieldUnknown, searchInvalid } from './faults.ts'
import { kindOfOperator, OPERATORS, type Operator, parseOperator } from './operators.ts'
import {
  findSearchField,
  maySearchBy,
  type SearchField,
  searchParameterNames,
} from './search-fields.ts'

const MAX_HINTS = 3
const MAX_EDITS = 2

/** The field that a row of a search names. */
export function requireSearchField(
  name: string,
  source: string,
  { configuration, caller }: ParseContext,
): SearchField {
  const field = findSearchField(name, configuration, caller)
  if (field === undefined) {
    throw fault(searchFieldUnknown, { source, name, hint: hintAt(name, configuration, caller) })
  }
  assertMaySearchBy(field, caller)
  return field
}

export function assertMaySearchBy(field: SearchField, caller: Caller): void {
  if (!maySearchBy(field, caller)) {
    throw fault(notAuthorized, { action: `search by '${field.name}'` })
  }
}

function hintAt(name: string, configuration: SearchConfiguration, caller: Caller): string {
  const near = findNearNames(name.trim().toLowerCase(), [
    ...searchParameterNames().filter(
      (known) => findSearchField(known, configuration, caller) !== undefined,
    ),
    ...configuration.customFields.keys(),
  ])
  return near.length === 0 ? '' : `; similar: ${near.map((known) => `'${known}'`).join(', ')}`
}

/** The names that differ by a slip of the keyboard, or by what one has before or behind the other. */
function findNearNames(name: string, names: readonly string[]): string[] {
  const isPart = (known: string) =>
    name.length > 2 && (known.includes(name) || (known.length > 4 && name.includes(known)))
  return names
    .map((known) => ({ known, edits: countEdits(name.slice(0, 64), known) }))
    .filter(({ known, edits }) => edits <= MAX_EDITS || isPart(known))
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, MAX_HINTS)
    .map(({ known }) => known)
}

/** How many letters have to be put in, taken out or exchanged to make one text of the other. */
function countEdits(from: string, to: string): number {
  let costs = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const next = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const exchanged = (costs[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(exchanged, (costs[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    costs = next
  }
  return costs[to.length] ?? 0
}

/** The operators of the special fields, which hold nothing that has a text. */
const SPECIAL_OPERATORS: Readonly<Record<string, (operator: Operator) => boolean>> = {
  content: (operator) => kindOfOperator(operator) === 'fulltext',
  owner_idle_time: (operator) => kindOfOperator(operator) === 'order',
  anything: (operator) => kindOfOperator(operator) === 'change',
}

/** Counts of which no history is told; that of the others is the history of what they count. */
const COUNTS_WITHOUT_HISTORY = ['cc_count', 'see_also_count', 'dupe_count']
const COUNT = /[._]count$/

/** The operator of this name. */
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

export function assertOperatorFits(field: SearchField, operator: Operator, source: string): void {
  if (COUNTS_WITHOUT_HISTORY.includes(field.name) && kindOfOperator(operator) === 'change') {
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
  switch (kindOfOperator(operator)) {
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
