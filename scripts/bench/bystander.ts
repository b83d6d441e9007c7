import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Milliseconds between two of its requests. */
const PAUSE_MS = 10

export type Bystander = { stop(): Promise<number[]> }

/**
 * Asks for the version again and again, on a thread of its own that nothing in this process keeps waiting.
 * `stop` returns the milliseconds of each request.
 */
export async function startBystander(origin: string): Promise<Bystander> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: origin })
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

async function ask(origin: string): Promise<number> {
  const started = performance.now()
  const answer = await fetch(`${origin}/rest/version`)
  await answer.text()
  return performance.now() - started
}

/** The thread: reports when its connection is open, and the times in the end. */
async function runBystander(origin: string): Promise<void> {
  const times: number[] = []
  let isDone = false
  parentPort?.once('message', () => {
    isDone = true
  })
  await ask(origin)
  parentPort?.postMessage('ready')
  while (!isDone) {
    times.push(await ask(origin))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  parentPort?.postMessage(times)
}

if (!isMainThread) {
  await runBystander(workerData)
}
