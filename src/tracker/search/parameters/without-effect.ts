import type { SearchParameters } from '../context.ts'
import { NOT_CHOSEN } from './custom-search.ts'
import { findNumbered, firstText, type GivenParameters, isOn, readGiven, textsOf } from './given.ts'
import { EMAIL_ROLES } from './parse.ts'

/** A parameter that is ignored, and the one that it would take. */
type WithoutEffect = { readonly source: string; readonly missing: string }

/**
 * The parameters of a search that ask for something and are ignored because another one is missing. What the search
 * screen sends for parts that are not filled in is not among them.
 */
export function listWithoutEffect(parameters: SearchParameters): WithoutEffect[] {
  const given = readGiven(parameters)
  return [...listRows(given), ...listBlocks(given), ...listChanges(given)]
}

/** How the parameters of a row begin, and those of them that ask for something. */
const ROWS = [
  { field: 'f', operator: 'o', value: 'v', asking: /^[fv](\d{1,9})$/ },
  {
    field: 'field',
    operator: 'type',
    value: 'value',
    asking: /^(?:field|value)(-?\d{1,9}-\d{1,9}-\d{1,9})$/,
  },
] as const

function listRows(given: GivenParameters): WithoutEffect[] {
  return ROWS.flatMap(({ asking, ...row }) => {
    const ends = new Set(findNumbered(given, asking).map(({ end }) => end))
    return [...ends].flatMap((end) => {
      const [field, operator] = [
        firstText(given, row.field + end),
        firstText(given, row.operator + end),
      ]
      if (field === '') {
        const isAsked = firstText(given, row.value + end) !== '' && operator !== 'noop'
        return isAsked ? { source: row.value + end, missing: row.field + end } : []
      }
      const needsOperator = operator === '' && ![...NOT_CHOSEN, 'OP', 'CP'].includes(field)
      return needsOperator ? { source: row.field + end, missing: row.operator + end } : []
    })
  })
}

function listBlocks(given: GivenParameters): WithoutEffect[] {
  return findNumbered(given, /^email(\d{1,9})$/).flatMap(({ end }) =>
    textsOf(given, `email${end}`).length === 0 ||
    EMAIL_ROLES.some(([role]) => isOn(given, `email${role}${end}`))
      ? []
      : { source: `email${end}`, missing: `emailassigned_to${end}` },
  )
}

function listChanges(given: GivenParameters): WithoutEffect[] {
  const isGiven = (name: string) => firstText(given, name) !== ''
  if (isGiven('chfieldvalue') && !isGiven('chfield')) {
    return [{ source: 'chfieldvalue', missing: 'chfield' }]
  }
  return isGiven('chfield') && !['chfieldfrom', 'chfieldto', 'chfieldvalue'].some(isGiven)
    ? [{ source: 'chfield', missing: 'chfieldfrom' }]
    : []
}
