import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import type { Column } from './columns.tsx'
import { linkToList, orderBy } from './query.ts'

type TableProps = {
  bugs: readonly BugObject[]
  columns: readonly Column[]
  /** For heads that sort; absent for a list that is not a search of its own. */
  url?: URL
  order?: string
  /** What stands ahead of each row, and its head. */
  mark?: { readonly label: string; readonly of: (bug: BugObject) => unknown }
}

/** Bugs as rows. */
export function BugTable({ bugs, columns, url, order = '', mark }: TableProps) {
  return bugs.length === 0 ? null : (
    <div class="wide">
      <table class="bugs">
        <thead>
          <tr>
            {mark && <th scope="col">{mark.label}</th>}
            {columns.map((column) => (
              <Head column={column} url={url} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {bugs.map((bug) => (
            <tr>
              {mark && <td>{mark.of(bug)}</td>}
              {columns.map(({ name, isNumber, view, text }) => (
                <td class={isNumber ? 'number' : nameClass(name)}>
                  {view === undefined ? text(bug) : view(bug)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function nameClass(name: string): string | undefined {
  return name === 'short_desc' ? 'summary' : undefined
}

function Head({
  column: { name, label, isNumber, isOrdered },
  url,
  order,
}: {
  column: Column
  url: URL | undefined
  order: string
}) {
  const [first = '', direction = 'ASC'] = order.split(',')[0]?.trim().split(/\s+/) ?? []
  const sort = first !== name ? undefined : /^desc$/i.test(direction) ? 'descending' : 'ascending'
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={sort}>
      {url !== undefined && isOrdered ? (
        <a href={linkToList(url, { order: orderBy(order, name), offset: null })}>{label}</a>
      ) : (
        label
      )}
    </th>
  )
}
