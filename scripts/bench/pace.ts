import { readCpuTime } from './process.ts'
import { startBaseline } from './servers.ts'

/** CPU of a bare Worker that reads one row, in ms for each request, on the computer for which the goals were set. */
const REFERENCE_MS = 2.1
const ROUNDS = 5
const REQUESTS = 400

/**
 * How many times as long this computer takes for the same, by its best round; 1 where it is faster, or not known.
 * Prints it.
 */
export async function measurePace(): Promise<number> {
  const { origin, pid, stop } = await startBaseline('one row')
  const rounds: number[] = []
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const spent = readCpuTime(pid)
      for (let n = 0; n < REQUESTS; n += 1) {
        await (await fetch(origin)).arrayBuffer()
      }
      rounds.push((readCpuTime(pid) - spent) / REQUESTS)
    }
  } finally {
    await stop()
  }
  // the first one compiles
  const least = Math.min(...rounds.slice(1))
  const pace = least > REFERENCE_MS ? least / REFERENCE_MS : 1
  process.stdout.write(
    `A bare Worker that reads a row takes ${least.toFixed(1)} ms of CPU here: times may be ${pace.toFixed(2)} times their limits.\n`,
  )
  return pace
}
