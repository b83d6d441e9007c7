const MOST_FRAMES = 8
const FRAME = /^\s+at .+:\d+:\d+\)?$/

type Level = 'debug' | 'warn' | 'error'

/**
 * One line of JSON in the log. Facts are IDs, counts and words of the service itself: never logins,
 * addresses, or anything that somebody wrote.
 */
export function log(level: Level, event: string, facts: object = {}): void {
  console[level](JSON.stringify({ level, event, ...facts }))
}

/**
 * What may be logged of an error of our own code or of D1: its message without the values that it
 * quotes, and where it came from.
 */
export function errorFacts(error: unknown): { name: string; message: string; frames: string[] } {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error('not an error')
  const frames = stack.split('\n').filter((line) => FRAME.test(line))
  return {
    name,
    // JSON that cannot be read is quoted, and so are values that D1 cannot bind
    message: name === 'SyntaxError' ? '' : message.replace(/ for value '.*/s, ''),
    frames: frames.slice(0, MOST_FRAMES).map((line) => line.trim()),
  }
}
