/** The part of a .heapsnapshot file that says which object holds which. */
type Snapshot = {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[]
      readonly edge_fields: readonly string[]
      readonly edge_types: readonly [readonly string[], ...unknown[]]
    }
  }
  readonly nodes: readonly number[]
  readonly edges: readonly number[]
  readonly strings: readonly string[]
}

/** An object, and the name by which another one holds it. */
type Edge = { readonly to: number; readonly by: string }

/** How many holders of a text are told, beginning with the text. */
const MAX_TOLD = 12

/** The texts of a heap in which a text occurs, each with the names by which it is held, from the outside in. */
export function findHeldTexts(file: string, sought: string): string[] {
  const snapshot = JSON.parse(file) as Snapshot
  const { nodes, strings } = snapshot
  const name = snapshot.snapshot.meta.node_fields.indexOf('name')
  const edgesOf = readEdges(snapshot)
  const holders = new Map<number, { readonly node: number; readonly by: string }>()
  const reached = new Set([0])
  for (const node of reached) {
    for (const { to, by } of edgesOf(node)) {
      if (!reached.has(to)) {
        reached.add(to)
        holders.set(to, { node, by })
      }
    }
  }
  const tell = (node: number, depth = 0): string => {
    const holder = holders.get(node)
    return holder === undefined || depth === MAX_TOLD
      ? ''
      : `${tell(holder.node, depth + 1)} > ${holder.by}`
  }
  return [...reached].flatMap((node) => {
    const text = strings[nodes[node + name] ?? 0] ?? ''
    return text.includes(sought) ? [`${text.slice(0, 80)}: ${tell(node)}`] : []
  })
}

/** Finds the edges of a node that keep what they lead to. */
function readEdges({ snapshot, nodes, edges, strings }: Snapshot): (node: number) => Edge[] {
  const { node_fields: ofNode, edge_fields: ofEdge, edge_types: types } = snapshot.meta
  const count = ofNode.indexOf('edge_count')
  const firsts = new Map<number, number>()
  for (let node = 0, edge = 0; node < nodes.length; node += ofNode.length) {
    firsts.set(node, edge)
    edge += (nodes[node + count] ?? 0) * ofEdge.length
  }
  return (node) =>
    Array.from({ length: nodes[node + count] ?? 0 }, (_, place) => {
      const edge = (firsts.get(node) ?? 0) + place * ofEdge.length
      const [kind = 0, named = 0, to = 0] = edges.slice(edge, edge + 3)
      const isNumbered = /element|hidden/.test(types[0][kind] ?? '')
      const by = isNumbered ? `[${named}]` : (strings[named] ?? '')
      return { to, by, isWeak: types[0][kind] === 'weak' }
    }).filter(({ isWeak }) => !isWeak)
}
