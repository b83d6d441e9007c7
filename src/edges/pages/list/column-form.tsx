import { Tick } from '../parts/form.tsx'
import { COLUMNS, type Column } from './columns.tsx'
import { linkToList } from './query.ts'

/** Which columns a list has; the address keeps them. */
export function ColumnForm({
  url,
  columns,
  custom,
}: {
  url: URL
  columns: readonly Column[]
  custom: readonly Column[]
}) {
  const chosen = new Set(columns.map(({ name }) => name))
  const kept = new URL(linkToList(url, { columnlist: null, column_list: null }), url.origin)
  return (
    <form action="/bugs" id="columns">
      {[...kept.searchParams].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <fieldset class="choices">
        <legend>Columns beside the number</legend>
        {[...COLUMNS, ...custom].map(({ name, label }) => (
          <Tick label={label} name="columnlist" value={name} checked={chosen.has(name)} />
        ))}
      </fieldset>
      <button type="submit">Show these</button>
    </form>
  )
}
