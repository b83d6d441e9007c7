const MAX_FRAMES = 8
const STACK_FRAME = /^\s+at .+:\d+:\d+\)?$/

type Level = 'debug' | 'info' | 'warn' | 'error'

/**
 * Writes one line of JSON to the log. Logs are read by people who may not see bugs, so facts are IDs, counts
 * and words of the service: never logins, addresses or texts of users. Each event is a row of docs/operation.md.
 */
export function log(level: Level, event: string, facts: object = {}): void {
  console[level](JSON.stringify({ level, event, ...facts }))
}

/**
 * The facts about an error of our own code or of D1 that may be logged: its message without quoted values,
 * and the first frames of its stack.
 */
export function errorFacts(error: unknown): { name: string; message: string; frames: string[] } {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error('not an error')
  const frames = stack.split('\n').filter((line) => STACK_FRAME.test(line))
  return {
    name,
    // messages quote JSON that cannot be parsed, and values that D1 cannot bind
    message: name === 'SyntaxError' ? '' : message.replace(/ for value '.*/s, ''),
    frames: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
  }
}
