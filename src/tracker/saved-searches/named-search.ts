import { invalidParameter } from '../../platform/faults/fault.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import { cleanLine } from '../../platform/lib/text.ts'
import type { SearchParameters } from '../search/context.ts'

/** The saved search that a request wants to run. */
export type NamedSearch = {
  /** The parameter that names it. */
  readonly field: 'savedsearch' | 'namedcmd'
  readonly name: string
  /** Its owner; null for the caller. */
  readonly sharerId: number | null
}

/** The parameters that tell which saved search to run and how; they are no criteria. */
export const NAMING_PARAMETERS: ReadonlySet<string> = new Set(
  'savedsearch namedcmd sharer_id cmdtype remaction'.split(' '),
)

/**
 * The saved search that `savedsearch` names, or `namedcmd` in a link of the search page. Null when they are blank,
 * and for the `namedcmd` that a search form sends along with criteria of its own.
 */
export function findNamedSearch(parameters: SearchParameters): NamedSearch | null {
  const fields = isCommand(parameters)
    ? (['savedsearch', 'namedcmd'] as const)
    : (['savedsearch'] as const)
  const named = fields.flatMap((field) =>
    textsOf(parameters, field).map((name) => ({ field, name })),
  )
  const [first, ...others] = named
  if (first === undefined) {
    return null
  }
  if (others.some(({ name }) => name !== first.name)) {
    throw invalidParameter(first.field, 'may name one search only')
  }
  const [action = 'run'] = textsOf(parameters, 'remaction')
  if (first.field === 'namedcmd' && action !== 'run') {
    throw invalidParameter('remaction', "can only be 'run' here")
  }
  const [sharer] = textsOf(parameters, 'sharer_id')
  return { ...first, sharerId: sharer === undefined ? null : requireId('sharer_id', sharer) }
}

/**
 * Whether `namedcmd` is what the link is about. A search form says `doit` and sends its list of names
 * along.
 */
function isCommand(parameters: SearchParameters): boolean {
  const [kind = 'runnamed'] = textsOf(parameters, 'cmdtype')
  return kind === 'runnamed' || kind === 'dorem'
}

function textsOf(parameters: SearchParameters, name: string): string[] {
  return (parameters[name] ?? []).map(cleanLine).filter((text) => text !== '')
}
