import { OptionList, Tick } from '../parts/form.tsx'
import type { Given } from './given.ts'

const MAX_SHOWN = 8

/** Several of some values; those that the address has stay, even where they are not offered. */
export function Picker({
  name,
  label,
  values,
  chosen,
}: {
  name: string
  label: string
  values: readonly string[]
  chosen: readonly string[]
}) {
  const all = [...new Set([...values, ...chosen])]
  return (
    <label>
      {label}
      <select name={name} multiple size={Math.min(Math.max(all.length, 2), MAX_SHOWN)}>
        <OptionList values={all} chosen={chosen} />
      </select>
    </label>
  )
}

const WORD_OPERATORS = [
  ['allwordssubstr', 'has all of the words'],
  ['anywordssubstr', 'has one of the words'],
  ['substring', 'has the text'],
  ['notsubstring', 'does not have the text'],
  ['regexp', 'matches the expression'],
] as const

const KEYWORD_OPERATORS = [
  ['allwords', 'has all of'],
  ['anywords', 'has one of'],
  ['nowords', 'has none of'],
] as const

/** A text and how it is compared. */
export function Typed({ name, label, given }: { name: string; label: string; given: Given }) {
  const operators = name === 'keywords' ? KEYWORD_OPERATORS : WORD_OPERATORS
  const [operator] = given.take(`${name}_type`)
  return (
    <fieldset class="pair">
      <legend>{label}</legend>
      <Options name={`${name}_type`} label="Comparison" options={operators} chosen={operator} />
      <input name={name} value={given.take(name).join(' ')} aria-label={label} />
    </fieldset>
  )
}

const LOGIN_OPERATORS = [
  ['equals', 'is'],
  ['substring', 'has in the login'],
  ['notequals', 'is not'],
  ['regexp', 'matches the expression'],
] as const

const ROLES = [
  ['assigned_to', 'Assignee'],
  ['reporter', 'Reporter'],
  ['qa_contact', 'QA contact'],
  ['cc', 'CC'],
  ['longdesc', 'Author of a comment'],
] as const

/** Somebody in one of several roles. */
export function People({ number, given }: { number: string; given: Given }) {
  const [operator = 'equals'] = given.take(`emailtype${number}`)
  return (
    <fieldset class="pair">
      <legend>Somebody who</legend>
      <Options
        name={`emailtype${number}`}
        label="Comparison"
        options={LOGIN_OPERATORS}
        chosen={operator === 'exact' ? 'equals' : operator}
      />
      <input
        name={`email${number}`}
        value={given.take(`email${number}`)[0]}
        aria-label="Login"
        placeholder="Login, or %user% for yourself"
      />
      {ROLES.map(([role, label]) => (
        <Tick
          label={label}
          name={`email${role}${number}`}
          value="1"
          checked={given.take(`email${role}${number}`).length > 0}
        />
      ))}
    </fieldset>
  )
}

/** What a field for a moment takes. */
export const DAY = '2026-01-31 or -7d'

export const DATES: readonly {
  name: string
  label: string
  placeholder?: string
  isTimed?: true
}[] = [
  { name: 'creation_ts', label: 'Filed since' },
  { name: 'chfieldfrom', label: 'Changed from' },
  { name: 'chfieldto', label: 'Changed until' },
  { name: 'chfield', label: 'What changed then', placeholder: 'status, priority' },
  { name: 'chfieldvalue', label: 'Changed to', placeholder: 'RESOLVED' },
  { name: 'deadlinefrom', label: 'Deadline from', isTimed: true },
  { name: 'deadlineto', label: 'Deadline until', isTimed: true },
]

/** One of some texts; another one that the address has stays. */
export function Options({
  name,
  label,
  options,
  chosen,
}: {
  name: string
  label: string
  options: readonly (readonly [value: string, text: string])[]
  chosen: string | undefined
}) {
  const isOther = chosen !== undefined && !options.some(([value]) => value === chosen)
  return (
    <select name={name} aria-label={label}>
      {isOther && (
        <option value={chosen} selected>
          {chosen}
        </option>
      )}
      {options.map(([value, text]) => (
        <option value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  )
}

const OF_FORM: ReadonlySet<string> = new Set(
  'query_format limit offset rows ctype tweak human'.split(' '),
)

/** What the address has beside the fields of the form: it stays unless it is unticked. */
export function Further({ given: { left } }: { given: Given }) {
  const others = [...left].filter(([name]) => !OF_FORM.has(name))
  return others.length === 0 ? null : (
    <fieldset class="choices">
      <legend>Also</legend>
      {others.map(([name, values]) =>
        values.map((value) => (
          <Tick label={`${name}: ${value}`} name={name} value={value} checked />
        )),
      )}
    </fieldset>
  )
}
