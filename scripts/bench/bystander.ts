import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Milliseconds between two of its requests. */
const PAUSE_MS = 10

/**
 * Sends a request again and again, on a thread of its own that nothing in this process keeps waiting, from when
 * its connection is open. `stop` returns the milliseconds of each.
 */
export async function startBystander(url: string, headers: Record<string, string>) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { url, headers } })
  const failure = new Promise<never>((_, reject) => worker.once('error', reject))
  const receive = () => new Promise<unknown>((resolve) => worker.once('message', resolve))
  await Promise.race([receive(), failure])
  return {
    async stop() {
      worker.postMessage('stop')
      return (await Promise.race([receive(), failure])) as number[]
    },
  }
}

async function runBystander(): Promise<void> {
  const times: number[] = []
  let isDone = false
  parentPort?.once('message', () => {
    isDone = true
  })
  while (!isDone) {
    const started = performance.now()
    const answer = await fetch(workerData.url, { headers: workerData.headers })
    await answer.arrayBuffer()
    if (times.push(performance.now() - started) === 1) {
      parentPort?.postMessage('ready')
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  parentPort?.postMessage(times.slice(1))
}

if (!isMainThread) {
  await runBystander()
}
