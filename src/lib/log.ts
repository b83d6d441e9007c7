type Level = 'debug' | 'warn' | 'error'

/**
 * One line of JSON in the log. Facts are IDs, counts and words of the service itself: never logins,
 * addresses, or anything that somebody wrote.
 */
export function log(level: Level, event: string, facts: object = {}): void {
  console[level](JSON.stringify({ level, event, ...facts }))
}

/** What may be logged of an error of our own code or of D1, neither of which quotes what people wrote. */
export function errorFacts(error: unknown): { name: string; message: string; frames: string[] } {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const frames = (stack ?? '').split('\n').filter((line) => line.trim().startsWith('at '))
  return { name, message, frames: frames.slice(0, 8).map((line) => line.trim()) }
}
