import type { Caller } from '../../../platform/access/caller.ts'
import { FIELD_CATALOGUE, type FieldRow } from '../../../tracker/fields/catalogue.ts'
import type { OPERATORS } from '../../../tracker/search/operators.ts'
import { maySearchBy } from '../../../tracker/search/search-fields.ts'
import { Tick } from '../parts/form.tsx'
import { Options } from './form-parts.tsx'
import type { Given } from './given.ts'
import { readWholeNumber } from './query.ts'

const MIN_ROWS = 2
const MAX_ROWS = 50

const OPERATOR_NAMES: Readonly<Record<keyof typeof OPERATORS, string>> = {
  equals: 'is',
  notequals: 'is not',
  anyexact: 'is one of',
  substring: 'has the text',
  casesubstring: 'has the text (case counts)',
  notsubstring: 'does not have the text',
  anywordssubstr: 'has one of the texts',
  allwordssubstr: 'has all of the texts',
  nowordssubstr: 'has none of the texts',
  anywords: 'has one of the words',
  allwords: 'has all of the words',
  nowords: 'has none of the words',
  regexp: 'matches the expression',
  notregexp: 'does not match the expression',
  lessthan: 'is less than',
  lessthaneq: 'is at most',
  greaterthan: 'is more than',
  greaterthaneq: 'is at least',
  isempty: 'is not set',
  isnotempty: 'is set',
  isdisabled: 'is a disabled account',
  isnotdisabled: 'is an enabled account',
  matches: 'has the words (content)',
  notmatches: 'does not have the words (content)',
  everchanged: 'ever changed',
  changedbefore: 'changed before',
  changedafter: 'changed after',
  changedfrom: 'changed from',
  changedto: 'changed to',
  changedby: 'was changed by',
}

type FormField = { name?: string | undefined; display_name?: string | undefined }

/** Rows of field, operator and value; a button reloads the form with one more of them. */
export function CustomRows({
  url,
  given,
  fields,
  caller,
}: {
  url: URL
  given: Given
  fields: readonly FormField[]
  caller: Caller
}) {
  const numbers = given.numbersOf('f')
  const last = numbers.at(-1) ?? 0
  const wanted = Math.min(readWholeNumber(url.searchParams, 'rows') ?? MIN_ROWS, MAX_ROWS)
  const added = Math.max(wanted - numbers.length, numbers.length === 0 ? MIN_ROWS : 1)
  const rows = [...numbers, ...Array.from({ length: added }, (_, index) => last + index + 1)]
  const options = fieldOptions(fields, caller)
  return (
    <>
      <p class="bar">
        All of these rows together
        <Options
          name="j_top"
          label="How the rows are joined"
          options={[
            ['AND', 'have to match'],
            ['OR', 'are alternatives'],
            ['AND_G', 'have to match in one comment, flag or person'],
          ]}
          chosen={given.take('j_top')[0]}
        />
      </p>
      {rows.map((number) => (
        <Row number={number} given={given} options={options} />
      ))}
      <button
        type="submit"
        class="quiet"
        formaction="/search"
        name="rows"
        value={String(rows.length + 1)}
      >
        Add a row
      </button>
    </>
  )
}

type FieldOptions = readonly (readonly [string, string])[]

function fieldOptions(fields: readonly FormField[], caller: Caller): FieldOptions {
  const labels = new Map(fields.map(({ name = '', display_name: label }) => [name, label ?? name]))
  const built = Object.entries<FieldRow>(FIELD_CATALOGUE)
    .filter(([name, row]) => maySearchBy({ name, ...row }, caller))
    .map(([name]) => [name, labels.get(name) ?? name] as const)
  const custom = [...labels].filter(([name]) => name.startsWith('cf_'))
  return [
    ['', '—'],
    ['OP', '( begin a group'],
    ['CP', ') end a group'],
    ...[...built, ...custom].toSorted(([, a], [, b]) => a.localeCompare(b)),
  ]
}

function Row({ number, given, options }: { number: number; given: Given; options: FieldOptions }) {
  const [field = ''] = given.take(`f${number}`)
  const [joiner] = given.take(`j${number}`)
  return (
    <fieldset class="row">
      <legend class="muted">Row {number}</legend>
      <Tick
        label="not"
        name={`n${number}`}
        value="1"
        checked={given.take(`n${number}`).length > 0}
      />
      <Options name={`f${number}`} label="Field" options={options} chosen={field} />
      {field === 'OP' ? (
        <Options
          name={`j${number}`}
          label="How the group is joined"
          options={[
            ['AND', 'all of it'],
            ['OR', 'any of it'],
            ['AND_G', 'all of it in one value'],
          ]}
          chosen={joiner}
        />
      ) : (
        <>
          <Options
            name={`o${number}`}
            label="Comparison"
            options={Object.entries(OPERATOR_NAMES)}
            chosen={given.take(`o${number}`)[0]}
          />
          <input
            name={`v${number}`}
            value={given.take(`v${number}`).join(',')}
            aria-label="Value"
          />
        </>
      )}
    </fieldset>
  )
}
