import { getBug } from '../../../tracker/bugs/read/get.ts'
import { Layout } from '../layout.tsx'
import { ask, type PageRequest } from '../page.ts'
import { BugLink, LinkedStatus } from '../parts/bug-link.tsx'
import { askForBug } from './load.ts'

const MAX_DEPTH = 5
const MAX_BUGS = 120

const SHOWN = [...['id', 'summary', 'status', 'resolution', 'is_open'], ...['depends_on', 'blocks']]

type Node = NonNullable<Awaited<ReturnType<typeof readBugs>>[number]>

/** A bug that is reached over this many links: below 0 those that it blocks, above 0 those that it waits for. */
type Placed = { readonly bug: Node; readonly depth: number }

/**
 * What a bug waits for and what waits for it, as a picture and as a list. Bugs that the reader does not see are not
 * there.
 */
export async function showGraph(request: PageRequest) {
  const { id = '' } = request.path
  const bug = await askForBug(request, id, SHOWN)
  const { placed, isCut } = await reach(request, bug)
  const byDepth = Map.groupBy(placed, ({ depth }) => depth)
  const columns = [...byDepth.keys()].sort((a, b) => a - b)
  return (
    <Layout
      request={request}
      title={`Dependencies of bug ${bug.id}`}
      canonical={`/bug/${bug.id}/graph`}
      isUnlisted
    >
      <h1>
        Dependencies of <a href={`/bug/${bug.id}`}>bug {bug.id}</a>
      </h1>
      <p class="muted">
        {bug.summary}
        {isCut && `. Only the nearest ${MAX_BUGS} bugs within ${MAX_DEPTH} steps are shown.`}
      </p>
      {placed.length > 1 && (
        <div class="wide">
          <Picture placed={placed} root={bug.id ?? 0} />
        </div>
      )}
      {columns.map((depth) => (
        <>
          <h2>{headingOf(depth)}</h2>
          <ul class="plain">
            {(byDepth.get(depth) ?? []).map(({ bug: one }) => (
              <li>
                <BugLink bug={one} /> <LinkedStatus bug={one} /> {one.summary}
              </li>
            ))}
          </ul>
        </>
      ))}
    </Layout>
  )
}

function headingOf(depth: number): string {
  if (depth === 0) {
    return 'This bug'
  }
  const steps = Math.abs(depth)
  const where = depth < 0 ? 'Blocked by it' : 'What it depends on'
  return steps === 1 ? where : `${where}, ${steps} steps away`
}

async function readBugs(request: PageRequest, ids: readonly number[]) {
  const [first, ...others] = ids.map(String)
  if (first === undefined) {
    return []
  }
  const { bugs } = await ask(request, getBug, {
    id_or_alias: first,
    ids: others,
    permissive: true,
    include_fields: SHOWN,
  })
  return bugs
}

/** Both directions at a time, a round trip for each step. */
async function reach(request: PageRequest, root: Node) {
  const placed = new Map<number, Placed>([[root.id ?? 0, { bug: root, depth: 0 }]])
  let [after, before]: Node[][] = [[root], [root]]
  let isCut = false
  for (let depth = 1; depth <= MAX_DEPTH + 1; depth += 1) {
    const next = (bugs: readonly Node[], side: 'depends_on' | 'blocks') =>
      [...new Set(bugs.flatMap((bug) => bug[side] ?? []))].filter((id) => !placed.has(id))
    const ids = [next(after ?? [], 'depends_on'), next(before ?? [], 'blocks')] as const
    const room = MAX_BUGS - placed.size
    if (ids[0].length + ids[1].length === 0) {
      break
    }
    if (depth > MAX_DEPTH || room === 0) {
      isCut = true
      break
    }
    isCut ||= ids[0].length + ids[1].length > room
    const taken = ids[0].slice(0, room)
    const lists = await Promise.all([
      readBugs(request, taken),
      readBugs(request, ids[1].slice(0, room - taken.length)),
    ])
    for (const [n, bugs] of lists.entries()) {
      for (const bug of bugs) {
        placed.set(bug.id ?? 0, { bug, depth: n === 0 ? depth : -depth })
      }
    }
    ;[after, before] = lists
  }
  return { placed: [...placed.values()], isCut }
}

const CELL = { width: 210, height: 46, gapX: 46, gapY: 12 }
const MAX_TITLE = 27

function Picture({ placed, root }: { placed: readonly Placed[]; root: number }) {
  const byDepth = Map.groupBy(placed, ({ depth }) => depth)
  const depths = [...byDepth.keys()].sort((a, b) => a - b)
  const rows = Math.max(...[...byDepth.values()].map((column) => column.length))
  const places = new Map(
    depths.flatMap((depth, column) =>
      (byDepth.get(depth) ?? []).map(({ bug }, row) => [
        bug.id ?? 0,
        { x: column * (CELL.width + CELL.gapX), y: row * (CELL.height + CELL.gapY) },
      ]),
    ),
  )
  const width = depths.length * (CELL.width + CELL.gapX) - CELL.gapX
  const height = rows * (CELL.height + CELL.gapY)
  return (
    <svg class="graph" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{`Dependencies of bug ${root}; the lists below say the same`}</title>
      {placed.flatMap(({ bug }) =>
        (bug.depends_on ?? []).map((id) => (
          <Edge from={places.get(bug.id ?? 0)} to={places.get(id)} />
        )),
      )}
      {placed.map(({ bug }) => (
        <Box bug={bug} place={places.get(bug.id ?? 0)} isRoot={bug.id === root} />
      ))}
    </svg>
  )
}

type Place = { x: number; y: number }

/** A line from a bug to one that it waits for, which stands to its right. */
function Edge({ from, to }: { from: Place | undefined; to: Place | undefined }) {
  if (from === undefined || to === undefined) {
    return null
  }
  const [x1, x2] = from.x < to.x ? [from.x + CELL.width, to.x] : [from.x, to.x + CELL.width]
  const [y1, y2] = [from.y + CELL.height / 2, to.y + CELL.height / 2]
  const middle = (x1 + x2) / 2
  return <path d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />
}

function Box({ bug, place, isRoot }: { bug: Node; place: Place | undefined; isRoot: boolean }) {
  if (place === undefined) {
    return null
  }
  const { id, summary = '', status, is_open: isOpen } = bug
  const title = summary.length > MAX_TITLE ? `${summary.slice(0, MAX_TITLE - 1)}…` : summary
  const { x, y } = place
  return (
    <a href={`/bug/${id}`} class={isOpen ? 'open' : 'done'}>
      <title>{summary}</title>
      <rect
        x={x}
        y={y}
        width={CELL.width}
        height={CELL.height}
        rx="4"
        {...(isRoot && { class: 'root' })}
      />
      <text x={x + 8} y={y + 18}>
        {id} {status}
      </text>
      <text x={x + 8} y={y + 36} class="title">
        {title}
      </text>
    </a>
  )
}
