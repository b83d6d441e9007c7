/** What a debugger may ask of the Worker's isolate. */
export type Inspector = {
  /** MB that the isolate holds at the moment, garbage included. */
  heap(): Promise<number>
  startProfile(): Promise<void>
  stopProfile(): Promise<CpuProfile>
  close(): void
}

/** V8's CPU profile, as debuggers read it from a .cpuprofile file. */
export type CpuProfile = {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
  }[]
  samples: number[]
  timeDeltas: number[]
}

type HeapUsage = { usedSize: number; embedderHeapUsedSize?: number; backingStorageSize?: number }

/** Looks into the Worker's isolate, among those of the runtime behind an inspector's address. */
export async function inspect(address: URL, worker: string): Promise<Inspector> {
  const listed = await fetch(`http://${address.host}/json`)
  const isolates = (await listed.json()) as { id: string; webSocketDebuggerUrl: string }[]
  const own = isolates.find(({ id }) => id === `core:user:${worker}`)
  if (own === undefined) {
    throw new Error(`The runtime has no isolate of ${worker}`)
  }
  const { call, close } = await connect(own.webSocketDebuggerUrl)
  const heap = async () => {
    const usage = (await call('Runtime.getHeapUsage')) as HeapUsage
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = usage
    return (usedSize + embedderHeapUsedSize + backingStorageSize) / 1_048_576
  }
  return {
    heap,
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

/** Milliseconds that each function spent in itself, the longest first, and what share of the time that is. */
export function selfTimes(profile: CpuProfile): { place: string; ms: number; share: number }[] {
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

async function connect(url: string) {
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
