/** Connections at once. A Worker may have six, and D1 needs some of them. */
const MAX_CONNECTIONS = 4

/**
 * Runs at most four tasks at once, and those of one lane one after the other, so that a slow receiver delays
 * only itself. Returns a function that waits for a turn of the lane, runs the task and returns its result; a
 * task that throws ends its own turn alone.
 */
export function createLanes(connections = MAX_CONNECTIONS) {
  const ends = new Map<string, Promise<unknown>>()
  const waiting: (() => void)[] = []
  let free = connections

  async function useConnection<Result>(task: () => Promise<Result>): Promise<Result> {
    if (free === 0) {
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      free -= 1
    }
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) {
        free += 1
      } else {
        next()
      }
    }
  }

  return function runInLane<Result>(lane: string, task: () => Promise<Result>): Promise<Result> {
    const before = ends.get(lane) ?? Promise.resolve()
    const result = before.then(() => useConnection(task))
    ends.set(
      lane,
      result.catch(() => {}),
    )
    return result
  }
}
