/** The part of the debugger protocol that the measurements use, for one isolate. */
export type Inspector = {
  /** The current heap of the isolate in MB, garbage included. */
  measureHeap(): Promise<number>
  startProfile(): Promise<void>
  stopProfile(): Promise<CpuProfile>
  close(): void
}

/** A CPU profile of V8, the content of a .cpuprofile file. */
export type CpuProfile = {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
  }[]
  samples: number[]
  timeDeltas: number[]
}

type HeapUsage = { usedSize: number; embedderHeapUsedSize?: number; backingStorageSize?: number }

/** Connects to the isolate of a Worker through the inspector of its runtime. */
export async function connectInspector(address: URL, worker: string): Promise<Inspector> {
  const listed = await fetch(`http://${address.host}/json`)
  const isolates = (await listed.json()) as { id: string; webSocketDebuggerUrl: string }[]
  const own = isolates.find(({ id }) => id === `core:user:${worker}`)
  if (own === undefined) {
    throw new Error(`The runtime has no isolate of ${worker}`)
  }
  const { call, close } = await openSocket(own.webSocketDebuggerUrl)
  const measureHeap = async () => {
    const usage = (await call('Runtime.getHeapUsage')) as HeapUsage
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = usage
    return (usedSize + embedderHeapUsedSize + backingStorageSize) / 1_048_576
  }
  return {
    measureHeap,
    async startProfile() {
      await call('Profiler.enable')
      await call('Profiler.start')
    },
    async stopProfile() {
      const { profile } = (await call('Profiler.stop')) as { profile: CpuProfile }
      return profile
    },
    close,
  }
}

/** The self time of each function in milliseconds and as a share of the total, the longest first. */
export function computeSelfTimes(
  profile: CpuProfile,
): { place: string; ms: number; share: number }[] {
  const places = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.split('/').at(-1) ?? ''}:${lineNumber + 1}`,
    ]),
  )
  const times = new Map<string, number>()
  for (const [n, id] of profile.samples.entries()) {
    const place = places.get(id) ?? '(unknown)'
    times.set(place, (times.get(place) ?? 0) + (profile.timeDeltas[n] ?? 0) / 1000)
  }
  const total = [...times].reduce(
    (sum, [place, ms]) => sum + (place.startsWith('(idle)') ? 0 : ms),
    0,
  )
  return [...times]
    .filter(([place]) => !place.startsWith('(idle)'))
    .map(([place, ms]) => ({ place, ms, share: ms / total }))
    .sort((a, b) => b.ms - a.ms)
}

async function openSocket(url: string) {
  const socket = new WebSocket(url)
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened, { once: true })
    socket.addEventListener('error', () => failed(new Error('The inspector does not answer')), {
      once: true,
    })
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    waiting.get(id ?? -1)?.(result)
  })
  let last = 0
  const call = (method: string) => {
    last += 1
    const id = last
    return new Promise<unknown>((answered) => {
      waiting.set(id, answered)
      socket.send(JSON.stringify({ id, method }))
    })
  }
  return { call, close: () => socket.close() }
}
