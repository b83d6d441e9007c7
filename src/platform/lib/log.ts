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

/** Errors of the runtime, whose messages quote the values that they are about. */
const QUOTING_ERRORS = ['TypeError', 'RangeError', 'URIError']

/**
 * The facts about an error of our own code or of D1 that may be logged: its message without quoted values,
 * and the first frames of its stack.
 */
export function errorFacts(error: unknown): { name: string; message: string; frames: string[] } {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error('not an error')
  const frames = stack.split('\n').filter((line) => STACK_FRAME.test(line))
  return {
    name,
    message: omitValues(error, name, message),
    frames: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
  }
}

function omitValues(error: unknown, name: string, message: string): string {
  const { kind } = Object(error) as { kind?: { name?: unknown } }
  // the message of a fault is for the caller and names what was given
  if (typeof kind?.name === 'string') {
    return kind.name
  }
  if (name === 'SyntaxError') {
    return ''
  }
  return QUOTING_ERRORS.includes(name)
    ? message.replace(/\s*["'`:].*/s, '')
    : // D1 quotes what it cannot bind
      message.replace(/ for value '.*/s, '')
}
