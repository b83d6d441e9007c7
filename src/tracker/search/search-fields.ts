import { type Caller, canTrackTime, isInsider } from '../../platform/access/caller.ts'
import { FIELD_TYPE } from '../../platform/db/schema/fields.ts'
import {
  FIELD_CATALOGUE,
  type FieldFamily,
  type FieldName,
  type FieldRow,
} from '../fields/catalogue.ts'
import type { SearchConfiguration } from './configuration.ts'
import type { CompileContext } from './context.ts'

export type SearchField = Pick<FieldRow, 'family' | 'isTimed' | 'isForInsiders'> & {
  /** The internal name. */
  readonly name: string
  /** The ID and the type of a custom field. */
  readonly custom?: { readonly id: number; readonly type: number }
}

/**
 * The text of the first comment: what the parameter `description` and the comment texts of a search with
 * `longdesc_initial` are about. No client can name it as a field.
 */
export const FIRST_COMMENT: SearchField = { name: 'first_comment', family: 'rows' }

/**
 * The keywords of a bug, for a text that is itself the name of a keyword: how a word of a quicksearch looks
 * for keywords. No client can name it as a field.
 */
export const DEFINED_KEYWORD: SearchField = { name: 'defined_keyword', family: 'set' }

/** The fields that a search may name, and those that only the search itself names. */
export type SearchFieldName = FieldName | 'first_comment' | 'defined_keyword' | 'comment_words'

/** What a bug has in some of the fields, in one shape; a name that no field has does not compile. */
export type FieldsWith<Shape> = Readonly<
  Partial<Record<SearchFieldName, (context: CompileContext) => Shape>>
>

/** A table of fields in which every name is one; a type alone demands names, and forbids none of a spread table. */
export type OnlyFields<Table> = Table &
  Readonly<Record<Exclude<keyof Table, SearchFieldName>, never>>

const FAMILY_OF_TYPE: Readonly<Record<number, FieldFamily>> = {
  [FIELD_TYPE.freeText]: 'text',
  [FIELD_TYPE.single]: 'select',
  [FIELD_TYPE.multi]: 'set',
  [FIELD_TYPE.largeText]: 'text',
  [FIELD_TYPE.datetime]: 'date',
  [FIELD_TYPE.bugId]: 'number',
  [FIELD_TYPE.date]: 'date',
  [FIELD_TYPE.integer]: 'number',
}

/** Beside `description`, which is a parameter of its own: the text of the first comment. */
const CATALOGUE = Object.entries(FIELD_CATALOGUE).map(([name, row]: [string, FieldRow]) => {
  const { apiName = name, otherNames = [] } = row
  const names = new Set([name, ...(apiName === 'description' ? [] : [apiName]), ...otherNames])
  return { field: { name, ...row }, names: [...names] }
})

const FIELDS_BY_NAME: ReadonlyMap<string, SearchField> = new Map(
  CATALOGUE.flatMap(({ field, names }) =>
    names
      .flatMap((spelling) => [spelling, spelling.replaceAll('.', '_')])
      .map((spelling) => [spelling, field] as const),
  ),
)

/** Whether it is a name of a built-in field, whoever asks, in lower case. */
export function isFieldName(name: string): boolean {
  return FIELDS_BY_NAME.has(name)
}

/** The names that a search takes as parameters, as they are in the description of the API. */
export function searchParameterNames(): string[] {
  return CATALOGUE.flatMap(({ names }) => names)
}

/**
 * The field of this internal, public or old name, with dots or underscores and in any case; custom fields by
 * their names. Undefined for every other text, and for fields whose existence is not for the caller.
 */
export function findSearchField(
  name: string,
  configuration: SearchConfiguration,
  caller: Caller,
): SearchField | undefined {
  const folded = name.trim().toLowerCase()
  const custom = configuration.customFields.get(folded)
  if (custom !== undefined) {
    return { name: folded, family: FAMILY_OF_TYPE[custom.type] ?? 'text', custom }
  }
  const field = FIELDS_BY_NAME.get(folded)
  return field?.isTimed && !canTrackTime(caller) ? undefined : field
}

/** Whether the caller has the right that searching by the field needs. */
export function maySearchBy(field: SearchField, caller: Caller): boolean {
  return (!field.isTimed || canTrackTime(caller)) && (!field.isForInsiders || isInsider(caller))
}
