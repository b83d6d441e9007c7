import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { ask, type Request } from './request.ts'

/** Milliseconds between two of its requests. */
const PAUSE_MS = 10

/**
 * Sends a request again and again while an action runs, on a thread of its own that nothing in this process keeps
 * waiting. Returns the milliseconds of each; infinite when the server refuses it, or has ended.
 */
export async function timeOthers(
  origin: string,
  request: Request,
  action: () => Promise<unknown>,
): Promise<number[]> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { origin, request } })
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
    const { status, ms } = await ask(workerData.origin, workerData.request)
    if (times.push(status === 200 ? ms : Number.POSITIVE_INFINITY) === 1) {
      parentPort?.postMessage('ready')
    }
    await pause(PAUSE_MS)
  }
  parentPort?.postMessage(times.slice(1))
}

if (!isMainThread) {
  await runBystander()
}
