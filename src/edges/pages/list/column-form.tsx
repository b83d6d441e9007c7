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
  return (
    <details>
      <summary>Columns</summary>
      <form action="/bugs">
        <KeptParameters url={url} except={['columnlist', 'column_list']} />
        <fieldset class="choices">
          <legend class="muted">Shown beside the number</legend>
          {[...COLUMNS, ...custom].map(({ name, label }) => (
            <label>
              <input type="checkbox" name="columnlist" value={name} checked={chosen.has(name)} />
              {label}
            </label>
          ))}
        </fieldset>
        <button type="submit">Show these</button>
      </form>
    </details>
  )
}

/** The rest of an address, for a form that changes a part of it. */
export function KeptParameters({ url, except }: { url: URL; except: readonly string[] }) {
  const kept = new URL(linkToList(url), url.origin).searchParams
  return (
    <>
      {[...kept].map(([name, value]) =>
        except.includes(name) ? null : <input type="hidden" name={name} value={value} />,
      )}
    </>
  )
}
