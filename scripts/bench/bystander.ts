import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Milliseconds between two of its requests. */
const PAUSE_MS = 10

/**
 * Sends a request again and again while an action runs, on a thread of its own that nothing in this process keeps
 * waiting. Returns the milliseconds of each; infinite without an answer.
 */
export async function timeOthers(
  url: string,
  headers: Record<string, string>,
  action: () => Promise<unknown>,
): Promise<number[]> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { url, headers } })
  // its connection is open
  await once(worker, 'message')
  await action()
  worker.postMessage('stop')
  const [times] = await once(worker, 'message')
  return times
}

async function runBystander(): Promise<void> {
  const times: number[] = []
  let isDone = false
  parentPort?.once('message', () => {
    isDone = true
  })
  while (!isDone) {
    const started = performance.now()
    const isAnswered = await isServed()
    if (times.push(isAnswered ? performance.now() - started : Number.POSITIVE_INFINITY) === 1) {
      parentPort?.postMessage('ready')
    }
    await pause(PAUSE_MS)
  }
  parentPort?.postMessage(times.slice(1))
}

/** False when the server refuses it, or has ended. */
async function isServed(): Promise<boolean> {
  try {
    const answer = await fetch(workerData.url, { headers: workerData.headers })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

if (!isMainThread) {
  await runBystander()
}
