/** A status with the moves out of it. */
export type DrawnStatus = {
  readonly name: string
  readonly isOpen: boolean
  /** Whether new bugs may have it. */
  readonly isInitial: boolean
  readonly moves: readonly { readonly to: string; readonly needsComment: boolean }[]
}

const BOX = { width: 150, height: 34, gap: 24 }
const MAX_NAME = 18

/** Room for the longest arc over a number of steps. */
const LIFT = 15

/** Statuses in a line: arcs above lead on, arcs below lead back. A thick box is where bugs begin. */
export function WorkflowPicture({ statuses }: { statuses: readonly DrawnStatus[] }) {
  const step = BOX.width + BOX.gap
  const width = Math.max(1, statuses.length) * step
  const room = LIFT * Math.max(1, statuses.length) + 12
  const places = new Map(statuses.map(({ name }, index) => [name, index]))
  return (
    <svg
      class="graph"
      width={width}
      height={room * 2 + BOX.height}
      viewBox={`0 0 ${width} ${room * 2 + BOX.height}`}
      role="img"
      aria-label="Statuses and the moves between them; the table below says the same"
    >
      {statuses.flatMap(({ name, moves }, from) =>
        moves.map(({ to }) => (
          <Arc
            from={from}
            to={places.get(to) ?? from}
            step={step}
            top={room}
            title={`${name} → ${to}`}
          />
        )),
      )}
      {statuses.map((status, index) => (
        <Box status={status} x={index * step} y={room} />
      ))}
    </svg>
  )
}

type ArcProps = { from: number; to: number; step: number; top: number; title: string }

function Arc({ from, to, step, top, title }: ArcProps) {
  if (from === to) {
    return null
  }
  const isForward = to > from
  const side = isForward ? 1 : -1
  const y = isForward ? top : top + BOX.height
  // starts right of the middle and ends left of it when it leads on, so that no two ends meet
  const x1 = from * step + BOX.width / 2 + side * 20
  const x2 = to * step + BOX.width / 2 - side * 20
  const peak = y - side * LIFT * 1.3 * Math.abs(to - from)
  const tip = y - side * 8
  return (
    <g>
      <title>{title}</title>
      <path d={`M${x1} ${y}C${x1} ${peak} ${x2} ${peak} ${x2} ${y}`} />
      <path d={`M${x2 - 4} ${tip}L${x2} ${y}L${x2 + 4} ${tip}`} />
    </g>
  )
}

function Box({ status, x, y }: { status: DrawnStatus; x: number; y: number }) {
  const { name, isOpen, isInitial } = status
  const label = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name
  return (
    <g class={isOpen ? 'open' : 'done'}>
      <title>{name}</title>
      <rect
        x={x + 2}
        y={y}
        width={BOX.width - 4}
        height={BOX.height}
        rx="4"
        {...(isInitial && { class: 'root' })}
      />
      <text x={x + 12} y={y + 22}>
        {label}
      </text>
    </g>
  )
}
