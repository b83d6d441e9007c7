import { setTimeout as pause } from 'node:timers/promises'

/** The part of the debugger protocol that the measurements use, for one isolate. */
export type Inspector = {
  /** The highest heap of the isolate in MB while an action runs, garbage included. */
  measureHeap(action?: () => Promise<unknown>): Promise<number>
  profile(action: () => Promise<unknown>): Promise<CpuProfile>
  /** What the isolate keeps after its garbage is collected, as a .heapsnapshot file of V8. */
  takeHeapSnapshot(): Promise<string>
  close(): void
}

/** A CPU profile of V8, the content of a .cpuprofile file. */
type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
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
  const { call, pieces, close } = await openSocket(own.webSocketDebuggerUrl)
  const readHeap = async () => {
    const usage = (await call('Runtime.getHeapUsage')) as HeapUsage
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = usage
    return (usedSize + embedderHeapUsedSize + backingStorageSize) / 1_048_576
  }
  return {
    async measureHeap(action = async () => {}) {
      let peak = await readHeap()
      let isDone = false
      const watching = (async () => {
        while (!isDone) {
          await pause(SAMPLE_MS)
          peak = Math.max(peak, await readHeap())
        }
      })()
      await action().finally(() => {
        isDone = true
      })
      await watching
      return peak
    },
    async profile(action) {
      await call('Profiler.enable')
      await call('Profiler.start')
      await action()
      return ((await call('Profiler.stop')) as { profile: CpuProfile }).profile
    },
    async takeHeapSnapshot() {
      pieces.length = 0
      await call('HeapProfiler.enable')
      await call('HeapProfiler.takeHeapSnapshot')
      return pieces.join('')
    },
    close,
  }
}

const SAMPLE_MS = 20

/** The self time of each function in milliseconds and as a share of the total, the longest first. */
export function computeSelfTimes({ nodes, samples, timeDeltas }: CpuProfile) {
  const places = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.split('/').at(-1) ?? ''}:${lineNumber + 1}`,
    ]),
  )
  const times = new Map<string, number>()
  for (const [n, id] of samples.entries()) {
    const place = places.get(id) ?? '(unknown)'
    if (!place.startsWith('(idle)')) {
      times.set(place, (times.get(place) ?? 0) + (timeDeltas[n] ?? 0) / 1000)
    }
  }
  const total = [...times.values()].reduce((sum, ms) => sum + ms, 0)
  return [...times]
    .map(([place, ms]) => ({ place, ms, share: ms / total }))
    .sort((a, b) => b.ms - a.ms)
}

type Message = { id?: number; result?: unknown; params?: { chunk?: string } }

async function openSocket(url: string) {
  const socket = new WebSocket(url)
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened, { once: true })
    socket.addEventListener('error', () => failed(new Error('The inspector does not answer')))
  })
  const waiting = new Map<number, (result: unknown) => void>()
  /** Of the last snapshot. */
  const pieces: string[] = []
  socket.addEventListener('message', ({ data }) => {
    const { id, result, params } = JSON.parse(String(data)) as Message
    waiting.get(id ?? -1)?.(result)
    pieces.push(...(params?.chunk === undefined ? [] : [params.chunk]))
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
  return { call, pieces, close: () => socket.close() }
}
