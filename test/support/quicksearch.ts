import { ANONYMOUS, type Caller } from '../../src/platform/access/caller.ts'
import type { Role } from '../../src/platform/access/roles.ts'
import { FIELD_TYPE } from '../../src/platform/db/schema/fields.ts'
import { Fault } from '../../src/platform/faults/fault.ts'
import {
  EMPTY_CONFIGURATION,
  type SearchConfiguration,
} from '../../src/tracker/search/configuration.ts'
import { parseQuicksearch, type Quicksearch } from '../../src/tracker/search/quicksearch/parse.ts'
import { printExpression } from './print-expression.ts'

/** The configuration that the tests of quicksearch parse with. */
export const CONFIGURATION: SearchConfiguration = {
  ...EMPTY_CONFIGURATION,
  customFields: new Map([
    ['cf_build', { id: 1, type: FIELD_TYPE.freeText }],
    ['cf_crash_signature', { id: 2, type: FIELD_TYPE.largeText }],
    ['cf_crash_count', { id: 3, type: FIELD_TYPE.integer }],
  ]),
  statuses: [
    { name: 'UNCONFIRMED', isOpen: true },
    { name: 'NEW', isOpen: true },
    { name: 'ASSIGNED', isOpen: true },
    { name: 'REOPENED', isOpen: true },
    { name: 'RESOLVED', isOpen: false },
    { name: 'VERIFIED', isOpen: false },
  ],
  resolutions: ['FIXED', 'INVALID', 'WONTFIX', 'DUPLICATE', 'WORKSFORME', 'INCOMPLETE'],
  priorities: ['P1', 'P2', 'P3', 'P4', 'P5', '--'],
}

/** A person with these roles. */
export function personWith(...roles: Role[]): Caller {
  const name = { login: 'kim@x.test', realName: 'Kim', nick: null }
  return { kind: 'person', id: 1, ...name, groups: new Set(), roles: new Set(roles) }
}

type Circumstances = {
  readonly configuration?: SearchConfiguration
  readonly caller?: Caller
  readonly hasStatusCriterion?: boolean
}

export function parse(text: string, circumstances: Circumstances = {}): Quicksearch {
  return parseQuicksearch(text, {
    configuration: CONFIGURATION,
    caller: ANONYMOUS,
    hasStatusCriterion: false,
    ...circumstances,
  })
}

/** A quicksearch as its expression in one line, without the condition that the status is open. */
export function printOpen(text: string, circumstances?: Circumstances): string {
  const { expression } = parse(text, circumstances)
  const [first, ...others] = expression.kind === 'all' ? expression.members : [expression]
  if (first === undefined || printExpression(first) !== 'bug_status in (__open__)') {
    throw new Error(`not open bugs alone: ${printExpression(expression)}`)
  }
  const [only] = others
  return printExpression(
    only !== undefined && others.length === 1 ? only : { kind: 'all', members: others },
  )
}

/** A quicksearch as its expression in one line. */
export function print(text: string, circumstances?: Circumstances): string {
  return printExpression(parse(text, circumstances).expression)
}

/** The number and the message of a refusal. */
export function catchRefusal(text: string, circumstances?: Circumstances): string {
  try {
    return print(text, circumstances)
  } catch (error) {
    if (error instanceof Fault) {
      return `${error.code} ${error.message}`
    }
    throw error
  }
}

/** How a plain word is printed. */
export function plain(word: string): string {
  const value = /^[\w.@%?+-]+$/.test(word) ? word : JSON.stringify(word)
  const fields = ['defined_keyword', 'alias', 'short_desc', 'status_whiteboard']
  const names = word.length > 2 ? ['product', 'component'] : []
  const phrase = `content matches ${JSON.stringify(`"${word}"`)}`
  return [...[...names, ...fields].map((field) => `${field}~${value}`), phrase].join(' OR ')
}
