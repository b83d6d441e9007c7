import type { Caller } from '../access/caller.ts'
import { canTrackTime } from '../access/rights.ts'
import { fault } from '../faults.ts'
import { CRITERIA, valuesOf } from './parameters.ts'

type Parameters = Readonly<Record<string, string[] | undefined>>

/** Names that the search screen searches by and this search does not, dots written either way. */
const FIELDS = new Set(
  `quicksearch savedsearch content bug_file_loc longdesc long_desc keywords
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

/** The same for those that only members of the time-tracking group may search by; others are not heard. */
const TIME_FIELDS = new Set([
  ...['deadline', 'deadlinefrom', 'deadlineto', 'estimated_time', 'remaining_time'],
  ...['work_time', 'actual_time', 'percentage_complete'],
])

const ROLES = ['assigned_to', 'reporter', 'qa_contact', 'cc', 'longdesc']
const NO_VALUE_NEEDED = /^(is(not)?empty|everchanged|isdisabled)$/
const EXACT = ['anyexact', 'equals', 'exact']
const NO_FIELD = ['', 'noop', 'OP', 'CP']

/**
 * Refuses the criteria of the search screen that are not served: to leave them out would answer bugs that
 * nobody asked for. What the screen sends along without it being a criterion passes: blank values,
 * operators of absent or of already meant ones, people without a role, rows without a value. Fault 53
 * naming the parameter. Contract "Bugs", Search Bugs.
 */
export function refuseAdvanced(parameters: Parameters, caller: Caller): void {
  const name =
    Object.keys(parameters).find((key) => isCriterion(key, parameters, caller)) ??
    otherOperator(parameters)
  if (name !== undefined) {
    throw fault('parameterInvalid', {
      field: name,
      reason: 'belongs to the advanced search, which is not offered here',
    })
  }
}

function isCriterion(key: string, parameters: Parameters, caller: Caller): boolean {
  const [, people] = /^email(\d+)$/.exec(key) ?? []
  if (people !== undefined) {
    return says(parameters, key) && ROLES.some((role) => isOn(parameters, `email${role}${people}`))
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
    return textOf(parameters, key).toLowerCase() !== 'now' && says(parameters, key)
  }
  if (key === 'chfieldvalue') {
    return says(parameters, key) && says(parameters, 'chfield')
  }
  const isOperator = key.endsWith('_type') && key.slice(0, -'_type'.length) in parameters
  const isField =
    FIELDS.has(key) || key.startsWith('cf_') || (TIME_FIELDS.has(key) && canTrackTime(caller))
  return isField && !isOperator && says(parameters, key)
}

/** A row of the custom search; one without a field, an operator or the value it needs is ignored. */
function isRow(parameters: Parameters, field: string, operator: string, value: string): boolean {
  return (
    !NO_FIELD.includes(textOf(parameters, field)) &&
    says(parameters, operator) &&
    (says(parameters, value) || NO_VALUE_NEEDED.test(textOf(parameters, operator)))
  )
}

/** The parameter that gives a simple criterion another operator than the one it has anyway. */
function otherOperator(parameters: Parameters): string | undefined {
  const given = Object.entries(CRITERIA).filter(
    ([name, criterion]) => valuesOf(parameters, name, criterion).length > 0,
  )
  for (const [name, { aliases = [], operators = EXACT }] of given) {
    const types = [name, ...aliases].map((spelling) => `${spelling}_type`)
    const other = types.find(
      (type) => says(parameters, type) && !operators.includes(textOf(parameters, type)),
    )
    if (other !== undefined) {
      return other
    }
    if (name === 'id' && !['', 'include'].includes(textOf(parameters, 'bugidtype'))) {
      return 'bugidtype'
    }
  }
  return undefined
}

function isOn(parameters: Parameters, key: string): boolean {
  return !['', '0', 'false'].includes(textOf(parameters, key).toLowerCase())
}

/** Whether a parameter holds more than blanks and commas. */
function says(parameters: Parameters, key: string): boolean {
  return parameters[key]?.some((value) => /[^\s,]/.test(value)) ?? false
}

function textOf(parameters: Parameters, key: string): string {
  return parameters[key]?.[0]?.trim() ?? ''
}
