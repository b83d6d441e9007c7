import type { Caller } from '../access/caller.ts'
import { canTrackTime } from '../access/rights.ts'
import { fault } from '../faults.ts'
import { SEARCH_PARAMETERS, valuesOf } from './parameters.ts'

type Parameters = Readonly<Record<string, string[] | undefined>>

/** Parameters of the search screen that this search does not support, with either form of the dot. */
const FIELDS = new Set(
  `quicksearch content bug_file_loc longdesc long_desc keywords
  cc commenter team_name assignee_last_login longdescs.isprivate comment_tag bug_group groups see_also
  dependson depends_on blocked blocks regressed_by regresses regressions dup_id dupe_of duplicates
  attachments.description attachments.filename attachments.mimetype attachments.ispatch
  attachments.isobsolete attachments.isprivate attachments.submitter flagtypes.name flag flags
  requestees.login_name requestee setters.login_name setter attachments.count cc_count keywords.count
  see_also_count dependson.count blocked.count regressed_by.count regresses.count dupe_count everconfirmed
  is_confirmed reporter_accessible is_creator_accessible cclist_accessible is_cc_accessible opendate
  changeddate last_visit_ts days_elapsed changedin owner_idle_time assigned_to_realname
  reporter_realname qa_contact_realname`
    .split(/\s+/)
    .flatMap((name) => [name, name.replaceAll('.', '_')]),
)

/** The same for members of the time-tracking group; from others they are ignored. */
const TIME_FIELDS = new Set([
  ...['deadline', 'deadlinefrom', 'deadlineto', 'estimated_time', 'remaining_time'],
  ...['work_time', 'actual_time', 'percentage_complete'],
])

const ROLES = ['assigned_to', 'reporter', 'qa_contact', 'cc', 'longdesc']
const NO_VALUE_NEEDED = /^(is(not)?empty|everchanged|isdisabled)$/
const EXACT = ['anyexact', 'equals', 'exact']
const NO_FIELD = ['', 'noop', 'OP', 'CP']

/**
 * Throws fault 53 for a parameter of the search screen that is not supported: without it the search would
 * find too many bugs. What the screen sends without restricting a search passes: blank values, operators
 * of absent parameters or of the same comparison, people without a role, rows without a value. Reference:
 * search.md, "What is refused".
 */
export function assertSupportedSearch(parameters: Parameters, caller: Caller): void {
  const name =
    Object.keys(parameters).find((key) => isUnsupported(key, parameters, caller)) ??
    findOtherOperator(parameters)
  if (name !== undefined) {
    throw fault('parameterInvalid', {
      field: name,
      reason: 'belongs to the advanced search, which is not offered here',
    })
  }
}

function isUnsupported(key: string, parameters: Parameters, caller: Caller): boolean {
  const [, people] = /^email(\d+)$/.exec(key) ?? []
  if (people !== undefined) {
    return (
      hasText(parameters, key) && ROLES.some((role) => isOn(parameters, `email${role}${people}`))
    )
  }
  const [, row] = /^f(\d+)$/.exec(key) ?? []
  if (row !== undefined) {
    return isRow(parameters, key, `o${row}`, `v${row}`)
  }
  const [, cell] = /^field(\d+-\d+-\d+)$/.exec(key) ?? []
  if (cell !== undefined) {
    return isRow(parameters, key, `type${cell}`, `value${cell}`)
  }
  if (key === 'chfieldfrom' || key === 'chfieldto') {
    return firstText(parameters, key).toLowerCase() !== 'now' && hasText(parameters, key)
  }
  if (key === 'chfieldvalue') {
    return hasText(parameters, key) && hasText(parameters, 'chfield')
  }
  const isOperator = key.endsWith('_type') && key.slice(0, -'_type'.length) in parameters
  const isField =
    FIELDS.has(key) || key.startsWith('cf_') || (TIME_FIELDS.has(key) && canTrackTime(caller))
  return isField && !isOperator && hasText(parameters, key)
}

/** Whether a row of the custom search counts: it needs a field, an operator, and mostly a value. */
function isRow(parameters: Parameters, field: string, operator: string, value: string): boolean {
  return (
    !NO_FIELD.includes(firstText(parameters, field)) &&
    hasText(parameters, operator) &&
    (hasText(parameters, value) || NO_VALUE_NEEDED.test(firstText(parameters, operator)))
  )
}

/** The parameter that gives a simple one an operator that is not supported. */
function findOtherOperator(parameters: Parameters): string | undefined {
  const given = Object.entries(SEARCH_PARAMETERS).filter(
    ([name, parameter]) => valuesOf(parameters, name, parameter).length > 0,
  )
  for (const [name, { aliases = [], operators = EXACT }] of given) {
    const types = [name, ...aliases].map((spelling) => `${spelling}_type`)
    const other = types.find(
      (type) => hasText(parameters, type) && !operators.includes(firstText(parameters, type)),
    )
    if (other !== undefined) {
      return other
    }
    if (name === 'id' && !['', 'include'].includes(firstText(parameters, 'bugidtype'))) {
      return 'bugidtype'
    }
  }
  return undefined
}

function isOn(parameters: Parameters, key: string): boolean {
  return !['', '0', 'false'].includes(firstText(parameters, key).toLowerCase())
}

/** Whether a parameter holds more than white space and commas. */
function hasText(parameters: Parameters, key: string): boolean {
  return parameters[key]?.some((value) => /[^\s,]/.test(value)) ?? false
}

function firstText(parameters: Parameters, key: string): string {
  return parameters[key]?.[0]?.trim() ?? ''
}
