import type { Child, PropsWithChildren } from 'hono/jsx'

type TableProps = PropsWithChildren<{
  /** What stands above the columns; a column with false is left out. */
  heads: readonly Child[]
  /** The heads of columns that hold numbers. */
  numbers?: readonly string[]
  label?: string
}>

/** Rows below heads, which scroll by themselves where they are wider than the page. */
export function Table({ heads, numbers = [], label, children }: TableProps) {
  return (
    <div class="wide">
      <table aria-label={label}>
        <thead>
          <tr>
            {heads.map(
              (head) =>
                head !== false && (
                  <th scope="col" class={numbers.includes(String(head)) ? 'number' : undefined}>
                    {head}
                  </th>
                ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
