type Bar = { readonly label: string; readonly count: number; readonly link?: string }

const WIDTH = 120
const HEIGHT = 10

/** Counts as a table whose rows have a bar each. */
export function BarChart({ label, rows }: { label: string; rows: readonly Bar[] }) {
  const most = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <table>
      <caption>{label}</caption>
      <tbody>
        {rows.map(({ label: name, count, link }) => (
          <tr>
            <th scope="row">{name}</th>
            <td class="number">{link === undefined ? count : <a href={link}>{count}</a>}</td>
            <td>
              <svg width={WIDTH} height={HEIGHT} aria-hidden="true" class="chart">
                <rect width={(count / most) * WIDTH} height={HEIGHT} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type Week = { readonly start: string; readonly opened: number; readonly closed: number }

const COLUMN = 30
const TOP = 90

/** How many bugs were opened and closed each week, as a picture with the same as a table beside it. */
export function WeekChart({ weeks }: { weeks: readonly Week[] }) {
  const most = Math.max(1, ...weeks.flatMap(({ opened, closed }) => [opened, closed]))
  const width = weeks.length * COLUMN
  const bar = (count: number, x: number, kind: string) => {
    const height = (count / most) * TOP
    return <rect class={kind} x={x} y={TOP - height} width="11" height={height} />
  }
  return (
    <div class="columns">
      <figure>
        <svg
          viewBox={`0 0 ${width} ${TOP + 14}`}
          role="img"
          aria-label="Bugs opened and closed a week; the table has the numbers"
          class="chart"
        >
          {weeks.map(({ start, opened, closed }, index) => (
            <>
              {bar(opened, index * COLUMN + 2, 'opened')}
              {bar(closed, index * COLUMN + 14, 'closed-ones')}
              {index % 3 === 0 && (
                <text x={index * COLUMN + 2} y={TOP + 11}>
                  {start.slice(5)}
                </text>
              )}
            </>
          ))}
        </svg>
        <figcaption class="muted">
          Opened (full) and closed (pale) a week. A bug that was closed and opened again counts as
          opened alone.
        </figcaption>
      </figure>
      <table>
        <caption>Opened and closed a week</caption>
        <thead>
          <tr>
            <th scope="col">Week from</th>
            <th scope="col" class="number">
              Opened
            </th>
            <th scope="col" class="number">
              Closed
            </th>
          </tr>
        </thead>
        <tbody>
          {weeks.map(({ start, opened, closed }) => (
            <tr>
              <th scope="row">
                <time datetime={start}>{start}</time>
              </th>
              <td class="number">{opened}</td>
              <td class="number">{closed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
